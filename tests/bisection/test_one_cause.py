"""Findings of one cause are one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from backdate.bisection.one_cause import Attributed, one_for_each_cause
from backdate.bisection.probes import Target
from backdate.bisection.proof import MaskingBreakage, SearchItem
from backdate.bisection.result import Culprit, Failing, Finding, HeldBack
from backdate.testing.outcomes import Frame

CULPRIT = Culprit(name="a", old="1", new="2", released=datetime(2021, 1, 1, tzinfo=UTC))
OTHER = replace(CULPRIT, name="b")


def attributed(
    test: str, line: int = 1, *, culprits: tuple[Culprit, ...] = (CULPRIT,), message: str = "m"
) -> Attributed:
    place = Frame(file="p.py", line=line, function="f", source="x")
    error = Failing(type="E", message=message, place=place)
    finding = Finding(
        tests=(test,),
        error=error,
        axis="packages",
        culprits=culprits,
        python="3.9.18",
        confirmed=("forward", "backward"),
    )
    return Attributed(finding=finding, target=Target(tests=(test,), error=error))


def put_together(*several: Attributed) -> list[Finding]:
    searched = [(SearchItem(target=one.target), one) for one in several]
    return [one.finding for one in one_for_each_cause(searched)]


def with_finding(one: Attributed, **changes: object) -> Attributed:
    return replace(one, finding=replace(one.finding, **changes))  # type: ignore[arg-type]


def test_one_error_at_two_lines_is_one_cause() -> None:
    both = [attributed("t", 1), attributed("u", 2)]
    (one,) = put_together(*both)
    assert (one.tests, one.culprits, one.confirmed) == (("t", "u"), (CULPRIT,), ("forward", "backward"))
    assert one.error.place == both[0].finding.error.place


def test_tests_that_did_not_pass_before_are_no_finding_of_their_own() -> None:
    """One removal was told as two breakages, as one of the tests had failed with another error before."""
    before = with_finding(attributed("u"), failed_before=True)
    (one,) = put_together(attributed("t"), before)
    assert one.tests == ("t",)
    assert one.notes == ("1 test that did not pass before meets this error now as well: u",)
    other = with_finding(attributed("v", culprits=(OTHER,)), failed_before=True)
    assert [finding.tests for finding in put_together(attributed("t"), other)] == [("t",), ("v",)]
    assert [finding.tests for finding in put_together(before)] == [("u",)]


def test_one_culprit_and_one_error_are_one_cause_wherever_and_behind_whatever_it_was_found() -> None:
    (one,) = put_together(
        with_finding(attributed("a"), held=("x<1",)),
        with_finding(attributed("b"), python="3.10.13", confirmed=("forward",)),
        with_finding(attributed("c"), last_good=datetime(2021, 1, 1, tzinfo=UTC)),
    )
    assert sorted(one.tests) == ["a", "b", "c"]
    assert (one.held, one.confirmed) == ((), ("forward",))


def test_what_differs_stays_apart() -> None:
    apart = [
        attributed("a"),
        attributed("b", message="another"),
        attributed("c", culprits=(OTHER,)),
        attributed("h", culprits=()),
        attributed("i", culprits=()),
    ]
    assert put_together(*apart) == [one.finding for one in apart]


def test_what_was_seen_in_two_environments_is_not_added_up() -> None:
    here = HeldBack(constraints=("a<2",), python="3.12.1", passing=("a",))
    (one,) = put_together(
        with_finding(attributed("a"), held_back=here),
        with_finding(attributed("b"), held_back=replace(here, passing=("b",))),
        with_finding(attributed("c"), held_back=replace(here, python="3.9.1", passing=("c",))),
    )
    assert one.held_back == replace(here, passing=("a", "b"))


def test_what_only_holding_back_breaks_becomes_the_companions_of_what_is_held_back() -> None:
    front = attributed("t")
    masking = MaskingBreakage(target=front.target, own=("a<2",))
    product = with_finding(
        attributed("t", culprits=(OTHER,), message="product"),
        held_back=HeldBack(constraints=("a<2", "b<2"), python="3.12.1", passing=("t",)),
    )
    behind = SearchItem(target=product.target, held=("a<2",), depth=1, above=(masking,), product=True)
    (one,) = one_for_each_cause([(SearchItem(target=front.target), front), (behind, product)])
    assert (one.finding.culprits, one.finding.companions) == ((CULPRIT,), ("b<2",))
    held = HeldBack(constraints=("a<2", "a<=3"), python="3.9.18", passing=("t",))
    itself = with_finding(product, held_back=held)
    (one,) = one_for_each_cause([(SearchItem(target=front.target), front), (behind, itself)])
    assert one.finding.companions == ()  # it is held back anyway


@given(st.lists(st.tuples(st.sampled_from("mn"), st.sampled_from([(), (CULPRIT,), (OTHER,)])), max_size=8))
def test_no_test_is_lost(kinds: list[tuple[str, tuple[Culprit, ...]]]) -> None:
    several = [
        attributed(f"t{number}", number, message=message, culprits=culprits)
        for number, (message, culprits) in enumerate(kinds)
    ]
    found = put_together(*several)
    assert sorted(test for one in found for test in one.tests) == [
        f"t{number}" for number in range(len(kinds))
    ]
