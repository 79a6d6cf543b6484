"""The four filters that TimeMachine-bench applies to a failed run, as predicates with names.

Each takes the failures of a run and answers with one sentence where it holds, else with None. All but the
first ask for *every* failure: a run in which one failure is the user's code to mend is worth keeping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from backdate.diagnosis.owners import Owners
from backdate.diagnosis.result import CauseKind, Failure, Filtered, FilterName, FrameKind
from backdate.text import first_line

_WITHOUT_FRAMES = (CauseKind.TIMEOUT, CauseKind.CRASH, CauseKind.UNKNOWN)


def timed_out(status: str, failures: Sequence[Failure]) -> str | None:
    """The run, or one of its tests, did not end within its time."""
    if status == "timeout":
        return "The time limit struck before the suite was done."
    slow = [failure.test for failure in failures if failure.cause.kind is CauseKind.TIMEOUT]
    return f"{len(slow)} tests did not end within their time: {slow[0]}." if slow else None


def cause_outside_user_code(failures: Sequence[Failure]) -> str | None:
    """No failure touches a line of the project or its tests.

    An error that surfaces in a library counts as inside as long as the project's code is on the way to it:
    by the frames alone it cannot be told whether the call or the library is wrong. Crashes, time-outs and
    failures without a known exception have no frames and say nothing.
    """
    known = [failure for failure in failures if failure.cause.kind not in _WITHOUT_FRAMES]
    if not known or any(failure.responsible is not None for failure in known):
        return None
    first = known[0].cause
    said = f"{first.type}: {first_line(first.message, most=200)}" if first.message.strip() else first.type
    return f"No line of the project is on the way to any of the errors ({said})."


def missing_top_level_module(failures: Sequence[Failure], owners: Owners) -> str | None:
    """Every failure is a module whose distribution is not there at all: the environment lacks it.

    A submodule that is gone from a distribution which is there does not count, nor does a module that left
    the standard library: those are breakages.
    """
    names: dict[str, None] = {}
    for failure in failures:
        cause = failure.cause
        if cause.kind is not CauseKind.MISSING_MODULE or not cause.name:
            return None
        if cause.related[:1] == ("builtin",) or owners.installed(cause.name):
            return None
        names[cause.name.partition(".")[0]] = None
    return f"Not installed: {', '.join(names)}." if names else None


def only_tests_affected(failures: Sequence[Failure]) -> str | None:
    """Every failure surfaces in the project's tests, and none passes through its other code."""
    if not failures:
        return None
    for failure in failures:
        if failure.responsible is None or failure.responsible.kind is not FrameKind.TEST:
            return None
    files = dict.fromkeys(
        failure.responsible.frame.file for failure in failures if failure.responsible is not None
    )
    return f"All failures lie in tests: {', '.join(list(files)[:5])}."


def filters_of(status: str, failures: Sequence[Failure], owners: Owners) -> tuple[Filtered, ...]:
    """The filters that hold for a run that ended with ``status``."""
    asked: tuple[tuple[FilterName, Callable[[], str | None]], ...] = (
        (FilterName.TIMED_OUT, lambda: timed_out(status, failures)),
        (FilterName.OUTSIDE_USER_CODE, lambda: cause_outside_user_code(failures)),
        (FilterName.MISSING_TOP_LEVEL_MODULE, lambda: missing_top_level_module(failures, owners)),
        (FilterName.ONLY_TESTS, lambda: only_tests_affected(failures)),
    )
    return tuple(Filtered(name=name, why=why) for name, ask in asked if (why := ask()) is not None)
