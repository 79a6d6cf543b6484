"""The loop's rules, driven by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import UsageError
from backdate.solvers.conversation import (
    NO_TOOL,
    Act,
    AgentReply,
    Ask,
    Done,
    Failed,
    LoopEnd,
    Observation,
    ToolRequest,
)
from backdate.solvers.loop import Budget, solve
from backdate.solvers.records import StopReason

TESTS = "execute_tests"


def say(tool: str | None) -> AgentReply:
    return AgentReply(text="because", request=ToolRequest(name=tool) if tool else None)


def play(replies, *, calls=100, tests=10, passes_at=None, history="paper"):
    """Drive the loop with replies; the test run of that number passes. Gives outcome and questions."""
    loop = solve(Budget(calls=calls, tests=tests), history)
    replies, asked, runs = iter(replies), [], 0
    event = next(loop)
    try:
        while True:
            if isinstance(event, Ask):
                asked.append(event.conversation)
                event = loop.send(next(replies))
            else:
                assert isinstance(event, Act)
                solved = None
                if event.request.name == TESTS:
                    solved = passes_at == runs
                    runs += 1
                event = loop.send(Observation(text=f"output of {event.request.name}", solved=solved))
    except StopIteration as stop:
        return stop.value, asked


def test_the_given_run_is_free_and_stands_in_the_history_as_a_call() -> None:
    outcome, asked = play([say(TESTS)], tests=1, passes_at=1)
    assert asked[0][0].said.request.name == TESTS
    assert asked[0][0].observation.solved is False
    assert outcome == LoopEnd(ending=StopReason.SOLVED, calls=1)


def test_a_task_that_passes_at_once_needs_no_call() -> None:
    outcome, asked = play([], passes_at=0)
    assert (outcome.ending, outcome.calls, asked) == (StopReason.SOLVED, 0, [])


@pytest.mark.parametrize("calls", [1, 2])
def test_a_pass_on_the_last_allowed_call_and_run_counts(calls: int) -> None:
    replies = [say("view_file")] * (calls - 1) + [say(TESTS)]
    assert play(replies, calls=calls, tests=1, passes_at=1)[0].ending is StopReason.SOLVED


def test_calls_and_tests_are_used_up() -> None:
    assert play([say("view_file")] * 3, calls=3)[0] == LoopEnd(ending=StopReason.CALLS, calls=3)
    assert play([say(TESTS)] * 3, tests=3)[0] == LoopEnd(ending=StopReason.TESTS, calls=3)


def test_a_reply_without_a_tool_is_answered_and_counted_and_six_in_a_row_end_the_work() -> None:
    outcome, asked = play([say(None)] * 6)
    assert outcome == LoopEnd(ending=StopReason.NO_TOOL, calls=6)
    assert asked[1][-1].observation.text == NO_TOOL
    replies = [*[say(None)] * 5, say("view_file"), *[say(None)] * 6]
    assert play(replies)[0] == LoopEnd(ending=StopReason.NO_TOOL, calls=12)
    assert play([say(None)] * 4, calls=4)[0].ending is StopReason.CALLS


def test_a_failing_model_and_one_that_gives_up_are_endings_with_names() -> None:
    assert play([Failed(kind="timeout", message="none in 300 s")])[0] == LoopEnd(
        ending=StopReason.MODEL, detail="timeout: none in 300 s"
    )
    assert play([Done(reason="no rule applies")])[0].ending is StopReason.GAVE_UP


def test_without_an_environment_nothing_is_asked() -> None:
    loop = solve(Budget())
    next(loop)
    with pytest.raises(StopIteration) as stop:
        loop.send(Observation(text="the environment did not build\nmore", solved=False, broken=True))
    assert stop.value.value == LoopEnd(ending=StopReason.ERROR, detail="the environment did not build")


def test_a_budget_allows_something() -> None:
    with pytest.raises(UsageError, match="at least one"):
        Budget(calls=0)


@given(
    st.lists(st.sampled_from([TESTS, "view_file", None]), max_size=60),
    st.integers(1, 20),
    st.integers(1, 6),
    st.none() | st.integers(0, 8),
)
def test_no_budget_is_ever_exceeded(tools, calls, tests, passes_at) -> None:
    replies = [say(tool) for tool in tools] + [Done(reason="no more")]
    outcome, asked = play(replies, calls=calls, tests=tests, passes_at=passes_at)
    assert outcome.calls <= calls
    assert len(asked) <= calls + (outcome.ending is StopReason.GAVE_UP)
    made = tools[: outcome.calls].count(TESTS)
    assert made <= tests
    assert (outcome.ending is StopReason.SOLVED) == (passes_at is not None and made >= passes_at)
