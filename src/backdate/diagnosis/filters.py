"""The four filters that TimeMachine-bench applies to a failed run.

Each takes the failures of a run and returns one sentence if it holds, else None. All but the first hold only
for *every* failure: a run with one failure that an edit of the project's code can fix is worth keeping.
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
        return "The suite did not finish within the time limit."
    slow = [failure.test for failure in failures if failure.cause.kind is CauseKind.TIMEOUT]
    return f"{len(slow)} tests did not end within their time: {slow[0]}." if slow else None


def cause_outside_user_code(failures: Sequence[Failure]) -> str | None:
    """No failure touches a line of the project or its tests.

    An error that is raised in a library counts as inside if the project's code is in its traceback: frames
    alone do not show whether the call or the library is wrong. Crashes, time-outs and failures without a
    known exception have no frames and do not count.
    """
    with_frames = [failure for failure in failures if failure.cause.kind not in _WITHOUT_FRAMES]
    if not with_frames or any(failure.responsible is not None for failure in with_frames):
        return None
    first = with_frames[0].cause
    error = f"{first.type}: {first_line(first.message, most=200)}" if first.message.strip() else first.type
    return f"No line of the project is in the traceback of any error ({error})."


def missing_top_level_module(failures: Sequence[Failure], owners: Owners) -> str | None:
    """Every failure is a module whose distribution is not installed at all: the environment lacks it.

    A submodule that is gone from an installed distribution does not count, nor does a module that was removed
    from the standard library: those are breakages.
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
    """Every failure is raised from the project's tests, and none passes through its other code."""
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
    filters: tuple[tuple[FilterName, Callable[[], str | None]], ...] = (
        (FilterName.TIMED_OUT, lambda: timed_out(status, failures)),
        (FilterName.OUTSIDE_USER_CODE, lambda: cause_outside_user_code(failures)),
        (FilterName.MISSING_TOP_LEVEL_MODULE, lambda: missing_top_level_module(failures, owners)),
        (FilterName.ONLY_TESTS, lambda: only_tests_affected(failures)),
    )
    return tuple(Filtered(name=name, why=why) for name, ask in filters if (why := ask()) is not None)
