"""A model that follows a script by what it said last, whatever was asked before or in another process."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fake_runner import FIX

from backdate.models.interface import Message, Reply, TokenUsage, ToolCall

BREAK = {"path": "pkg/text.py", "old_text": "word.upper()", "new_text": "word.upper(1)"}
SCRIPT: list[tuple[str, dict[str, object]] | None] = [
    ("view_file", {"path": "pkg/shapes.py"}),
    None,  # a reply without a tool
    ("replace_all_in_file", BREAK),
    ("execute_tests", {}),
    ("search_last_log", {"query": "mark"}),
    ("revert_last", {}),
    ("edit_file", {"path": "pkg/nowhere.py", "first_line": 1, "last_line": 1, "new_text": "\ud800"}),
    ("replace_all_in_file", FIX),
    ("execute_tests", {}),
]
"""The last step solves ``fake_runner``'s task."""


def step_after(said: Sequence[str]) -> int:
    """The number of the next step, from what the model is shown of its own words."""
    last = said[-1] if said else ""
    return int(last.split()[1]) + 1 if last.startswith("step ") else 0


class StepsModel:
    """The script, answered in this process; ends the run, as a kill would, when asked for step ``until``."""

    name = "steps"

    def __init__(self, until: int | None = None) -> None:
        self.asked: list[int] = []
        self._until = until

    def ask(self, conversation: Sequence[Message], **_more: object) -> Reply:
        step = step_after([message.text for message in conversation if message.role == "assistant"])
        if step == self._until:
            raise KeyboardInterrupt
        self.asked.append(step)
        call = SCRIPT[step]
        calls = (
            () if call is None else (ToolCall(id=f"c{step}", name=call[0], arguments=json.dumps(call[1])),)
        )
        return Reply(
            text=f"step {step}",
            tool_calls=calls,
            usage=TokenUsage(prompt_tokens=100 + step, completion_tokens=7, cached_tokens=1),
            model="steps-of-today",
        )
