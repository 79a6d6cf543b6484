"""Delta debugging: a subset that is enough, from which nothing can be left out."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.minimise import Subset, minimise

NAMES = list("abcdefghij")


class Recorder:
    """Asks an oracle and notes what it was asked."""

    def __init__(self, oracle: Callable[[Subset], bool]) -> None:
        self.oracle = oracle
        self.asked: list[Subset] = []

    def __call__(self, subset: Subset) -> bool:
        self.asked.append(subset)
        return self.oracle(subset)


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.data())
def test_the_culprits_are_found_alone(moved: list[str], data: st.DataObject) -> None:
    guilty = frozenset(data.draw(st.lists(st.sampled_from(moved), min_size=1, max_size=3, unique=True)))
    oracle = Recorder(lambda subset: guilty <= subset)
    minimum = minimise(moved, oracle)
    assert (minimum.subset, minimum.complete) == (guilty, True)
    assert len(oracle.asked) == len(set(oracle.asked))
    if len(guilty) == 1:
        assert len(oracle.asked) <= 2 * len(moved)


@given(st.lists(st.sampled_from(NAMES), min_size=2, unique=True), st.data())
def test_a_culprit_that_does_not_resolve_alone_comes_with_what_it_needs(
    moved: list[str], data: st.DataObject
) -> None:
    guilty, needed = data.draw(st.permutations(moved))[:2]
    assert minimise(moved, lambda subset: {guilty, needed} <= subset).subset == {guilty, needed}


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.randoms())
def test_any_answers_end_with_a_minimal_set_that_is_known_to_be_enough(moved: list[str], random) -> None:
    answers: dict[Subset, bool] = {frozenset(moved): True, frozenset(): False}

    def oracle(subset: Subset) -> bool:
        assert subset not in answers
        answers[subset] = random.choice([True, False])
        return answers[subset]

    subset = minimise(moved, oracle).subset
    assert answers[subset]
    if len(subset) > 1:  # 1-minimal: leaving out any single item was tried and is not enough
        assert not any(answers[subset - {item}] for item in subset)


def test_a_good_guess_takes_one_question() -> None:
    oracle = Recorder(lambda subset: "c" in subset)
    assert minimise(NAMES, oracle, suspects=["z", "c"]).subset == {"c"}
    assert oracle.asked == [frozenset({"c"})]


class _Stop(Exception):
    pass


@given(st.integers(min_value=0, max_value=12))
def test_the_smallest_subset_so_far_is_returned_when_the_search_is_stopped(most: int) -> None:
    enough = [frozenset(NAMES)]

    def oracle(subset: Subset) -> bool:
        nonlocal most
        if not most:
            raise _Stop
        most -= 1
        if {"b", "g"} <= subset:
            enough.append(subset)
        return {"b", "g"} <= subset

    minimum = minimise(NAMES, oracle, stopped_by=_Stop)
    assert minimum.subset == min(enough, key=len)
    assert minimum.complete or most == 0
