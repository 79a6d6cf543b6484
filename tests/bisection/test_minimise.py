from hypothesis import given
from hypothesis import strategies as st

from backdate.bisection.minimise import minimise
from backdate.bisection.search import ProbeStatus

NAMES = list("abcdefghij")


def run(search, oracle) -> tuple[frozenset[str], list[frozenset[str]]]:
    asked: list[frozenset[str]] = []
    try:
        subset = next(search)
        while True:
            asked.append(subset)
            subset = search.send(oracle(subset))
    except StopIteration as end:
        return end.value, asked


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.data())
def test_the_culprits_are_found_alone(moved: list[str], data: st.DataObject) -> None:
    guilty = frozenset(data.draw(st.lists(st.sampled_from(moved), min_size=1, max_size=3, unique=True)))
    found, asked = run(
        minimise(moved), lambda subset: ProbeStatus.BAD if guilty <= subset else ProbeStatus.GOOD
    )
    assert found == guilty
    assert len(asked) == len(set(asked))
    if len(guilty) == 1:
        assert len(asked) <= 2 * len(moved)


@given(st.lists(st.sampled_from(NAMES), min_size=2, unique=True), st.data())
def test_what_does_not_resolve_alone_comes_with_what_it_needs(moved: list[str], data: st.DataObject) -> None:
    guilty, needed = data.draw(st.permutations(moved))[:2]

    def oracle(subset: frozenset[str]) -> ProbeStatus:
        if guilty in subset:
            return ProbeStatus.BAD if needed in subset else ProbeStatus.SKIP
        return ProbeStatus.GOOD

    found, _ = run(minimise(moved), oracle)
    assert found == {guilty, needed}


@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), st.randoms())
def test_any_answers_end_with_a_set_that_is_known_to_fail(moved: list[str], random) -> None:
    answers: dict[frozenset[str], ProbeStatus] = {frozenset(moved): ProbeStatus.BAD}

    def oracle(subset: frozenset[str]) -> ProbeStatus:
        assert subset not in answers
        answers[subset] = random.choice(list(ProbeStatus))
        return answers[subset]

    found, _ = run(minimise(moved), oracle)
    assert answers[found] is ProbeStatus.BAD


def test_a_good_guess_takes_one_answer() -> None:
    found, asked = run(
        minimise(NAMES, suspects=["z", "c"]),
        lambda subset: ProbeStatus.BAD if "c" in subset else ProbeStatus.GOOD,
    )
    assert found == {"c"}
    assert asked == [frozenset({"c"})]
