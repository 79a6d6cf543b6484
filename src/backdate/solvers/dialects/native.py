"""Native tool calls, as OpenAI's chat completions have them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from backdate.models.interface import Message, ModelFailure, Reply, ToolCall
from backdate.solvers.conversation import AgentReply, Turn
from backdate.solvers.dialects.interface import (
    AskModel,
    Spoken,
    definitions,
    failed,
    native_request,
    said_text,
    shortened,
)
from backdate.solvers.tools.interface import Tool

_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


class Native:
    """One request a call: reasoning and tool call come together."""

    name = "native"

    def system(self, rules: str, tools: Sequence[Tool]) -> str:  # noqa: ARG002 - the tools go beside it
        """The rules, and how to act."""
        return f"{rules}\n\nIn each reply, say briefly what you think and call exactly one tool."

    def next_reply(
        self, ask: AskModel, opening: Sequence[Message], conversation: Sequence[Turn], tools: Sequence[Tool]
    ) -> Spoken:
        """The reply, its first tool call read."""
        answer = ask([*opening, *native_messages(conversation)], tools=definitions(tools))
        return failed(answer) if isinstance(answer, ModelFailure) else read_native(answer)


def read_native(reply: Reply) -> AgentReply:
    """What a native reply says and calls."""
    first = reply.tool_calls[0] if reply.tool_calls else None
    request = (
        native_request(first.name, first.arguments, first.id, cut=reply.finish_reason == "length")
        if first
        else None
    )
    return AgentReply(
        text=said_text(reply),
        request=request,
        reasoning=reply.reasoning or "",
        ignored=max(0, len(reply.tool_calls) - 1),
        refusal=reply.refusal is not None,
    )


def native_messages(conversation: Sequence[Turn]) -> list[Message]:
    """The turns as messages: each call with its result; a reply without a call with the answer to it.

    Calls are written anew from what was read: endpoints refuse histories that hold broken ones.
    """
    messages: list[Message] = []
    for number, turn in enumerate(conversation):
        request = turn.said.request
        text = shortened(turn.said.text)
        if request is None:
            messages.append(Message(role="assistant", text=text or "(nothing)"))
            messages.append(Message(role="user", text=turn.observation.text))
            continue
        identifier = request.id or f"call_{number}"
        call = ToolCall(
            id=identifier,
            name=_NOT_IN_NAMES.sub("_", request.name)[:64] or "none",
            arguments=shortened_json(request.arguments),
        )
        messages.append(Message(role="assistant", text=text, tool_calls=(call,)))
        messages.append(Message(role="tool", text=turn.observation.text, tool_call_id=identifier))
    return messages


def shortened_json(arguments: object) -> str:
    """Arguments as JSON; very long ones (which no tool takes) are left out."""
    try:
        text = json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return "{}"
    return text if len(text) <= 400_000 else "{}"
