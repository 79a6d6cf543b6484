"""Trajectories in ATIF, the Agent Trajectory Interchange Format (v1.4, harbor's RFC 0001): write and read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from backdate.errors import StoredDataError
from backdate.serial import decoder_of
from backdate.solvers.conversation import LoopEnd, ToolRequest, Turn
from backdate.solvers.records import SolverUsage
from backdate.version import __version__

SCHEMA = "ATIF-v1.4"
LONGEST_MESSAGE = 200_000
"""Characters of one message that are kept."""


class Agent(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Who acted."""

    name: str
    version: str
    model_name: str | None = None


class AtifCall(msgspec.Struct, kw_only=True):
    """A tool call."""

    tool_call_id: str
    function_name: str
    arguments: dict[str, Any]


class Result(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a call was answered."""

    source_call_id: str | None = None
    content: str | None = None


class AtifObservation(msgspec.Struct, kw_only=True):
    """What a step was answered."""

    results: list[Result]


class Metrics(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What a step cost."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


class Step(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One step."""

    step_id: int
    source: str
    """"system", "user" or "agent"."""
    message: Any = ""
    """A text, or parts as later versions of the format have them."""
    reasoning_content: str | None = None
    tool_calls: list[AtifCall] | None = None
    observation: AtifObservation | None = None
    metrics: Metrics | None = None
    extra: dict[str, Any] | None = None


class FinalMetrics(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What all steps cost."""

    total_prompt_tokens: int | None = None
    total_completion_tokens: int | None = None
    total_cached_tokens: int | None = None
    total_cost_usd: float | None = None
    total_steps: int | None = None


class Trajectory(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The work of a solver on a task."""

    schema_version: str
    session_id: str = ""
    agent: Agent
    steps: list[Step]
    final_metrics: FinalMetrics | None = None
    extra: dict[str, Any] | None = None


def make_trajectory(
    *,
    session: str,
    solver: str,
    model: str,
    system: str,
    user: str,
    turns: Sequence[Turn],
    outcome: LoopEnd,
    usage: SolverUsage,
) -> Trajectory:
    """The trajectory of a conversation, every output whole, the given test run as the agent's first step."""
    steps = [
        Step(step_id=1, source="system", message=system),
        Step(step_id=2, source="user", message=user),
    ]
    for number, turn in enumerate(turns, start=3):
        steps.append(_agent_step(number, turn, given=number == 3))
    return Trajectory(
        schema_version=SCHEMA,
        session_id=session,
        agent=Agent(name=f"backdate {solver}", version=__version__, model_name=model or None),
        steps=steps,
        final_metrics=FinalMetrics(
            total_prompt_tokens=usage.input_tokens,
            total_completion_tokens=usage.output_tokens,
            total_cached_tokens=usage.cached_tokens,
            total_cost_usd=usage.cost_usd,
            total_steps=len(steps),
        ),
        extra={"ending": outcome.ending.value, "detail": outcome.detail, "calls": outcome.calls},
    )


def _agent_step(number: int, turn: Turn, *, given: bool) -> Step:
    reply, seen = turn.said, turn.observation
    call = reply.request
    identifier = (call.id or f"call_{number}") if call else None
    extra: dict[str, Any] = {"given": True} if given else {}
    if seen.solved is not None:
        extra["solved"] = seen.solved
    if seen.refused:
        extra["refused"] = True
    if reply.ignored:
        extra["ignored_calls"] = reply.ignored
    if reply.refusal:
        extra["model_refused"] = True
    calls = None
    if call is not None and identifier is not None:
        calls = [
            AtifCall(tool_call_id=identifier, function_name=call.name[:200], arguments=_kept(call.arguments))
        ]
        if call.problem:
            extra["problem"] = call.problem
    usage = reply.usage
    return Step(
        step_id=number,
        source="agent",
        message=reply.text[:LONGEST_MESSAGE],
        reasoning_content=reply.reasoning[:LONGEST_MESSAGE] or None,
        tool_calls=calls,
        observation=AtifObservation(
            results=[Result(source_call_id=identifier, content=seen.text[:LONGEST_MESSAGE])]
        ),
        metrics=Metrics(
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            cached_tokens=usage.cached_tokens,
            cost_usd=usage.cost_usd,
        )
        if usage.requests
        else None,
        extra=extra or None,
    )


def _kept(arguments: Any) -> dict[str, Any]:
    """Arguments as they are written; a megabyte that no tool takes is not kept."""
    kept = {}
    for name, value in list(arguments.items())[:50]:
        short = not isinstance(value, str) or len(value) <= LONGEST_MESSAGE
        kept[str(name)[:200]] = value if short else value[:LONGEST_MESSAGE]
    return kept


def read_trajectory(data: bytes, *, what: str) -> Trajectory:
    """A trajectory of any agent. Raises StoredDataError, naming ``what``."""
    try:
        return decoder_of(Trajectory).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoredDataError(f"{what} is no ATIF trajectory: {error}") from error


def requests_of(trajectory: Trajectory) -> tuple[tuple[str, ToolRequest | None], ...]:
    """What the agent said in each step and its first call, the given test run left out."""
    calls = []
    for step in trajectory.steps:
        if step.source != "agent" or (step.extra or {}).get("given"):
            continue
        first = step.tool_calls[0] if step.tool_calls else None
        problem = str((step.extra or {}).get("problem", ""))
        request = (
            ToolRequest(name=first.function_name, arguments=first.arguments, problem=problem)
            if first
            else None
        )
        calls.append((step.message if isinstance(step.message, str) else "", request))
    return tuple(calls)
