"""What an interrupted bisection has found so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backdate.bisection.progress import BisectionAdvanced, SearchNarrowed
from backdate.bisection.result import BisectResult
from backdate.progress import Event, Reporter


@dataclass(frozen=True, slots=True)
class _Keeping:
    """Passes events on, and keeps the latest result that they hold."""

    progress: Reporter
    known: list[BisectResult]

    def report(self, event: Event) -> None:
        match event:
            case BisectionAdvanced(partial=partial):
                self.known[:] = [partial]
            case SearchNarrowed(narrowing=narrowing):
                self.known[:] = [replace(partial, narrowing=narrowing) for partial in self.known]
        self.progress.report(event)


def keeping_partial(progress: Reporter, known: list[BisectResult]) -> Reporter:
    """``progress``, which also keeps what is known so far in ``known``: nothing, or one result."""
    return _Keeping(progress, known)
