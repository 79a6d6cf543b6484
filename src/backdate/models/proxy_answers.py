"""What is done with an answer on its way to a command: the key is taken out, and tokens are counted."""

from __future__ import annotations

from typing import Any

from backdate.models.decoding import one_line, parse_json, read_usage
from backdate.models.interface import TokenUsage

_LONGEST_READ = 4 * 1024 * 1024
"""Bytes of an answer, or of one line of a stream, that are read for its usage."""


class KeyRemoval:
    """Replaces a key in bytes that come in pieces; nothing else waits for the next piece.

    >>> removal = KeyRemoval("sk-1")
    >>> removal.feed(b"wrong key: s") + removal.feed(b"k-1!") + removal.finish()
    b'wrong key: [key]!'
    """

    def __init__(self, key: str) -> None:
        """An empty key is nowhere."""
        self._key = key.encode()
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """``data`` without the key, up to what may be the beginning of one."""
        if not self._key:
            return data
        data = (self._held + data).replace(self._key, b"[key]")
        longest = min(len(self._key) - 1, len(data))
        held = next((size for size in range(longest, 0, -1) if self._key.startswith(data[-size:])), 0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def finish(self) -> bytes:
        """What was held back at the end."""
        return self._held


class AnswerReader:
    """Finds tokens and the model's name in an answer, whole or streamed, of chat completions or responses."""

    def __init__(self, content_type: str) -> None:
        self._streamed = content_type.split(";", maxsplit=1)[0].strip().lower() == "text/event-stream"
        self._rest = b""
        self._too_long = False
        self.usage: TokenUsage | None = None
        """None as long as the answer does not tell."""
        self.model = ""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        if not self._streamed:
            self._keep(data)
            return
        *lines, rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._line(line)
        self._rest = b""
        self._keep(rest)

    def finish(self) -> None:
        """Take the end."""
        if self._streamed:
            self._line(self._rest)
        elif not self._too_long:
            self._object(self._rest)
        self._rest = b""

    def _keep(self, data: bytes) -> None:
        self._too_long = self._too_long or len(self._rest) + len(data) > _LONGEST_READ
        self._rest = b"" if self._too_long else self._rest + data

    def _line(self, line: bytes) -> None:
        if self._too_long:  # this is its end
            self._too_long = False
        elif line.startswith(b"data:"):
            self._object(line[5:])

    def _object(self, text: bytes) -> None:
        try:
            value = parse_json(text)
        except ValueError:
            return  # "[DONE]", or an answer that tells nothing
        if isinstance(value, dict):
            inner = value.get("response")  # of a streamed event of the responses' API
            self._take(inner if isinstance(inner, dict) else value)

    def _take(self, answer: dict[str, Any]) -> None:
        model = answer.get("model")
        if isinstance(model, str) and model:
            self.model = one_line(model)
        self.usage = read_usage(_as_completion(answer.get("usage"))) or self.usage


def _as_completion(usage: object) -> object:
    """Usage with the names of chat completions: responses have others, embeddings have no completion."""
    if not isinstance(usage, dict):
        return usage
    if "input_tokens" in usage:
        return {
            "prompt_tokens": usage.get("input_tokens"),
            "completion_tokens": usage.get("output_tokens"),
            "prompt_tokens_details": usage.get("input_tokens_details"),
        }
    return {"completion_tokens": 0, **usage}
