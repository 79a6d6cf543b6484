"""What is shown again."""

from hypothesis import given
from hypothesis import strategies as st

from backdate.solvers.conversation import AgentReply, Observation, ToolRequest, Turn
from backdate.solvers.history import WHOLE_TURNS, visible

LONG = "\n".join(["line"] * 40)


def turn(number: int, *, tests: bool = False) -> Turn:
    return Turn(
        said=AgentReply(
            text=f"reason {number}", request=ToolRequest(name="execute_tests" if tests else "view_file")
        ),
        observation=Observation(text=LONG, solved=False if tests else None),
    )


def reasons(turns) -> list[str]:
    return [one.said.text for one in turns]


def test_what_lies_before_the_latest_test_run_goes_and_the_release_keeps_one_more() -> None:
    turns = [turn(0, tests=True), turn(1), turn(2, tests=True), turn(3), turn(4, tests=True), turn(5)]
    assert reasons(visible(turns, "paper")) == ["reason 4", "reason 5"]
    assert reasons(visible(turns, "release")) == ["reason 2", "reason 3", "reason 4", "reason 5"]
    assert reasons(visible(turns[:2], "release")) == ["reason 0", "reason 1"]


def test_outputs_older_than_five_turns_collapse_and_reasoning_stays() -> None:
    shown = visible([turn(0, tests=True), *[turn(i) for i in range(1, 8)]], "paper")
    assert reasons(shown) == [f"reason {i}" for i in range(8)]
    assert ["left out" in one.observation.text for one in shown] == [True] * 3 + [False] * WHOLE_TURNS
    assert "40 lines" in shown[0].observation.text


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.sampled_from(["paper", "release"]))
def test_the_latest_turns_are_always_whole(tests, rule) -> None:
    turns = [turn(number, tests=one) for number, one in enumerate([True, *tests])]
    shown = visible(turns, rule)
    assert shown[-1] == turns[-1]
    assert list(shown[-WHOLE_TURNS:]) == turns[-len(shown[-WHOLE_TURNS:]) :]
    assert shown[0].is_test_run
