"""What a bisection tells while it searches, and when it stops at the first culprit."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backdate.advice import Advice
from backdate.advising.check_advice import MetError, advice_of_errors, own_lines
from backdate.bisection.limits_now import working_limits
from backdate.bisection.probes import Target
from backdate.bisection.progress import BisectionAdvanced
from backdate.bisection.result import BisectEnding, BisectResult, Finding
from backdate.progress import NO_PROGRESS, Reporter


@dataclass(slots=True, kw_only=True)
class SearchWatch:
    """Tells of each finding, and whether it was the one that is wanted."""

    base: BisectResult
    """The result as it was before the search."""
    progress: Reporter = NO_PROGRESS
    first: bool = False
    """Whether the first culprit is enough."""
    not_searched: tuple[str, ...] = ()
    """The tests whose search was not begun when the first culprit was enough."""
    _began: float = field(default_factory=time.monotonic)
    _findings: list[Finding] = field(default_factory=list)
    _done: int = 0

    def begin(self, pending: Sequence[Target]) -> None:
        """The search begins."""
        self._report(None, pending)

    def found(self, findings: Sequence[Finding], pending: Sequence[Target]) -> bool:
        """Take in what one search found; whether to stop here, with ``pending`` not searched."""
        self._done += 1
        self._findings += findings
        stop = self.first and any(finding.culprits for finding in findings)
        if stop:
            self.not_searched = _tests(pending)
        for finding in findings:
            self._report(finding, () if stop else pending)
        if not findings:
            self._report(None, pending)
        return stop

    @property
    def ending(self) -> BisectEnding:
        """How the search ended, which came to its end."""
        return "first" if self.not_searched else "complete"

    def _report(self, finding: Finding | None, pending: Sequence[Target]) -> None:
        elapsed = time.monotonic() - self._began
        findings = sorted(self._findings, key=lambda one: -len(one.tests))
        partial = replace(
            self.base,
            findings=tuple(findings),
            advice=_advice_of(findings, self.base.check.new_python),
            ending="interrupted",
            not_searched=_tests(pending),
            duration_s=elapsed,
        )
        remaining_s = elapsed / self._done * len(pending) if self._done else None
        self.progress.report(
            BisectionAdvanced(
                partial=partial,
                finding=finding,
                done=self._done,
                remaining=len(pending),
                remaining_s=remaining_s,
            )
        )


def _advice_of(findings: Sequence[Finding], new_python: str) -> Advice:
    """What can be said before the end: what was seen to work, and what the errors and the tables say."""
    met = [finding.error for finding in findings if finding.culprits]
    errors = [
        MetError(
            type=error.type, message=error.message, places=own_lines((error.place,) if error.place else ())
        )
        for error in met
    ]
    moved = {one.name: one.new for finding in findings for one in finding.culprits if one.new}
    return replace(advice_of_errors(errors, moved), now=working_limits(findings, newest_python=new_python))


def _tests(targets: Sequence[Target]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(test for target in targets for test in target.tests))
