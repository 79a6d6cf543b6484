"""The script of ``steps_model`` for ``ScriptedModel``."""

from __future__ import annotations

from typing import Any

from scripted_model import Call, Say
from steps_model import SCRIPT, step_after


def answer_by_steps(body: dict[str, Any]) -> Say:
    """The next step of a conversation."""
    said = [message["content"] or "" for message in body["messages"] if message["role"] == "assistant"]
    step = step_after(said)
    call = SCRIPT[step]
    calls = [] if call is None else [Call(call[0], dict(call[1]), id=f"c{step}")]
    return Say(f"step {step}", calls)
