"""What a reader is told of a search over time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_setups import INSTANT, choice

from backdate.bisection.probes import ProbePoint, ProbeResult
from backdate.bisection.remarks import not_over_time

FOUND = ProbeResult(point=ProbePoint(choice=choice(), instant=INSTANT), identity="a")


@pytest.mark.parametrize(
    ("newest", "said"),
    [
        (None, "the limit on environments is reached"),
        (replace(FOUND, failure="does not resolve: no solution\nmore"), "does not resolve: no solution"),
        (FOUND, "do not fail in the same way"),
    ],
)
def test_why_nothing_was_searched_over_time_is_told_as_it_is(newest: ProbeResult | None, said: str) -> None:
    assert not_over_time(newest).endswith(said)
