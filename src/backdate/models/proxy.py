"""The way of a command in a sandbox to one model's endpoint: a proxy outside that adds the user's key.

It listens at a Unix socket that is shown in the sandbox; inside, a small program leads a port of 127.0.0.1
there. The command never has the key: not in its environment, its files, or an answer. It reaches the paths
that ask a model something (``proxy_requests.py``), at the one endpoint, and no redirect is followed.
"""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import httpx
import uvicorn

from backdate.errors import MachineError
from backdate.models.decoding import one_line
from backdate.models.interface import TokenUsage
from backdate.models.model_name import NO_KEY, Endpoint
from backdate.models.proxy_answers import AnswerReader, KeyRemoval
from backdate.models.proxy_requests import (
    LONGEST_BODY,
    PREFIX,
    RefusedRequest,
    asked_model,
    endpoint_path,
)
from backdate.sandboxes.forwarding import forwarder_line, forwarder_mount
from backdate.sandboxes.interface import Mount
from backdate.version import __version__

PORT = 3129
"""Where the endpoint is inside. The network namespace is the sandbox's own, so nobody else is there."""
PLACEHOLDER = "kept-by-backdate"
"""What clients that want a key are given."""
_SOCKET = "/run/backdate/model"

_LONGEST_ANSWER = 256 * 1024 * 1024
_ANSWER_S = 1800.0
_SILENCE_S = 600.0
"""Models that think answer nothing for minutes."""
_CONNECT_S = 30.0
_MOST_CONNECTIONS = 64
_START_S = 20.0
_PASSED_HEADERS = ("content-type", "retry-after", "retry-after-ms")

_Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
_Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class PassedEnding(StrEnum):
    """How a question to a model ended."""

    ANSWERED = "answered"
    """With an answer, or with part of one: it may have to be paid for."""
    REFUSED = "refused"
    """The endpoint was not reached, or said no: there is nothing to pay."""
    LEFT = "left"
    """Before anything was answered: nobody here knows what the endpoint made of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedQuestion:
    """A question that a command asked a model, at its end."""

    asked: str
    """The model as the command named it."""
    ending: PassedEnding
    model: str = ""
    """As the endpoint names it; empty where it does not."""
    usage: TokenUsage | None = None
    """None where the answer did not tell, or was left before its end."""


class QuestionListener(Protocol):
    """Hears, in another thread, of each question to a model: before it is sent, and when it has ended."""

    def question_sent(self) -> None:
        """It is about to be sent; what raises here is not sent."""
        ...

    def question_ended(self, question: PassedQuestion) -> None:
        """It was answered, or never will be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _PassableRequest:
    """A request that may be passed on."""

    body: bytes
    asked: str
    """The model; empty for a list of models."""


@dataclass(slots=True, kw_only=True)
class _QuestionExchange:
    """What is known of a request while it is passed on."""

    asked: str
    is_connected: bool = True
    """Whether the endpoint may have got it."""
    response: httpx.Response | None = None
    reader: AnswerReader | None = None

    @property
    def ended(self) -> PassedQuestion:
        """What became of it."""
        if self.response is None:
            ending = PassedEnding.LEFT if self.is_connected else PassedEnding.REFUSED
            return PassedQuestion(asked=self.asked, ending=ending)
        if self.reader is None or not self.response.is_success:
            return PassedQuestion(asked=self.asked, ending=PassedEnding.REFUSED)
        return PassedQuestion(
            asked=self.asked,
            ending=PassedEnding.ANSWERED,
            model=self.reader.model,
            usage=self.reader.usage,
        )


