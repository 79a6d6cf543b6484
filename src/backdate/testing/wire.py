"""The events as they are written: one JSON object a line, told apart by its ``event``.

What writes them is ``capture/backdate_capture_events.py``, which runs inside the dated environment
and shares no code with this; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from backdate.serial import decoder_of
from backdate.testing.outcomes import Raised

LARGEST_LINE = 8 * 1024 * 1024
"""Bytes of the longest event that is believed."""
MESSAGE_LENGTH = 4000
"""Characters of a message or reason, as what writes them cuts them. It runs beside the tests, which may write
longer ones in its name: what reads a message must not take hours for it."""
_NAME_LENGTH = 1000
_PATH_LENGTH = 4096
_MOST_FRAMES = 61
_MOST_RAISED = 32


class CaptureEvent(msgspec.Struct, tag_field="event", frozen=True, kw_only=True):
    """One line of the file. ``pid`` is the process that says it wrote it."""

    pid: int
    number: int = -1
    """How many events were written before; -1 where the writer does not count."""
    lost: bool = False
    """Whether the event before this one may not have been written."""


class RunnerStarted(CaptureEvent, tag="session", frozen=True, kw_only=True):
    """The runner is there."""

    runner: str
    python: str


class Collecting(CaptureEvent, tag="collecting", frozen=True, kw_only=True):
    """A module is about to be imported."""

    id: str
    module: str
    """What ``modules`` of a selection names it by: the file (pytest) or the dotted name (unittest)."""


class CollectingDone(CaptureEvent, tag="collecting-done", frozen=True, kw_only=True):
    """A module was imported, or was not, but the process lives."""

    id: str


class Collected(CaptureEvent, tag="collected", frozen=True, kw_only=True):
    """Ids of tests that are to be run; a session has many of these events."""

    ids: tuple[str, ...]


class Uncollected(CaptureEvent, tag="uncollected", frozen=True, kw_only=True):
    """A file, module or class whose tests cannot be had, or which was skipped as a whole."""

    id: str
    outcome: str
    reason: str
    raised: tuple[Raised, ...]


class CaseStarted(CaptureEvent, tag="start", frozen=True, kw_only=True):
    """A test starts."""

    id: str
    file: str | None


class Phase(CaptureEvent, tag="phase", frozen=True, kw_only=True):
    """What one phase of a test, or one subtest, came to."""

    id: str
    when: str
    outcome: str
    xfail: str | None
    """Why it was expected to fail; None when it was not."""
    sub: bool
    """Whether it is about a subtest."""
    reason: str
    raised: tuple[Raised, ...]


class End(CaptureEvent, tag="end", frozen=True, kw_only=True):
    """A test is over."""

    id: str
    duration: float


class GroupStarted(CaptureEvent, tag="group", frozen=True, kw_only=True):
    """A class or module is about to be set up or torn down (unittest)."""

    id: str
    where: str


class GroupResult(CaptureEvent, tag="group-result", frozen=True, kw_only=True):
    """Setting up or tearing down a class or module raised (unittest)."""

    id: str
    where: str
    outcome: str
    reason: str
    raised: tuple[Raised, ...]


class RunnerBroken(CaptureEvent, tag="broken", frozen=True, kw_only=True):
    """An exception that stopped the runner itself."""

    where: str
    raised: tuple[Raised, ...]


class Interrupted(CaptureEvent, tag="interrupted", frozen=True, kw_only=True):
    """KeyboardInterrupt or ``pytest.exit``, from whomever."""

    raised: tuple[Raised, ...]


class Finish(CaptureEvent, tag="finish", frozen=True, kw_only=True):
    """The runner says that it is done."""

    exit_status: int
    collected: int
    failed: int
    stopped: str


class CaptureError(CaptureEvent, tag="capture-error", frozen=True, kw_only=True):
    """An event that could not be written as it should have been."""

    about: str
    reason: str


class BodyRuns(msgspec.Struct, frozen=True, kw_only=True):
    """How often a function of a test's name ran while the test did."""

    file: str
    """Relative to the project's root where it lies in it."""
    first: int
    """The first line of the function, or of its first decorator."""
    started: int
    returned: int
    yields: int


class BodySeen(CaptureEvent, tag="body", frozen=True, kw_only=True):
    """What the witness saw of a test that is over."""

    id: str
    intact: bool
    """Whether it watched all the time, in the process that ran the test."""
    whole: bool = True
    """Whether it would have seen a second function of that name in the file, after the first one."""
    ran: tuple[BodyRuns, ...]


class CanariesOff(CaptureEvent, tag="canaries-off", frozen=True, kw_only=True):
    """No further canary is run."""

    reason: str


AnyEvent = (
    RunnerStarted
    | Collecting
    | CollectingDone
    | Collected
    | Uncollected
    | CaseStarted
    | Phase
    | End
    | GroupStarted
    | GroupResult
    | RunnerBroken
    | Interrupted
    | Finish
    | CaptureError
    | CanariesOff
    | BodySeen
)

_DECODER = decoder_of(AnyEvent)


def parse_event(line: bytes) -> AnyEvent | None:
    """The event that one line holds; None when it holds none."""
    if len(line) > LARGEST_LINE:
        return None
    try:
        event: AnyEvent = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return _cut(event) if len(line) > MESSAGE_LENGTH else event


def _cut(event: AnyEvent) -> AnyEvent:
    """``event`` with what it says of exceptions as long as an honest one may say it."""
    match event:
        case Phase():
            xfail = event.xfail[:MESSAGE_LENGTH] if event.xfail is not None else None
            reason, raised = event.reason[:MESSAGE_LENGTH], cut_chain(event.raised)
            return msgspec.structs.replace(event, reason=reason, xfail=xfail, raised=raised)
        case Uncollected() | GroupResult():
            reason, raised = event.reason[:MESSAGE_LENGTH], cut_chain(event.raised)
            return msgspec.structs.replace(event, reason=reason, raised=raised)
        case RunnerBroken() | Interrupted():
            return msgspec.structs.replace(event, raised=cut_chain(event.raised))
        case _:
            return event


def cut_chain(chain: tuple[Raised, ...]) -> tuple[Raised, ...]:
    """A chain that foreign code told, no part of it longer than what is kept of one."""
    return tuple(
        replace(
            one,
            type=one.type[:_NAME_LENGTH],
            message=one.message[:MESSAGE_LENGTH],
            frames=tuple(
                replace(
                    frame,
                    file=frame.file[:_PATH_LENGTH],
                    function=frame.function[:_NAME_LENGTH],
                    source=frame.source[:_NAME_LENGTH],
                )
                for frame in one.frames[:_MOST_FRAMES]
            ),
        )
        for one in chain[:_MOST_RAISED]
    )
