"""Read the response of an endpoint: a chat completion, a stream of its pieces, or an error.

Pure functions over untrusted bytes: whatever these hold, the result is a Reply or a ModelFailure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from backdate.models.interface import (
    Answer,
    FailureKind,
    FinishReason,
    ModelFailure,
    Reply,
    TokenUsage,
    ToolCall,
)

_FINISH: dict[str, FinishReason] = {
    "stop": "stop",
    "tool_calls": "tool-calls",
    "function_call": "tool-calls",
    "length": "length",
    "content_filter": "content-filter",
}
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum (?:model|context|prompt) len|prompt is too long"
    r"|too many (?:input )?tokens|reduce the length|input is too long|exceeds? the (?:model's )?maximum",
    re.IGNORECASE,
)
_REFUSED = re.compile(r"content[ _](?:filter|policy|management)|safety|moderation", re.IGNORECASE)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credit)|exceeded your current quota|billing", re.IGNORECASE
)
_MESSAGE_LENGTH = 300
_MAX_TOOL_CALLS = 256


def one_line(text: str) -> str:
    """``text`` as part of a message: printable, in one line, not long."""
    line = "".join(c if c.isprintable() else " " for c in " ".join(text[: 4 * _MESSAGE_LENGTH].split()))
    return line if len(line) <= _MESSAGE_LENGTH else f"{line[:_MESSAGE_LENGTH]} …"


def bad_answer(why: str) -> ModelFailure:
    """The failure for a response that is not a chat completion."""
    return ModelFailure(
        kind="bad-answer", message=f"the endpoint's answer is no chat completion: {one_line(why)}"
    )


def parse_json(data: bytes | str) -> Any:
    """The JSON value. Raises ValueError for anything else, also for nesting that is too deep."""
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def read_completion(data: bytes) -> Answer:
    """The reply in the body of a chat completion."""
    try:
        body = parse_json(data)
    except ValueError as error:
        return bad_answer(f"not JSON ({error})")
    if not isinstance(body, dict):
        return bad_answer("not a JSON object")
    if body.get("error"):
        return read_error(200, data)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return bad_answer("it has no choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return bad_answer("its first choice has no message")
    calls = read_tool_calls(message.get("tool_calls"))
    if isinstance(calls, str):
        return bad_answer(calls)
    return make_reply(
        text=_text(message.get("content")),
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        refusal=message.get("refusal"),
        calls=calls,
        finish=choices[0].get("finish_reason"),
        usage=read_usage(body.get("usage")),
        model=body.get("model"),
    )


def make_reply(
    *,
    text: str,
    reasoning: str,
    refusal: object,
    calls: tuple[ToolCall, ...],
    finish: object,
    usage: TokenUsage | None,
    model: object,
) -> Reply:
    """A reply from fields that may hold anything."""
    reason = _FINISH.get(finish, "unknown") if isinstance(finish, str) else "unknown"
    refused = refusal if isinstance(refusal, str) and refusal else None
    if reason == "content-filter" and refused is None:
        refused = ""
    return Reply(
        text=text,
        reasoning=reasoning or None,
        refusal=refused,
        tool_calls=calls,
        finish_reason=reason,
        usage=usage,
        model=one_line(model) if isinstance(model, str) else "",
    )


def read_tool_calls(value: object) -> tuple[ToolCall, ...] | str:
    """The calls, or why they are invalid. Some servers send arguments as an object: that is accepted."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > _MAX_TOOL_CALLS:
        return "tool_calls is not a list, or far too long"
    calls = []
    for index, entry in enumerate(value):
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return "a tool call without a function's name"
        arguments = function.get("arguments")
        calls.append(
            ToolCall(
                id=str(entry.get("id") or f"call_{index}"),
                name=function["name"],
                arguments=arguments if isinstance(arguments, str) else json.dumps(arguments or {}),
            )
        )
    return tuple(calls)


def read_usage(value: object) -> TokenUsage | None:
    """The token counts; None when there are none, or none that are valid."""
    if not isinstance(value, dict):
        return None
    details = value.get("prompt_tokens_details")
    # Providers that are not OpenAI's name the cached part in other places.
    cached = (
        details.get("cached_tokens") if isinstance(details, dict) else value.get("prompt_cache_hit_tokens")
    )
    prompt, completion = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    if prompt is None or completion is None:
        return None
    return TokenUsage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cached_tokens=min(_count(cached) or 0, prompt),
    )


def read_error(status: int, data: bytes, *, retry_after_s: float | None = None) -> ModelFailure:
    """The failure for a response with this HTTP ``status`` and body."""
    code, message = _error_words(data)
    return ModelFailure(
        kind=_kind(status, f"{code} {message}"),
        message=f"HTTP {status}: {one_line(message or code or 'no message')}",
        status=status,
        retry_after_s=retry_after_s,
    )


def _kind(status: int, message: str) -> FailureKind:
    if status in (400, 413, 422) and _TOO_LONG.search(message):
        return "context-too-long"
    if status in (400, 403, 422) and _REFUSED.search(message):
        return "refused"
    if status in (402, 429) and _QUOTA.search(message):
        return "quota-used-up"
    if status in (408, 504):
        return "timeout"
    by_status: dict[int, FailureKind] = {
        401: "unauthorised",
        402: "quota-used-up",
        403: "unauthorised",
        404: "no-such-model",
        429: "rate-limited",
    }
    if status in by_status:
        return by_status[status]
    # An error inside a 200 is a gateway's way to say that what lies behind it failed.
    return "endpoint-down" if status >= 500 or status == 200 else "request-rejected"


def _error_words(data: bytes) -> tuple[str, str]:
    """(the error's code or type, its message)."""
    try:
        body = parse_json(data)
    except ValueError:
        return "", data[: 4 * _MESSAGE_LENGTH].decode("utf-8", "replace")
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return "", str(error)[: 4 * _MESSAGE_LENGTH]
    code = error.get("code") or error.get("type") or ""
    return str(code)[:_MESSAGE_LENGTH], str(error.get("message") or error.get("detail") or "")


def _text(value: object) -> str:
    """The text of a message: a string, or the text parts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12 else None
