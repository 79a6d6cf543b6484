"""How a whole run of a suite ended: its status, and one paragraph for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture
from backdate.testing.ending import describe_end
from backdate.testing.outcomes import CaseResult, Frame, Raised
from backdate.testing.traceback_text import TRACEBACK, read_chain
from backdate.text import end_of_file

Status = Literal["completed", "no-tests", "crashed", "timeout", "oom", "disk-limit", "broken"]

_LIMITS: dict[RunStatus, Status] = {
    RunStatus.TIMEOUT: "timeout",
    RunStatus.OOM: "oom",
    RunStatus.DISK_LIMIT: "disk-limit",
}
_TAIL_BYTES = 4096
_TRACEBACK_BYTES = 64 * 1024
_TAIL_LINES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConclusion:
    """The status of a run and why."""

    status: Status
    trouble: str = ""
    log_end: str = ""
    """The last lines of the log, where ``trouble`` quotes them."""
    raised: tuple[Raised, ...] = ()


def reach_verdict(
    run: RunResult,
    capture: Capture,
    results: Sequence[CaseResult],
    missing: Sequence[str],
    log: Path,
    *,
    root: str = "",
) -> RunConclusion:
    """How the run ended, from its last process. ``root``: where that saw the project.

    A runner that said that it was done is believed, even when its process then hung until the time
    limit or crashed on its way out: that is a suspicion, not the status. A run in which another
    process had to run the rest after a crash is completed when every collected test has an outcome.
    """
    if run.status is RunStatus.SANDBOX_ERROR:
        return _broken("The sandbox did not start.", log)
    if capture.finish is not None and not missing and not _stopped_early(capture, results):
        return RunConclusion(status="completed" if results else "no-tests", trouble=_no_tests(results))
    if capture.finish is None and run.status in _LIMITS:
        return RunConclusion(status=_LIMITS[run.status], trouble=_where(run, capture))
    if capture.broken is not None:
        last = capture.broken.raised[-1:]
        said = "".join(f": {one.type}: {one.message}" for one in last)
        trouble = f"The runner failed {capture.broken.where}{said}"
        return RunConclusion(status="broken", trouble=trouble, raised=capture.broken.raised)
    if capture.interrupted is not None:
        return RunConclusion(
            status="broken", trouble="The runner was interrupted.", raised=capture.interrupted.raised
        )
    return _unexplained(run, capture, log, root)


def _unexplained(run: RunResult, capture: Capture, log: Path, root: str) -> RunConclusion:
    reached = bool(capture.collected or capture.tests or capture.collecting or capture.uncollected)
    if capture.finish is not None:
        why = f" ({capture.finish.stopped})" if capture.finish.stopped else ""
        status = capture.finish.exit_status
        return _broken(f"The runner stopped before its end{why}, with status {status}.", log)
    if reached or run.signal is not None:
        return RunConclusion(status="crashed", trouble=_where(run, capture))
    raised = _last_traceback(log, root)
    said = f"{raised[-1].type}: {raised[-1].message}. " if raised else ""
    text = f"The runner ended without reaching the tests: {said}{describe_end(run)}."
    return replace(_broken(text, log), raised=raised)


def _stopped_early(capture: Capture, results: Sequence[CaseResult]) -> bool:
    """Whether what the runner calls its end came before the tests (a usage error, an internal error)."""
    return not results and (capture.broken is not None or capture.interrupted is not None)


def _no_tests(results: Sequence[CaseResult]) -> str:
    return "" if results else "The runner found no tests."


def _where(run: RunResult, capture: Capture) -> str:
    open_tests = [test.id for test in capture.tests if not test.ended]
    if open_tests:
        when = f" while {open_tests[0]} ran"
    elif capture.group is not None:
        when = f" during {capture.group.where} of {capture.group.id}"
    elif capture.collecting is not None and not capture.collected:
        when = f" while {capture.collecting.id} was imported"
    elif capture.tests:
        when = f" after {capture.tests[-1].id}"
    else:
        when = " before any test"
    sentence = describe_end(run)
    return f"{sentence[0].upper()}{sentence[1:]}{when}."


def _last_traceback(log: Path, root: str) -> tuple[Raised, ...]:
    """What ended the process, where the log ends with its traceback, or with what checks refused: nothing
    else was there to report it."""
    from backdate.testing.check_reports import refused_by_checks  # few suites end without a report

    lines = end_of_file(log, _TRACEBACK_BYTES).splitlines()
    starts = [number for number, line in enumerate(lines) if TRACEBACK.fullmatch(line)]
    chain = refused_by_checks(read_chain(lines[starts[-1] :]) if starts else (), "\n".join(lines))
    return tuple(replace(one, frames=tuple(_inside(frame, root) for frame in one.frames)) for one in chain)


def _inside(frame: Frame, root: str) -> Frame:
    """``frame`` with its file relative to the project where it lies in it, as captured frames have it."""
    own = bool(root) and frame.file.startswith(f"{root}/")
    return replace(frame, file=frame.file.removeprefix(f"{root}/")) if own else frame


def _broken(text: str, log: Path) -> RunConclusion:
    """A run that did not reach the tests, with the last lines of its log."""
    if not log.is_file():
        return RunConclusion(status="broken", trouble=f"{text} It left no log.")
    lines = [line.rstrip() for line in end_of_file(log, _TAIL_BYTES).splitlines() if line.strip()]
    if not lines:
        return RunConclusion(status="broken", trouble=f"{text} It printed nothing.")
    log_end = "\n".join(lines[-_TAIL_LINES:])
    return RunConclusion(status="broken", trouble=f"{text} The log ends: {log_end}", log_end=log_end)
