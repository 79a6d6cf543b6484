"""What a set-up proves: its class, from the tests that ran and those that the project defines.

Proven is what SetupAgent (arXiv 2503.07701) calls so: at least 95 % of the tests that ran pass. Two things
hide behind that share. Tests that want the internet or a service of their own fail wherever neither is,
however well the project is set up; and a suite of which nearly nothing was run is green as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backdate.checking.compare import count_outcomes, is_proven
from backdate.recipes.defined_tests import DefinedTests, doctests_among
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.failed_tests import class_of_failed_test
from backdate.recipes.repair.remedies import what_helps
from backdate.recipes.repair.telling import raised_line
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
from backdate.text import first_line

ALMOST = 0.90
"""The part of the tests that ran which has to pass even where all others want what is elsewhere."""
_MOST_LINE = 300
_OTHER_SYSTEM = re.compile(
    r"\b(?:windows|win32|win64|nt|mac ?os(?: ?x)?|os ?x|darwin|cygwin|msys|aix|solaris|sunos|freebsd|bsd)\b"
    r"|\bnot\b.{0,20}\blinux\b",
    re.IGNORECASE,
)
"""In the reason of a skip."""


class SetupClass(StrEnum):
    """How far a set-up is proven."""

    PROVEN = "proven"
    """At least as many of the tests that ran pass as were asked for."""
    PROVEN_BUT_OUTSIDE = "proven-but-outside"
    """At least 90 % pass, and as many as were asked for of those that want neither network nor service."""
    WEAK = "weak"
    """Enough of what ran passes, but less than half of the tests that the project defines ran."""
    NOT_PROVEN = "not-proven"

    @property
    def proven(self) -> bool:
        """Whether the recipe may be relied on."""
        return self in (SetupClass.PROVEN, SetupClass.PROVEN_BUT_OUTSIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupAssessment:
    """The class of one run, and what it is from."""

    setup_class: SetupClass
    outside: int = 0
    """Tests that failed for want of the network, a service or files."""
    defined: int = 0
    """Tests that the files define, and doctests that ran; 0 where nobody counted, as too little passes."""
    covered: int = 0
    """How many of those ran."""

    @property
    def weak(self) -> bool:
        """Whether enough of what ran passes, and too little of what is there ran."""
        return self.setup_class is SetupClass.WEAK


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedTests:
    """Tests that failed in one way."""

    error: ErrorClass
    line: str
    """What was raised, in one line: what tells most of the log."""
    tests: tuple[str, ...]
    """Their ids; none where there was no environment to run tests in."""
    help: str
    """What would help, in one sentence."""


def assess(
    run: SuiteRun | None,
    accept: float,
    count_defined: Callable[[], DefinedTests],
    *,
    absent: Sequence[str] = (),
) -> SetupAssessment:
    """The class of ``run``. ``accept``: the part of the tests that ran which has to pass.

    ``absent``: the names of files that the source lacks (``projects/absent_files.py``). ``count_defined``
    is called only where enough passes: reading all test files takes a while.
    """
    counts = count_outcomes(run)
    if run is None or run.status != "completed" or not counts.passed:
        return SetupAssessment(setup_class=SetupClass.NOT_PROVEN)
    outside = sum(class_of_result(result, absent).outside for result in run.results if result.outcome.bad)
    without = counts.ran - outside
    if is_proven(run, accept):
        proven = SetupClass.PROVEN
    elif counts.share >= min(ALMOST, accept) and without and counts.passed / without >= accept:
        proven = SetupClass.PROVEN_BUT_OUTSIDE
    else:
        return SetupAssessment(setup_class=SetupClass.NOT_PROVEN, outside=outside)
    ran = [result.id for result in run.results if result.outcome is not Outcome.SKIPPED]
    defined = count_defined().without(_of_other_systems(run))
    doctests = doctests_among(ran)
    covered = defined.covered_by(ran) + doctests
    few = 2 * covered < defined.count + doctests
    return SetupAssessment(
        setup_class=SetupClass.WEAK if few else proven,
        outside=outside,
        defined=defined.count + doctests,
        covered=covered,
    )


def _of_other_systems(run: SuiteRun) -> list[str]:
    """The tests that are skipped as of another operating system."""
    return [
        result.id
        for result in run.results
        if result.outcome is Outcome.SKIPPED and _OTHER_SYSTEM.search(result.reason)
    ]


def class_of_result(result: CaseResult, absent: Sequence[str] = ()) -> ErrorClass:
    """Why a test failed, as its exceptions tell; a test that names a file of ``absent`` for want of it."""
    if result.outcome is Outcome.TIMED_OUT:
        return ErrorClass.TIMEOUT
    texts = [f"{raised.type}: {raised.message}" for raised in result.raised]
    if any(name in text for text in (result.id, *texts) for name in absent):
        return ErrorClass.MISSING_DATA
    return class_of_failed_test((*texts, result.reason))


def telling_line(result: CaseResult) -> str:
    """What was raised, in one line."""
    if not result.raised:
        return first_line(result.reason, most=_MOST_LINE) or str(result.outcome)
    last = result.raised[-1]
    return raised_line(last.type, last.message, most=_MOST_LINE)


def failed_tests(run: SuiteRun, *, apt: bool, absent: Sequence[str] = ()) -> tuple[FailedTests, ...]:
    """The tests of ``run`` that failed, by class and cause, the largest group first.

    ``apt``: whether Debian packages are applied. ``absent``: as for ``assess``.
    """
    groups: dict[tuple[ErrorClass, str], list[str]] = {}
    for result in run.results:
        if result.outcome.bad:
            groups.setdefault((class_of_result(result, absent), telling_line(result)), []).append(result.id)
    return tuple(
        FailedTests(
            error=error, line=line, tests=tuple(tests), help=what_helps(error, line, of_build=False, apt=apt)
        )
        for (error, line), tests in sorted(groups.items(), key=lambda group: -len(group[1]))
    )
