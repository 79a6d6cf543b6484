"""How one process of a suite ended, in words and as the outcome of the tests that it left open."""

from __future__ import annotations

import signal

from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture
from backdate.testing.judging import UnfinishedOutcome
from backdate.testing.outcomes import Outcome


def signal_name(number: int) -> str:
    """ "SIGSEGV", or "signal 77" for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def describe_end(run: RunResult) -> str:
    """How the process ended, as the rest of a sentence: "the process was killed by SIGSEGV"."""
    match run.status:
        case RunStatus.TIMEOUT:
            return "the time limit struck"
        case RunStatus.OOM:
            return "the memory limit struck"
        case RunStatus.DISK_LIMIT:
            return "the disk limit struck"
        case RunStatus.SANDBOX_ERROR:
            return "the sandbox did not start"
        case _ if run.signal is not None:
            return f"the process was killed by {signal_name(run.signal)}"
        case _:
            return f"the process exited with status {run.exit_code}"


def ending_of(capture: Capture, run: RunResult) -> UnfinishedOutcome:
    """What became of the tests that had started and not ended."""
    if run.status is RunStatus.TIMEOUT and capture.finish is None:
        return UnfinishedOutcome(outcome=Outcome.TIMED_OUT, reason=describe_end(run))
    if capture.interrupted is not None:
        return UnfinishedOutcome(
            outcome=Outcome.CRASHED, reason="it interrupted the runner", raised=capture.interrupted.raised
        )
    if capture.broken is not None:
        return UnfinishedOutcome(
            outcome=Outcome.CRASHED, reason="the runner itself failed", raised=capture.broken.raised
        )
    return UnfinishedOutcome(outcome=Outcome.CRASHED, reason=describe_end(run))
