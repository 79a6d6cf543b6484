"""The search for true bounds, over made-up worlds whose answer is known."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from backdate.lowest.search import BoundSearch, HeldOutcome, Pins

NAMES = ("a", "b", "c")
TOP = 9


class World:
    """Tests that each need some distributions to be new enough; and versions that do not go together."""

    def __init__(
        self, tests: Mapping[str, Mapping[str, int]], needs: Mapping[str, tuple[int, str, int]]
    ) -> None:
        self.tests = tests
        self.needs = needs
        self.asked = 0

    def __call__(self, pins: Pins) -> HeldOutcome | None:
        self.asked += 1
        versions = {name: TOP if pin is None else int(pin) for name, pin in pins.items()}
        for name, (since, other, least) in self.needs.items():
            if versions[name] >= since and versions[other] < least:
                if pins[name] is not None:
                    return None
                versions[name] = since - 1
        failing = {
            test
            for test, wanted in self.tests.items()
            if any(versions[name] < least for name, least in wanted.items())
        }
        return HeldOutcome(
            failing=frozenset(failing), versions={name: str(version) for name, version in versions.items()}
        )


def search(world: World, most: int = 60) -> BoundSearch:
    return BoundSearch(
        trial=world,
        versions=lambda _, low, top: [str(version) for version in range(int(low) + 1, int(top) + 1)],
        order=NAMES,
        most_trials=most,
    )


def test_one_bound_that_is_not_true() -> None:
    found = search(World({"t1": {"b": 4}, "t2": {"b": 4}, "t3": {}}, {}))
    assert found.run(dict.fromkeys(NAMES, "0")) == frozenset()
    (bound,) = found.found
    assert (bound.name, bound.fails, bound.passes, bound.mended) == ("b", "3", "4", {"t1", "t2"})
    assert found.state == {"a": "0", "b": "4", "c": "0"}


def test_two_that_only_help_together() -> None:
    found = search(World({"t": {"a": 3, "c": 7}}, {}))
    assert found.run(dict.fromkeys(NAMES, "0")) == frozenset()
    assert {(one.name, one.fails, one.passes) for one in found.found} == {("a", "2", "3"), ("c", "6", "7")}
    assert all(one.together_with for one in found.found)
    assert found.state == {"a": "3", "b": "0", "c": "7"}


def test_versions_that_do_not_go_with_the_rest_are_stepped_over() -> None:
    world = World({"t": {"a": 3, "b": 2}}, {"a": (3, "b", 6)})
    found = search(world)
    assert found.run(dict.fromkeys(NAMES, "0")) == frozenset()
    state = {name: int(pin or TOP) for name, pin in found.state.items()}
    assert (state["a"], state["b"]) == (3, 6)


def test_what_no_bound_mends_remains() -> None:
    assert search(World({"t": {"a": TOP + 1}}, {})).run(dict.fromkeys(NAMES, "0")) == {"t"}


def test_the_search_ends() -> None:
    world = World({f"t{number}": {name: number} for number in range(1, 9) for name in NAMES}, {})
    found = search(world, most=7)
    found.run(dict.fromkeys(NAMES, "0"))
    assert found.exhausted
    assert world.asked <= 7


@given(
    st.dictionaries(
        st.sampled_from(("t1", "t2", "t3", "t4")),
        st.dictionaries(st.sampled_from(NAMES), st.integers(0, TOP), max_size=3),
        max_size=4,
    )
)
def test_the_bounds_that_are_found_are_the_lowest_with_which_all_pass(
    tests: dict[str, dict[str, int]],
) -> None:
    world = World(tests, {})
    found = search(world, most=500)
    assert found.run(dict.fromkeys(NAMES, "0")) == frozenset()
    least = {name: max((wanted.get(name, 0) for wanted in tests.values()), default=0) for name in NAMES}
    raised = {one.name for one in found.found}
    for name in NAMES:
        assert int(found.state[name] or TOP) == least[name], (name, raised)
        assert (name in raised) == (least[name] > 0)
    outcome = world(found.state)
    assert outcome is not None
    assert not outcome.failing
