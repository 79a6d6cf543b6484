"""Which lines of an event file were written by who knows the secret of the run, and which are missing."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from backdate.testing.wire import AnyEvent

_CODE = b',"mac":"'
_END = b'"}'
_DIGITS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Authenticity:
    """What was found out of the events of one process."""

    keyed: bool = False
    """Whether only events with the right code were believed."""
    believed: int = 0
    foreign: int = 0
    """Events without the right code."""
    repeated: int = 0
    """Events with the right code that came twice."""
    removed: int = 0
    """Numbers that are missing though their writer knew of no loss."""
    lost: int = 0
    """Events before which one may not have been written, as their writer says."""
    disordered: int = 0
    """Events that came after later ones."""


NOTHING_FOUND = Authenticity()


class Authenticator:
    """Looks at the lines of one process in their order. Without a secret every event is believed."""

    def __init__(self, secret: bytes | None) -> None:
        self._secret = secret
        self._next = 0
        self._missing: set[int] = set()
        self._counts = dict.fromkeys(("believed", "foreign", "repeated", "lost", "disordered"), 0)

    def believes(self, line: bytes, event: AnyEvent) -> bool:
        """Whether ``event``, which ``line`` holds, was written by who knows the secret, and only once."""
        if self._secret is None:
            return True
        what = self._kind(line.strip(), event, self._secret)
        self._counts[what] += 1
        if what == "disordered":
            self._counts["believed"] += 1
        if event.lost and what == "believed":
            self._counts["lost"] += 1
        return what in ("believed", "disordered")

    def _kind(self, line: bytes, event: AnyEvent, secret: bytes) -> str:
        body, code, digits = line[: -_DIGITS - 2].rpartition(_CODE)
        signed = line[-_DIGITS - 2 : -2]
        whole = code and not digits and line.endswith(_END)
        if not whole or not hmac.compare_digest(_code_of(body + b"}", secret), signed):
            return "foreign"
        if event.number in self._missing:
            self._missing.remove(event.number)
            return "disordered"
        if event.number < self._next:
            return "repeated"
        between = range(self._next, event.number)
        if event.lost:  # what its writer knows to be lost is the one before it
            between = between[:-1]
        self._missing.update(between)
        self._next = event.number + 1
        return "believed"

    def result(self) -> Authenticity:
        """What was found out."""
        return Authenticity(keyed=self._secret is not None, removed=len(self._missing), **self._counts)


def _code_of(body: bytes, secret: bytes) -> bytes:
    return hmac.new(secret, body, "sha256").hexdigest().encode()
