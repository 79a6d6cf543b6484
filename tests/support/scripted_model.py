"""A scripted model: a real OpenAI-compatible HTTP server on loopback that answers what a test wrote down.

::

    with ScriptedModel([Say("hello"), Status(429, headers={"retry-after": "0"}), Say("again")]) as server:
        endpoint = server.endpoint()          # backdate's
        server.url, server.requests           # any client's; the parsed bodies that came

A script is a list, answered in order (then HTTP 400 "the script is over", counted in ``unscripted``), or a
function from the request's body to an answer, for conversations whose order is not known.
"""

from __future__ import annotations

import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from backdate.models.model_name import Endpoint, parse_endpoint


@dataclass(frozen=True, slots=True)
class Call:
    """A native tool call. ``arguments``: JSON is made of a dictionary, a string is sent as it is."""

    name: str
    arguments: dict[str, Any] | str = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Say:
    """A reply."""

    text: str | None = ""
    calls: Sequence[Call] = ()
    finish: str | None = None
    """None: "tool_calls" with calls, else "stop"."""
    usage: tuple[int, int, int] | None = (10, 5, 0)
    """Prompt, completion, cached tokens; None: not counted."""
    refusal: str | None = None
    reasoning: str | None = None


def refuse(words: str = "I cannot help with that.") -> Say:
    """The model itself does not want to."""
    return Say(None, refusal=words)


def megabyte(letter: str = "x") -> Say:
    """A reply of a megabyte."""
    return Say(letter * 1024 * 1024)


@dataclass(frozen=True, slots=True)
class Status:
    """An error of the endpoint's."""

    code: int
    message: str = "scripted error"
    error_code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Raw:
    """Any body, sent with status 200: not JSON, not a completion, …"""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer, until the client goes away or the server is closed."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection is reset after this share of the body of ``said`` was sent (0: after the headers)."""

    said: Say = field(default_factory=lambda: Say("a reply that never comes to its end"))
    share: float = 0.5


Answer = Say | Status | Raw | Hang | Cut
Script = Sequence[Answer] | Callable[[dict[str, Any]], Answer]


class ScriptedModel:
    """The server. ``with`` starts and stops it."""

    def __init__(self, script: Script) -> None:
        self.requests: list[dict[str, Any]] = []
        """The bodies that came, in order."""
        self.keys: list[str] = []
        """The authorisation that came with each."""
        self.unscripted = 0
        """Requests that came after the end of the script: a test that expects none asserts 0."""
        self._function = script if callable(script) else None
        self._list: Iterator[Answer] = iter(()) if callable(script) else iter(script)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def endpoint(self, model: str = "scripted", key: str = "sk-test-key") -> Endpoint:
        """Where it is, for backdate's own client."""
        return parse_endpoint(f"{model}@{self.url}", key=key, environment={})

    def __enter__(self) -> ScriptedModel:
        script = self

        class Handler(_Handler):
            model = script

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        assert self._server is not None
        assert self._thread is not None
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, body: dict[str, Any], key: str) -> Answer:
        """What comes next."""
        with self._lock:
            self.requests.append(body)
            self.keys.append(key)
            if self._function is not None:
                return self._function(body)
            following = next(self._list, None)
            if following is None:
                self.unscripted += 1
                return Status(400, "the script is over")
            return following

    def hang(self) -> None:
        """Wait until the server is closed."""
        self._closing.wait(120)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that a client, or a cut, has closed; tell all else."""
        if not isinstance(sys.exc_info()[1], OSError | ValueError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ScriptedModel

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions":
            self._send(404, _json({"error": {"message": f"no such path {self.path}"}}))
            return
        answer = self.model.answer(body, self.headers.get("authorization", ""))
        try:
            self._answer(answer, body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client had enough

    def _answer(self, answer: Answer, body: dict[str, Any]) -> None:
        if isinstance(answer, Hang):
            self.model.hang()
            self.close_connection = True
        elif isinstance(answer, Status):
            error = {"message": answer.message, "type": "scripted", "code": answer.error_code}
            self._send(answer.code, _json({"error": error}), headers=answer.headers)
        elif isinstance(answer, Raw):
            self._send(200, answer.body, content_type=answer.content_type)
        elif isinstance(answer, Cut):
            data, content_type = _encode(answer.said, body)
            self._send(200, data, content_type=content_type, cut_at=int(len(data) * answer.share))
        else:
            data, content_type = _encode(answer, body)
            self._send(200, data, content_type=content_type)

    def _send(
        self,
        status: int,
        data: bytes,
        *,
        content_type: str = "application/json",
        headers: dict[str, str] | None = None,
        cut_at: int | None = None,
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data if cut_at is None else data[:cut_at])
        if cut_at is not None:
            self.wfile.flush()
            # Lingering for no time makes the kernel reset the connection instead of closing it in order.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True


def _encode(said: Say, body: dict[str, Any]) -> tuple[bytes, str]:
    """(the body, its content type), whole or in pieces as the request wants it."""
    if body.get("stream"):
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return _stream(said, body["model"], with_usage=with_usage), "text/event-stream"
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.reasoning is not None:
        message["reasoning_content"] = said.reasoning
    if said.calls:
        message["tool_calls"] = _calls(said)
    choice = {"index": 0, "message": message, "finish_reason": _finish(said), "logprobs": None}
    completion = {"object": "chat.completion", "choices": [choice], **_head(body["model"])}
    return _json(
        completion | ({} if said.usage is None else {"usage": _usage(said.usage)})
    ), "application/json"


def _stream(said: Say, model: str, *, with_usage: bool) -> bytes:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    if said.reasoning is not None:
        deltas.append({"reasoning_content": said.reasoning})
    size = max(1, len(said.text or "") // 64, 8)
    text = said.text or ""
    deltas += [{"content": text[place : place + size]} for place in range(0, len(text), size)]
    if said.refusal is not None:
        deltas.append({"refusal": said.refusal})
    for place, call in enumerate(_calls(said)):
        arguments = call["function"]["arguments"]
        function = {"name": call["function"]["name"], "arguments": arguments[:3]}
        deltas.append({"tool_calls": [{**call, "index": place, "function": function}]})
        deltas.append({"tool_calls": [{"index": place, "function": {"arguments": arguments[3:]}}]})
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": _finish(said)}]})
    if with_usage and said.usage is not None:
        chunks.append({"choices": [], "usage": _usage(said.usage)})
    head = {"object": "chat.completion.chunk", **_head(model)}
    lines = [b"data: " + _json({**head, **chunk}) for chunk in chunks]
    return b"\n\n".join((b": keep alive", *lines, b"data: [DONE]", b""))


def _calls(said: Say) -> list[dict[str, Any]]:
    return [
        {
            "id": call.id or f"call_{place}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else json.dumps(call.arguments),
            },
        }
        for place, call in enumerate(said.calls)
    ]


def _usage(counts: tuple[int, int, int]) -> dict[str, Any]:
    prompt, completion, cached = counts
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _head(model: str) -> dict[str, Any]:
    return {"id": "chatcmpl-scripted", "created": 1600000000, "model": f"{model}-2024-01-01"}


def _finish(said: Say) -> str:
    return said.finish or ("tool_calls" if said.calls else "stop")


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
