"""Signs that a report cannot be trusted: what the events say against how the process ended.

Test code shares its process with what reports on it, so that a hostile test can forge outcomes.
These cross-checks find accidents and clumsy forgeries, not a careful one.
"""

from __future__ import annotations

import signal
from collections.abc import Sequence

from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture
from backdate.testing.ending import describe_end
from backdate.testing.outcomes import CaseResult, Outcome
from backdate.text import counted, plural

_DID_NOT_END = "the runner said that it was done, and then its process did not end by itself"
_ENDED_FOR_A_SHELL = 128 + signal.SIGALRM
"""The status of a script whose runner was ended so: its own, where it goes no further, is no other."""


def find_suspicions(
    capture: Capture, run: RunResult, results: Sequence[CaseResult], *, died: bool = False
) -> tuple[str, ...]:
    """What does not fit together in one process's report.

    ``died``: it is known already that the process ended too early; an exit status of 0 is then no sign.
    """
    return (*_of_the_exit(capture, run, results, died=died), *_of_the_counts(capture), *_of_the_file(capture))


def _of_the_exit(capture: Capture, run: RunResult, results: Sequence[CaseResult], *, died: bool) -> list[str]:
    found = []
    finish = capture.finish
    bad = sum(result.outcome.bad for result in results)
    if run.status is not RunStatus.EXITED or run.signal is not None:
        if finish is not None and run.signal == signal.SIGALRM:  # see ``backdate_capture_events.finish``
            found.append(_DID_NOT_END)
        elif finish is not None:
            found.append(f"the runner said that it was done, and then {describe_end(run)}")
        return found
    if run.exit_code == 0 and finish is None and not died:
        found.append("exit status 0 though the runner never said that it was done")
    if run.exit_code == 0 and bad and not died:
        found.append(f"exit status 0 but {counted(bad, 'test')} {plural(bad, 'was', 'were')} not good")
    if finish is None:
        return found
    if run.exit_code == _ENDED_FOR_A_SHELL != finish.exit_status:
        found.append(_DID_NOT_END)
    elif finish.exit_status != run.exit_code:
        found.append(
            f"the runner said it would end with status {finish.exit_status}, "
            f"but the exit status is {run.exit_code}"
        )
    elif run.exit_code == 1 and not bad:
        found.append("exit status 1 though no test failed (a coverage threshold, a plugin, …)")
    return found


def _of_the_counts(capture: Capture) -> list[str]:
    finish = capture.finish
    if finish is None:
        return []
    found = []
    if finish.collected and not capture.collected and not capture.tests and not capture.uncollected:
        found.append(
            f"the runner said that it collected {counted(finish.collected, 'test')}, but none was reported"
        )
    failed = sum(any(phase.outcome == "failed" for phase in test.phases) for test in capture.tests)
    if finish.failed == 0 and failed:
        found.append(f"the runner counted no failure, but {counted(failed, 'failed test')} came up")
    if capture.after_finish:
        found.append(
            f"{counted(capture.after_finish, 'test')} started after the runner had said that it was done"
        )
    known = set(capture.collected)
    strangers = [test for test in capture.tests if test.id not in known] if known else []
    if strangers:
        found.append(f"{counted(len(strangers), 'test')} ran that had not been collected: {strangers[0].id}")
    silent = [test for test in capture.tests if test.ended and not test.phases]
    if silent:
        found.append(f"{counted(len(silent), 'test')} ended without an outcome: {silent[0].id}")
    return found


def _of_the_file(capture: Capture) -> list[str]:
    found = []
    if capture.malformed:
        found.append(f"{counted(capture.malformed, 'line')} of the event file cannot be read")
    if capture.foreign:
        found.append(f"{counted(capture.foreign, 'event')} came from another process than the runner's")
    if capture.authenticity.foreign:
        number = counted(capture.authenticity.foreign, "event")
        found.append(f"{number} came from something that does not know the secret of the run")
    if capture.contradictory:
        found.append(f"{counted(capture.contradictory, 'event')} cannot have come from an honest runner")
    if capture.capture_errors:
        found.append(
            f"{counted(capture.capture_errors, 'event')} could not be written as it should have been"
        )
    if capture.truncated:
        found.append("the event file was too large: its end was not read")
    return found


def missing_choices(chosen: Sequence[str], results: Sequence[CaseResult]) -> str | None:
    """What to say when tests that were asked for by id did not come up."""
    there = {result.id for result in results if result.outcome is not Outcome.NOT_COLLECTED}
    missing = [one for one in chosen if one not in there]
    if not missing:
        return None
    return f"{len(missing)} of the {len(chosen)} chosen tests did not run: {', '.join(missing[:3])}"
