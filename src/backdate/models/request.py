"""The body of a chat completion's request, and the digest that identifies it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backdate.models.interface import Message, ToolChoice, ToolDefinition
from backdate.models.settings import Sampling
from backdate.serial import digest


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelQuestion:
    """Everything except the model that decides a reply."""

    conversation: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    tool_choice: ToolChoice = "auto"
    stop: tuple[str, ...] = ()


def make_question(
    conversation: Sequence[Message],
    tools: Sequence[ToolDefinition] = (),
    tool_choice: ToolChoice = "auto",
    stop: Sequence[str] = (),
) -> ModelQuestion:
    """The arguments of ``Model.ask`` as one value."""
    return ModelQuestion(
        conversation=tuple(conversation), tools=tuple(tools), tool_choice=tool_choice, stop=tuple(stop)
    )


def question_key(specification: str, sampling: Sampling, question: ModelQuestion) -> str:
    """The key of the cached reply: a digest of the model, its sampling and the question."""
    return digest("answer of a model, 1", specification, sampling, question)


def request_body(model: str, sampling: Sampling, question: ModelQuestion) -> dict[str, Any]:
    """The JSON object to send to ``/chat/completions``, without the streaming fields."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(message) for message in question.conversation],
        "temperature": sampling.temperature,
        "seed": sampling.seed,
        "top_p": sampling.top_p,
        sampling.max_tokens_field: sampling.max_tokens,
        "stop": list(question.stop) or None,
    }
    if question.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": _sendable(tool.name),
                    "description": _sendable(tool.description),
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in question.tools
        ]
        body["tool_choice"] = question.tool_choice
    return {name: value for name, value in body.items() if value is not None} | dict(sampling.extra)


def _message(message: Message) -> Mapping[str, Any]:
    body: dict[str, Any] = {"role": message.role, "content": _sendable(message.text)}
    if message.tool_calls:
        body["tool_calls"] = [
            {
                "id": _sendable(call.id),
                "type": "function",
                "function": {"name": _sendable(call.name), "arguments": _sendable(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        body["tool_call_id"] = _sendable(message.tool_call_id)
    return body


def _sendable(text: str) -> str:
    # Lone surrogates (bytes of files that are not UTF-8) cannot be written as JSON.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
