"""Near-duplicates by their sketches."""

from __future__ import annotations

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.construction.duplicates import (
    SIMILAR,
    Sketch,
    Sketched,
    find_duplicates,
    similarity,
    sketch_texts,
)

WORDS = [f"word{number}" for number in range(5_000)]


def text(seed: int, length: int = 2_000) -> list[str]:
    return random.Random(seed).choices(WORDS, k=length)


def sketched(number: int, words: list[str], stars: int = 0) -> Sketched:
    joined = " ".join(words)
    return Sketched(id=number, stars=stars, sketch=Sketch(exact=joined, smallest=sketch_texts([joined])))


def test_the_estimate_is_near_the_truth() -> None:
    base = text(1)
    for share in (0.95, 0.8, 0.5, 0.0):
        kept = int(len(base) * share)
        other = base[:kept] + text(2, len(base) - kept)
        truth = share / (2 - share)
        assert abs(similarity(sketch_texts([" ".join(base)]), sketch_texts([" ".join(other)])) - truth) < 0.1


def test_the_one_with_more_stars_stays() -> None:
    base = text(1)
    changed = [*base[:-10], *text(5, 10)]
    found = find_duplicates([sketched(1, base), sketched(2, changed, stars=9), sketched(3, text(3))])
    assert found.keys() == {1}
    assert found[1][0] == 2
    assert SIMILAR <= found[1][1] < 1


def test_among_equals_the_first_stays() -> None:
    assert find_duplicates([sketched(7, text(1)), sketched(4, text(1))]) == {7: (4, 1.0)}


def test_short_text_is_compared_exactly() -> None:
    few = sketched(1, ["a", "b"])
    assert few.sketch.smallest == ()
    assert find_duplicates([few, sketched(2, ["a", "c"]), sketched(3, ["a", "b"])]) == {3: (1, 1.0)}


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(st.permutations(range(8)))
def test_the_order_of_asking_does_not_matter(order: list[int]) -> None:
    projects = [sketched(number, text(number // 2, 300), stars=number % 3) for number in range(8)]
    assert find_duplicates(projects[one] for one in order) == find_duplicates(projects)
