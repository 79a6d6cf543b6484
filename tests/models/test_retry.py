"""Waiting between attempts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.models.interface import ModelFailure
from backdate.models.retry import Turnstile, read_retry_after, wait_before_next
from backdate.models.settings import Patience

NOW = datetime(2024, 1, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "3"}, 3),
        ({"retry-after": "1.5"}, 1.5),
        ({"Retry-After-Ms": "20", "Retry-After": "3"}, 0.02),
        ({"Retry-After": "Mon, 01 Jan 2024 12:00:30 GMT"}, 30),
        ({"Retry-After": "Mon, 01 Jan 2024 11:00:00 GMT"}, 0),
        ({"Retry-After": "-1"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "soon"}, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, NOW) == seconds


@given(
    st.integers(1, 2000),
    st.floats(0, 1),
    st.none() | st.floats(0, 1e6),
    st.sampled_from(["timeout", "rate-limited", "endpoint-down", "stream-broken", "refused", "bad-answer"]),
)
def test_a_wait_is_bounded_and_never_shorter_than_asked_for(
    attempt: int, chance: float, asked_s: float | None, kind: str
) -> None:
    patience = Patience(attempts=1000)
    failure = ModelFailure(kind=kind, message="", retry_after_s=asked_s)  # type: ignore[arg-type]
    delay = wait_before_next(failure, attempt, patience, chance)
    if attempt >= 1000 or kind in ("refused", "bad-answer") or (asked_s or 0) > patience.max_delay_s:
        assert delay is None
    else:
        assert delay is not None
        assert (asked_s or 0) <= delay <= patience.max_delay_s


def test_a_turnstile_spaces_requests() -> None:
    moment, sleeps = [100.0], []

    def sleep(seconds: float) -> None:
        sleeps.append(seconds)
        moment[0] += seconds

    turnstile = Turnstile(30, sleep=sleep, clock=lambda: moment[0])
    for _ in range(3):
        turnstile.pass_through()
    assert sleeps == [2.0, 2.0]
    moment[0] += 60
    turnstile.pass_through()
    assert sleeps == [2.0, 2.0]
