"""What the loop of the rules solver asks of the world: runs, proposals, texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.proposals import FailureGroup, Proposal


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReading:
    """What a run of the new side shows."""

    solved: bool
    """All that counts is good, of the whole suite or of what was chosen of it."""
    reason: str = ""
    """One line of why it is not solved."""
    good: frozenset[str] = frozenset()
    """Tests that were good."""
    missing: tuple[str, ...] = ()
    """Tests that have to be good and were not, as far as that is known."""
    groups: tuple[FailureGroup, ...] = ()
    """What failed, by cause; places are those of the texts that were run."""
    ended: bool = True
    """Whether the suite ran to its end: no crash, no limit."""
    broken: bool = False
    """There was nothing to run the tests in."""
    whole: bool = True
    """Whether all tests were run."""


class FixBackend(Protocol):
    """The world of one task."""

    @property
    def selects(self) -> bool:
        """Whether some tests can be run without the others."""
        ...

    @property
    def tests(self) -> int:
        """How many tests there are, as far as that is known; 0 where it is not."""
        ...

    def run(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        """Run the tests of the new side with these texts; of ``only`` where it names some.

        ``why``: in a sentence, for the record.
        """
        ...

    def propose(self, group: FailureGroup, texts: Texts) -> Iterable[Proposal]:
        """Ways to mend ``group``, whose places are those of ``texts``, the likeliest first."""
        ...

    def ask_together(self, works: Sequence[Callable[[], object]]) -> None:
        """Learn at once what ``works``, which change nothing, learn from proposals."""
        ...

    def foreseen(self, texts: Texts) -> Sequence[FailureGroup]:
        """What the next run would find on lines that the failing tests run."""
        ...

    def untraced(self, texts: Texts) -> Sequence[FailureGroup]:
        """The same for lines that no trace shows, as of a process that the tests start."""
        ...

    def caught(self, texts: Texts, only: tuple[str, ...]) -> Sequence[FailureGroup] | None:
        """What one more run of the tests of ``only`` meets on the way and catches, and the old side does not.

        None without a run, where runs cannot be traced.
        """
        ...
