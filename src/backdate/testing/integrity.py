"""Whether a run of a suite was what it says it was: as far as it can be seen from outside."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Witnessing(StrEnum):
    """What is known of how the outcomes of a run came about."""

    WITNESSED = "witnessed"
    """Every event is authentic and complete, and all canaries came out as they must."""
    NOT_WITNESSED = "not-witnessed"
    """Nothing speaks against the outcomes, and not all that would speak for them is there."""
    FORGED = "forged"
    """Something shows that outcomes were made up."""


class IntegrityReason(StrEnum):
    """Why a run is not witnessed, or forged."""

    NOT_RECORDED = "not-recorded"
    """The run was stored by a version that did not look."""
    NO_CHANNEL = "no-channel"
    """The sandbox hands a command no secret, or nothing read it: events cannot be told from others' lines."""
    NO_CAPTURE = "no-capture"
    """No event came: the runner did not start, or is one that is not captured (a script)."""
    NO_END = "no-end"
    """A process ended before its runner did."""
    EXIT_DISAGREES = "exit-disagrees"
    """The process ended otherwise than its runner said that it would."""
    EVENTS_LOST = "events-lost"
    """An event could not be written, or came out of order."""
    CANARIES_OFF = "canaries-off"
    """This runner cannot have canaries (xdist, a pytest that builds items otherwise)."""
    CANARIES_MISSING = "canaries-missing"
    """The runner stopped before all canaries had run."""
    CANARY_UNSETTLED = "canary-unsettled"
    """A canary was skipped, or failed otherwise than it must."""
    BODY_UNSEEN = "body-unseen"
    """Whether the body of a passed test ran is not known: the trace was taken away, or does not tell."""

    FOREIGN_EVENTS = "foreign-events"
    """Events were written by something that does not know the secret."""
    EVENTS_REMOVED = "events-removed"
    """Events were taken out of the file."""
    EVENTS_REPEATED = "events-repeated"
    """Events are in the file twice."""
    CANARY_WRONG = "canary-wrong"
    """A test that must fail or raise was reported as passed, or the other way round."""
    CANARY_SKIRTED = "canary-skirted"
    """Every test has an outcome, and canaries that run beside them have none."""
    BODY_NOT_RUN = "body-not-run"
    """A test was reported as passed, and its body did not run."""
    BODY_LEFT_BY_EXCEPTION = "body-left-by-exception"
    """A test was reported as passed, and its body never ended but by an exception."""

    @property
    def is_forgery(self) -> bool:
        """Whether no honest project gives this reason."""
        return self in _FORGERIES


_FORGERIES = frozenset(
    {
        IntegrityReason.FOREIGN_EVENTS,
        IntegrityReason.EVENTS_REMOVED,
        IntegrityReason.EVENTS_REPEATED,
        IntegrityReason.CANARY_WRONG,
        IntegrityReason.CANARY_SKIRTED,
        IntegrityReason.BODY_NOT_RUN,
        IntegrityReason.BODY_LEFT_BY_EXCEPTION,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrity:
    """What is known of how the outcomes of a run came about, and why no more or worse."""

    state: Witnessing = Witnessing.NOT_WITNESSED
    reasons: tuple[IntegrityReason, ...] = (IntegrityReason.NOT_RECORDED,)
    """Each once, in the order of the enumeration; none for a witnessed run."""
    canaries: int = 0
    """How many canaries came out as they must."""
    bodies: int | None = None
    """Of how many passed tests the body was seen to run; None when nobody looked."""

    @property
    def forgery(self) -> str:
        """Why the run is forged, in a few words; empty for one that is not."""
        return ", ".join(reason.value for reason in self.reasons if reason.is_forgery)


UNKNOWN_INTEGRITY = Integrity()
"""That of a run which was stored before anybody looked."""


def integrity_of(
    reasons: Iterable[IntegrityReason], *, canaries: int = 0, bodies: int | None = None
) -> Integrity:
    """The integrity that ``reasons`` make: forged by one forgery, witnessed without any."""
    given = set(reasons)
    state = Witnessing.NOT_WITNESSED if given else Witnessing.WITNESSED
    if any(reason.is_forgery for reason in given):
        state = Witnessing.FORGED
    ordered = tuple(reason for reason in IntegrityReason if reason in given)
    return Integrity(state=state, reasons=ordered, canaries=canaries, bodies=bodies)


def merge_integrities(parts: Iterable[Integrity]) -> Integrity:
    """The integrity of what several processes or runs say together."""
    parts = tuple(parts)
    seen = [part.bodies for part in parts if part.bodies is not None]
    return integrity_of(
        (reason for part in parts for reason in part.reasons),
        canaries=sum(part.canaries for part in parts),
        bodies=sum(seen) if seen else None,
    )
