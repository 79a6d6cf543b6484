"""Findings of one cause are one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from backdate.bisection.findings import merged, put_together
from backdate.bisection.result import Culprit, Failing, Finding
from backdate.testing.outcomes import Frame

CULPRIT = Culprit(name="a", old="1", new="2", released=datetime(2021, 1, 1, tzinfo=UTC))
OTHER = replace(CULPRIT, name="b")


def finding(
    test: str, line: int = 1, *, culprits: tuple[Culprit, ...] = (CULPRIT,), message: str = "m"
) -> Finding:
    place = Frame(file="p.py", line=line, function="f", source="x")
    return Finding(
        tests=(test,),
        error=Failing(type="E", message=message, place=place),
        axis="packages",
        culprits=culprits,
        python="3.9.18",
        confirmed=("forward", "backward"),
    )


def test_one_error_at_two_lines_is_one_cause() -> None:
    both = [finding("t", 1), finding("u", 2)]
    assert put_together(both) == [[0, 1]]
    one = merged(both)
    assert (one.tests, one.culprits, one.confirmed) == (("t", "u"), (CULPRIT,), ("forward", "backward"))
    assert one.error.place == both[0].error.place


def test_what_differs_stays_apart() -> None:
    apart = [
        finding("a"),
        finding("b", message="another"),
        finding("c", culprits=(OTHER,)),
        replace(finding("d"), confirmed=("forward",)),
        replace(finding("e"), python="3.10.13"),
        replace(finding("f"), held=("x<1",)),
        replace(finding("g"), last_good=datetime(2021, 1, 1, tzinfo=UTC)),
        finding("h", culprits=()),
        finding("i", culprits=()),
    ]
    assert put_together(apart) == [[number] for number in range(len(apart))]


@given(st.lists(st.tuples(st.sampled_from("mn"), st.sampled_from([(), (CULPRIT,), (OTHER,)])), max_size=8))
def test_no_test_is_lost(kinds: list[tuple[str, tuple[Culprit, ...]]]) -> None:
    several = [
        finding(f"t{number}", number, message=message, culprits=culprits)
        for number, (message, culprits) in enumerate(kinds)
    ]
    found = [merged([several[number] for number in row]) for row in put_together(several)]
    assert sorted(test for one in found for test in one.tests) == sorted(one.tests[0] for one in several)