class ModelProxy:
    """The proxy to ``endpoint``, for as long as the ``with`` block runs.

    ``listener`` hears of each question; lists of models are none.
    """

    def __init__(self, endpoint: Endpoint, listener: QuestionListener) -> None:
        self._endpoint = endpoint
        self._listener = listener
        self._folder = tempfile.TemporaryDirectory(prefix="backdate-model-")
        self._path = Path(self._folder.name, "socket")
        self._server = uvicorn.Server(
            uvicorn.Config(
                self._application,
                interface="asgi3",
                access_log=False,
                log_config=None,
                log_level="critical",
                server_header=False,
                proxy_headers=False,
                lifespan="off",
                ws="none",
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_graceful_shutdown=1,
            )
        )
        self._listening = socket.socket(socket.AF_UNIX)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listening]}, name="model proxy", daemon=True
        )
        self._certificates = httpx.create_ssl_context()

    def __enter__(self) -> ModelProxy:
        try:
            self._listening.bind(str(self._path))
            self._path.chmod(0o666)  # the user of the sandbox; the folder is this user's alone
            self._listening.listen(_MOST_CONNECTIONS)
        except OSError as error:
            self._listening.close()
            self._folder.cleanup()
            raise MachineError(f"the proxy to the model cannot listen at {self._path}: {error}") from error
        self._thread.start()
        deadline = time.monotonic() + _START_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.close()
                raise MachineError("the proxy to the model did not start")
            time.sleep(0.002)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every connection."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join()
        self._listening.close()
        self._folder.cleanup()

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What a sandbox has to show."""
        return (Mount(source=self._path, target=_SOCKET), forwarder_mount())

    @staticmethod
    def start_line(interpreter: Path) -> str:
        """The shell line that opens the port inside, by any Python; it has to come first."""
        return forwarder_line(interpreter, _SOCKET, PORT)

    @staticmethod
    def variables() -> dict[str, str]:
        """The environment variables by which clients of OpenAI's interface find the endpoint."""
        url = f"http://127.0.0.1:{PORT}{PREFIX}"
        return {"OPENAI_BASE_URL": url, "OPENAI_API_BASE": url, "OPENAI_API_KEY": PLACEHOLDER}

    async def _application(self, scope: MutableMapping[str, Any], receive: _Receive, send: _Send) -> None:
        """Answer one request (ASGI)."""
        path = endpoint_path(scope["method"], scope["raw_path"], scope["query_string"])
        if isinstance(path, RefusedRequest):
            await _refuse(send, path)
            return
        question = await _question(path, receive)
        if isinstance(question, RefusedRequest):
            await _refuse(send, question)
            return
        passing = asyncio.ensure_future(self._pass_on(scope["method"], path, question, send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            # A command that goes away has no use for the rest of an answer, which may be paid for by length.
            await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED, timeout=_ANSWER_S)
        finally:
            for task in (passing, leaving):
                task.cancel()
            await asyncio.gather(passing, leaving, return_exceptions=True)

    async def _pass_on(self, method: str, path: str, question: _PassableRequest, send: _Send) -> None:
        """Send a request on, and tell of a question to a model before and after."""
        exchange = _QuestionExchange(asked=question.asked)
        if question.asked:
            self._listener.question_sent()
        try:
            await self._exchange(method, path, question.body, send, exchange)
        finally:  # also of one that was cancelled, because the command left or its time was over
            if question.asked:
                self._listener.question_ended(exchange.ended)

    async def _exchange(
        self, method: str, path: str, body: bytes, send: _Send, exchange: _QuestionExchange
    ) -> None:
        """Send a request on with the key, and its answer back without."""
        headers = {
            "accept-encoding": "identity",
            "content-type": "application/json",
            "user-agent": f"backdate/{__version__}",
            "authorization": f"Bearer {self._endpoint.key}",
        }
        url = f"{self._endpoint.base_url}{path}"
        try:
            async with (
                httpx.AsyncClient(
                    follow_redirects=False,
                    timeout=httpx.Timeout(_SILENCE_S, connect=_CONNECT_S),
                    verify=self._certificates,
                ) as client,
                client.stream(method, url, content=body, headers=headers) as response,
            ):
                problem = _unusable(response)
                exchange.response = response
                if problem:
                    await _refuse(send, RefusedRequest(status=502, why=problem))
                    return
                await self._send_answer(response, exchange, send)
        except (httpx.HTTPError, httpx.StreamError) as error:
            exchange.is_connected = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            if exchange.reader is not None:
                raise  # the server cuts the connection: the command must not take a part for the whole
            why = self._endpoint.without_key(one_line(f"{type(error).__name__}: {error}"))
            await _refuse(
                send, RefusedRequest(status=502, why=f"the model's endpoint cannot be reached: {why}")
            )

    async def _send_answer(self, response: httpx.Response, exchange: _QuestionExchange, send: _Send) -> None:
        removal = KeyRemoval("" if self._endpoint.key == NO_KEY else self._endpoint.key)
        reader = exchange.reader = AnswerReader(response.headers.get("content-type", ""))
        headers = [
            (name.encode(), self._endpoint.without_key(response.headers[name]).encode("latin-1", "replace"))
            for name in _PASSED_HEADERS
            if name in response.headers
        ]
        await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
        size = 0
        async for piece in response.aiter_raw():
            size += len(piece)
            if size > _LONGEST_ANSWER:
                raise httpx.StreamError(f"the answer is longer than {_LONGEST_ANSWER:,} bytes")
            reader.feed(piece)
            data = removal.feed(piece)
            if data:
                await send({"type": "http.response.body", "body": data, "more_body": True})
        reader.finish()
        await send({"type": "http.response.body", "body": removal.finish(), "more_body": False})


async def _question(path: str, receive: _Receive) -> _PassableRequest | RefusedRequest:
    data = bytearray()
    more = True
    while more:
        message = await receive()
        data += message.get("body", b"")
        more = message.get("more_body", False)
        if len(data) > LONGEST_BODY:
            return RefusedRequest(status=413, why=f"a request has at most {LONGEST_BODY:,} bytes")
    body = bytes(data)
    asked = asked_model(path, body)
    return asked if isinstance(asked, RefusedRequest) else _PassableRequest(body=body, asked=asked)


async def _left(receive: _Receive) -> None:
    """Return when the sender of a request went away."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _unusable(response: httpx.Response) -> str:
    """Why an answer cannot be passed on; empty when it can."""
    if response.is_redirect:
        return "the model's endpoint redirects elsewhere, which is not followed"
    if response.headers.get("content-encoding", "identity") != "identity":
        return "the model's endpoint compresses its answer, which it was asked not to"
    return ""


async def _refuse(send: _Send, refused: RefusedRequest) -> None:
    error = {"message": f"backdate: {refused.why}", "type": "backdate_proxy", "code": None}
    body = json.dumps({"error": error}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
