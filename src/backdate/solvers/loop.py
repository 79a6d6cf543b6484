"""The solver's loop: asks for a reply, has its tool called, shows what came of it, until a budget is used up.

A generator without input or output: it yields :class:`Ask` or :class:`Act` and is sent the reply or the
observation. A model, a replay and the Inspect framework each drive the same loop; tests drive it by hand.

The rules are those of TimeMachine-bench's harness as released (arXiv 2601.22597, section 4):

- the tests are run once before the first reply; this run is in the history like a call, and is free;
- after a run of the tests success is looked at before the budget, so a pass on the last allowed one counts;
- only the first tool call of a reply counts; a reply without one is answered, and counted;
- six replies in a row without a tool call end the work.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias

from backdate.errors import UsageError
from backdate.solvers.conversation import (
    NO_TOOL,
    Act,
    AgentReply,
    Answer,
    Ask,
    Done,
    Event,
    Failed,
    LoopEnd,
    Observation,
    ToolRequest,
    Turn,
)
from backdate.solvers.history import Rule, visible
from backdate.solvers.records import StopReason
from backdate.text import first_line

TEST_TOOL = "execute_tests"
REPLIES_WITHOUT_TOOL = 6

Loop: TypeAlias = Generator[Event, Answer, LoopEnd]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one task may use."""

    calls: int = 100
    """n, at least 1."""
    tests: int = 10
    """m, at least 1; the given run is not part of it."""

    def __post_init__(self) -> None:
        if self.calls < 1 or self.tests < 1:
            raise UsageError("a budget allows at least one call and one test run")


def solve(budget: Budget, history: Rule = "paper") -> Loop:
    """The loop over one task; returns how it ended."""
    first_test = ToolRequest(name=TEST_TOOL, id="given")
    observation = yield Act(request=first_test)
    assert isinstance(observation, Observation)
    if observation.broken:
        return LoopEnd(ending=StopReason.ERROR, detail=first_line(observation.text, most=500))
    if observation.solved:
        return LoopEnd(ending=StopReason.SOLVED, detail="the tests passed before anything was changed")
    turns = [Turn(said=AgentReply(text="", request=first_test), observation=observation)]
    calls = tests = silent = 0
    while True:
        reply = yield Ask(conversation=visible(turns, history))
        if isinstance(reply, Failed):
            return LoopEnd(ending=StopReason.MODEL, detail=f"{reply.kind}: {reply.message}", calls=calls)
        if isinstance(reply, Done):
            return LoopEnd(ending=StopReason.GAVE_UP, detail=reply.reason, calls=calls)
        assert isinstance(reply, AgentReply)
        calls += 1
        if reply.request is None:
            observation = Observation(text=NO_TOOL, refused=True)
            silent += 1
        else:
            answer = yield Act(request=reply.request)
            assert isinstance(answer, Observation)
            observation = answer
            silent = 0
        turns.append(Turn(said=reply, observation=observation))
        tests += observation.solved is not None
        ending = _ending(observation, calls=calls, tests=tests, silent=silent, budget=budget)
        if ending is not None:
            return LoopEnd(ending=ending, calls=calls)


def _ending(
    observation: Observation, *, calls: int, tests: int, silent: int, budget: Budget
) -> StopReason | None:
    """How the work ends after this turn; None when it goes on. The order is the rule."""
    if observation.solved:
        return StopReason.SOLVED
    if observation.broken:
        return StopReason.ERROR
    if tests >= budget.tests:
        return StopReason.TESTS
    if silent >= REPLIES_WITHOUT_TOOL:
        return StopReason.NO_TOOL
    if calls >= budget.calls:
        return StopReason.CALLS
    return None
