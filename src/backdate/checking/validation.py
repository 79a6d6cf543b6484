"""When a recipe is proven: how many of the tests that ran did what was expected.

The criterion is that of SetupAgent (arXiv 2503.07701): at least 95 % of the tests that ran pass, and one
at least ran. Skipped tests did not run. A file that could not be collected, a test that crashed and one
that ran out of time did, and count against the recipe.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from backdate.testing.outcomes import Outcome, SuiteRun

ACCEPT = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the tests of one run."""

    passed: int = 0
    """Did what was expected: passed, or failed as they said they would."""
    failed: int = 0
    """Failed, or their set-up did, or they crashed or ran out of time."""
    not_collected: int = 0
    """Files and classes that could not be collected."""
    skipped: int = 0

    @property
    def ran(self) -> int:
        """What counts: all but the skipped ones."""
        return self.passed + self.failed + self.not_collected

    @property
    def share(self) -> float:
        """The part of ``ran`` that passed; 0 when nothing ran."""
        return self.passed / self.ran if self.ran else 0.0


def count_outcomes(run: SuiteRun | None) -> Counts:
    """The counts of ``run``; all zero where there is none."""
    if run is None:
        return Counts()
    counted = Counter(result.outcome for result in run.results)
    not_collected, skipped = counted[Outcome.NOT_COLLECTED], counted[Outcome.SKIPPED]
    passed = sum(number for outcome, number in counted.items() if outcome.good)
    return Counts(
        passed=passed,
        failed=counted.total() - passed - not_collected - skipped,
        not_collected=not_collected,
        skipped=skipped,
    )


def is_proven(run: SuiteRun | None, accept: float = ACCEPT) -> bool:
    """Whether ``run`` ended well and the share of tests that pass is at least ``accept``."""
    counts = count_outcomes(run)
    return run is not None and run.status == "completed" and counts.passed > 0 and counts.share >= accept
