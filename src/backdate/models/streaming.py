"""Assemble a streamed chat completion from server-sent events, each a piece of the reply.

The format is WHATWG's "Server-sent events" as OpenAI uses it: ``data: JSON`` lines, then ``data: [DONE]``.
"""

from __future__ import annotations

from backdate.models.decoding import bad_answer, make_reply, parse_json, read_error, read_usage
from backdate.models.interface import Answer, ModelFailure, TokenUsage, ToolCall

_MAX_LINE_BYTES = 1_000_000
_MAX_TOOL_CALLS = 256


class StreamedReply:
    """A reply in pieces: ``feed`` bytes until it returns a failure or they end, then ``finish``."""

    def __init__(self, *, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._rest = b""
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls: dict[int, dict[str, str]] = {}
        self._size = 0
        self._finish: object = None
        self._usage: TokenUsage | None = None
        self._model: object = ""
        self._done = False

    def feed(self, data: bytes) -> ModelFailure | None:
        """Take the next bytes; a failure ends the reading."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _MAX_LINE_BYTES:
            return _too_large(self._max_bytes)
        for line in lines:
            failure = self._line(line.rstrip(b"\r"))
            if failure is not None:
                return failure
        return None

    def finish(self) -> Answer:
        """The reply, once the bytes have ended."""
        last = self._rest.rstrip(b"\r")  # a line that nothing ended
        is_cut = _is_cut(last)
        failure = None if is_cut else self._line(last)
        if failure is not None:
            return failure
        if is_cut or (not self._done and self._finish is None):
            return ModelFailure(
                kind="stream-broken", message="the reply stopped before its end", usage=self._usage
            )
        calls = tuple(
            ToolCall(
                id=parts["id"] or f"call_{index}", name=parts["name"], arguments=parts["arguments"] or "{}"
            )
            for index, parts in sorted(self._calls.items())
        )
        if any(not call.name for call in calls):
            return bad_answer("a tool call without a function's name")
        return make_reply(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            refusal="".join(self._refusal),
            calls=calls,
            finish=self._finish,
            usage=self._usage,
            model=self._model,
        )

    def _line(self, line: bytes) -> ModelFailure | None:
        if not line.startswith(b"data:"):
            return None  # a comment that keeps the connection alive, an event's name, a blank line
        data = line[5:].strip()
        if data == b"[DONE]":
            self._done = True
            return None
        try:
            chunk = parse_json(data)
        except ValueError as error:
            return bad_answer(f"a piece of the stream is not JSON ({error})")
        if not isinstance(chunk, dict):
            return bad_answer("a piece of the stream is not a JSON object")
        if chunk.get("error"):
            return read_error(200, data)
        self._usage = read_usage(chunk.get("usage")) or self._usage
        self._model = chunk.get("model") or self._model
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return None
        return self._choice(choices[0])

    def _choice(self, choice: object) -> ModelFailure | None:
        if not isinstance(choice, dict):
            return bad_answer("a piece of the stream has a choice that is not an object")
        self._finish = choice.get("finish_reason") or self._finish
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return None
        self._add(self._text, delta.get("content"))
        self._add(self._reasoning, delta.get("reasoning_content") or delta.get("reasoning"))
        self._add(self._refusal, delta.get("refusal"))
        calls = delta.get("tool_calls")
        for entry in calls if isinstance(calls, list) else ():
            failure = self._call(entry)
            if failure is not None:
                return failure
        return _too_large(self._max_bytes) if self._size > self._max_bytes else None

    def _call(self, entry: object) -> ModelFailure | None:
        index = entry.get("index", 0) if isinstance(entry, dict) else None
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(index, int) or not 0 <= index < _MAX_TOOL_CALLS or not isinstance(entry, dict):
            return bad_answer("a piece of a tool call without its index")
        parts = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        if isinstance(entry.get("id"), str):
            parts["id"] = entry["id"]
        for name in ("name", "arguments"):
            piece = function.get(name) if isinstance(function, dict) else None
            if isinstance(piece, str):
                parts[name] += piece
                self._size += len(piece)
        return None

    def _add(self, pieces: list[str], piece: object) -> None:
        if isinstance(piece, str):
            pieces.append(piece)
            self._size += len(piece)


def _too_large(limit: int) -> ModelFailure:
    return ModelFailure(kind="answer-too-large", message=f"the reply is longer than {limit:,} bytes")


def _is_cut(line: bytes) -> bool:
    """Whether ``line``, the last of a stream and without an end, is the beginning of a piece."""
    data = line[5:].strip()
    if not line.startswith(b"data:") or data == b"[DONE]":
        return False
    try:
        parse_json(data)
    except ValueError:
        return True
    return False
