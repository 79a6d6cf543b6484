"""What every dialect is given and gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Protocol, TypeAlias

from backdate.models.interface import Answer, Message, ModelFailure, Reply, ToolChoice, ToolDefinition
from backdate.solvers.conversation import AgentReply, Failed, ToolRequest, Turn
from backdate.solvers.tools.interface import Tool

LONGEST_TEXT = 20_000
"""Characters of one reply that are shown to the model again."""


class AskModel(Protocol):
    """A model's ``ask``, with whatever counts it in between."""

    def __call__(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """The next turn, or why there is none."""
        ...


Spoken: TypeAlias = AgentReply | Failed


class Dialect(Protocol):
    """One way to speak with models about tools."""

    name: str

    def system(self, rules: str, tools: Sequence[Tool]) -> str:
        """The system message: the rules of the task in this dialect's words."""
        ...

    def next_reply(
        self, ask: AskModel, opening: Sequence[Message], conversation: Sequence[Turn], tools: Sequence[Tool]
    ) -> Spoken:
        """The reply to a conversation that begins with ``opening``."""
        ...


def failed(failure: ModelFailure) -> Failed:
    """The loop's word for a model's failure."""
    return Failed(kind=failure.kind, message=failure.message)


def said_text(reply: Reply) -> str:
    """What a reply says, a refusal's words included."""
    return reply.text or reply.refusal or ""


def shortened(text: str) -> str:
    """A reply's text as it is shown again: of a very long one its beginning."""
    if len(text) <= LONGEST_TEXT:
        return text
    return f"{text[:LONGEST_TEXT]}\n[{len(text) - LONGEST_TEXT:,} more characters were said]"


def definitions(tools: Sequence[Tool]) -> tuple[ToolDefinition, ...]:
    """The tools as they are called natively."""
    return tuple(
        ToolDefinition(name=tool.name, description=tool.description, parameters=tool.schema) for tool in tools
    )


def native_request(name: str, arguments: str, identifier: str, *, cut: bool) -> ToolRequest:
    """A native call read, whatever stands in it; ``cut``: the reply had reached its greatest length."""
    problem = ""
    value: object = {}
    try:
        value = json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError) as error:
        problem = f"its arguments are not JSON ({error}). Write them as one JSON object."
    if not isinstance(value, dict):
        problem = problem or "its arguments are not a JSON object."
        value = {}
    if problem and cut:
        problem = f"the reply was cut off at its greatest length, and {problem} Edit less at a time."
    return ToolRequest(name=name, arguments=value, problem=problem, id=identifier)
