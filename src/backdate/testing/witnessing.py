"""From what one process wrote, and how it ended, to whether its report is what it says it is. Pure."""

from __future__ import annotations

from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture
from backdate.testing.authenticity import Authenticity
from backdate.testing.canaries import look_at_canaries
from backdate.testing.ending import ending_of
from backdate.testing.integrity import Integrity, IntegrityReason, integrity_of


def process_integrity(capture: Capture, run: RunResult, secret: bytes | None) -> Integrity:
    """The integrity of one process. ``secret``: what authenticated its events; None when nothing did."""
    reasons = _of_the_events(capture.authenticity) | _of_the_end(capture, run)
    if secret is None:
        return integrity_of({*reasons, IntegrityReason.NO_CHANNEL})
    canaries = 0
    if capture.session is not None and (capture.collected or capture.tests):
        canaries, more = look_at_canaries(capture, secret, ending_of(capture, run))
        reasons |= more
    return integrity_of(reasons, canaries=canaries)


def _of_the_events(events: Authenticity) -> set[IntegrityReason]:
    reasons = {
        IntegrityReason.FOREIGN_EVENTS: events.foreign,
        IntegrityReason.EVENTS_REMOVED: events.removed,
        IntegrityReason.EVENTS_REPEATED: events.repeated,
        IntegrityReason.EVENTS_LOST: events.lost + events.disordered,
    }
    return {reason for reason, count in reasons.items() if count}


def _of_the_end(capture: Capture, run: RunResult) -> set[IntegrityReason]:
    if capture.session is None:
        return {IntegrityReason.NO_CAPTURE}
    if capture.finish is None:
        return {IntegrityReason.NO_END}
    agrees = run.status is RunStatus.EXITED and run.exit_code == capture.finish.exit_status
    return set() if agrees else {IntegrityReason.EXIT_DISAGREES}
