"""Two requests a call: first the thought, then the action. For models that act without thinking first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backdate.models.interface import Message, ModelFailure
from backdate.solvers.conversation import Turn
from backdate.solvers.dialects.interface import (
    AskModel,
    Spoken,
    definitions,
    failed,
    said_text,
    shortened,
)
from backdate.solvers.dialects.native import native_messages, read_native
from backdate.solvers.tools.interface import Tool

THINK = (
    "Think before you act: what do the last results tell, what is the cause, what is the next step? "
    "Answer in words; do not call a tool yet."
)
ACTION = "Now take that step: call exactly one tool."


class TwoStep:
    """The thought is asked for with the tools in sight but not to be called, then the action."""

    name = "two-step"

    def system(self, rules: str, tools: Sequence[Tool]) -> str:  # noqa: ARG002 - the tools go beside it
        """The rules, and how a step goes."""
        return f"{rules}\n\nYou are asked twice in each step: for your thought, then for one tool call."

    def next_reply(
        self, ask: AskModel, opening: Sequence[Message], conversation: Sequence[Turn], tools: Sequence[Tool]
    ) -> Spoken:
        """The action, with the thought as its text."""
        messages = [*opening, *native_messages(conversation)]
        offered = definitions(tools)
        first = ask([*messages, Message(role="user", text=THINK)], tools=offered, tool_choice="none")
        if isinstance(first, ModelFailure):
            return failed(first)
        thought = said_text(first)
        spoken = Message(role="assistant", text=shortened(thought) or "(nothing)")
        second = ask(
            [*messages, Message(role="user", text=THINK), spoken, Message(role="user", text=ACTION)],
            tools=offered,
        )
        if isinstance(second, ModelFailure):
            return failed(second)
        reply = read_native(second)
        text = "\n".join(part for part in (thought, reply.text) if part)
        return replace(reply, text=text, refusal=reply.refusal or first.refusal is not None)
