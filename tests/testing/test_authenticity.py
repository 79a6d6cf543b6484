"""Which events are believed when a secret is known: by what writes them, and by hand."""

from __future__ import annotations

import hmac
import json
from typing import Any

import pytest

from backdate.testing.assembly import Capture
from backdate.testing.events import read_events

SECRET = b"s" * 32


def line(number: int, *, secret: bytes = SECRET, **fields: Any) -> bytes:
    body = json.dumps({"event": "collecting-done", "id": "x", "pid": 1, "number": number, **fields})
    code = hmac.new(secret, body.encode(), "sha256").hexdigest()
    return f'{body[:-1]},"mac":"{code}"}}'.encode()


def read(*lines: bytes) -> Capture:
    return read_events(b"\n".join(lines), secret=SECRET)


def test_what_the_secret_signs_is_believed() -> None:
    found = read(line(0), line(1), line(2)).authenticity
    assert (found.keyed, found.believed) == (True, 3)
    assert (found.foreign, found.removed, found.repeated, found.lost, found.disordered) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "other",
    [
        line(1, secret=b"t" * 32),
        b'{"event":"collecting-done","id":"x","pid":1,"number":1}',
        line(1).replace(b'"x"', b'"y"'),
        line(1)[:-4] + b'00"}',
        line(1)[:-2] + b'","mac":"' + b"0" * 64 + b'"}',
        b'{"event":"collecting-done","id":"x","pid":1,"number":1,"mac":"' + b"0" * 64 + b'"}',
    ],
)
def test_what_it_does_not_sign_is_foreign(other: bytes) -> None:
    found = read(line(0), other).authenticity
    assert (found.believed, found.foreign) == (1, 1)


def test_what_was_taken_away_is_missing() -> None:
    assert read(line(0), line(2), line(5)).authenticity.removed == 3
    assert read(line(1)).authenticity.removed == 1


def test_a_loss_that_the_writer_knows_of_is_no_removal() -> None:
    found = read(line(0), line(2, lost=True)).authenticity
    assert (found.removed, found.lost) == (0, 1)
    found = read(line(0), line(1, lost=True)).authenticity  # it was written after all
    assert (found.removed, found.lost) == (0, 1)
    assert read(line(0), line(9, lost=True)).authenticity.removed == 7


def test_an_event_counts_once() -> None:
    found = read(line(0), line(1), line(1), line(0)).authenticity
    assert (found.believed, found.repeated) == (2, 2)


def test_threads_may_swap_two_events() -> None:
    found = read(line(1), line(0), line(2)).authenticity
    assert (found.believed, found.removed, found.disordered) == (3, 0, 1)


def test_without_a_secret_every_event_counts() -> None:
    capture = read_events(line(0, secret=b"other") + b'\n{"event":"collecting-done","id":"x","pid":1}')
    assert not capture.authenticity.keyed
    assert capture.foreign == capture.malformed == 0
