"""A model behind an OpenAI-compatible endpoint, used through the ``openai`` package.

The package provides the connection, its errors and the authentication. Its retries are off (ours are limited
by the caller, and counted), and bodies are read here, limited in size and time: the package would parse a
hostile response without limits.
"""

from __future__ import annotations

import importlib
import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from backdate.errors import UsageError
from backdate.models.decoding import one_line, read_completion, read_error
from backdate.models.interface import Answer, Message, ModelFailure, Reply, ToolChoice, ToolDefinition
from backdate.models.model_name import Endpoint
from backdate.models.request import ModelQuestion, make_question, request_body
from backdate.models.retry import Turnstile, read_retry_after, wait_before_next
from backdate.models.settings import ModelSettings
from backdate.models.streaming import StreamedReply

if TYPE_CHECKING:
    import openai

_ERROR_BYTES = 64 * 1024
_STREAM_OVERHEAD = 64
"""The most bytes of a stream for each byte of text: each piece of a few letters has an envelope."""


class _TurnedAway(Exception):
    """An unsuccessful response, raised where its body can still be read within limits."""

    def __init__(self, failure: ModelFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class OpenAIModel:
    """A model at ``endpoint``. Raises UsageError when the ``openai`` package is not installed."""

    def __init__(
        self,
        endpoint: Endpoint,
        settings: ModelSettings | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._endpoint = endpoint
        self._settings = settings or ModelSettings()
        self._sleep = sleep
        self._turnstile = Turnstile(self._settings.patience.requests_per_minute, sleep=sleep)
        self._client, self._errors = _connect(endpoint, self._settings.patience.timeout_s)
        self._lock = threading.Lock()
        self._random = random.Random(0)  # noqa: S311 - it spreads waits, and keeps nothing secret

    @property
    def name(self) -> str:
        """The model's name."""
        return self._endpoint.model

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """See ``Model.ask``."""
        question = make_question(conversation, tools, tool_choice, stop)
        attempt = 0
        while True:
            attempt += 1
            self._turnstile.pass_through()
            answer = self._attempt(question)
            if isinstance(answer, Reply):
                return replace(answer, attempts=attempt)
            with self._lock:
                chance = self._random.random()
            delay_s = wait_before_next(answer, attempt, self._settings.patience, chance)
            if delay_s is None:
                message = self._endpoint.without_key(answer.message)
                return replace(answer, attempts=attempt, message=message)
            self._sleep(delay_s)

    def _attempt(self, question: ModelQuestion) -> Answer:
        """Send one request."""
        body = request_body(self._endpoint.model, self._settings.sampling, question)
        if self._settings.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        deadline = time.monotonic() + self._settings.patience.timeout_s
        began = False
        try:
            with self._client.chat.completions.with_streaming_response.create(
                **{name: value for name, value in body.items() if name in ("model", "messages", "stream")},
                extra_body=body,
            ) as response:
                began = True
                return self._read(response.iter_bytes(), deadline)
        except self._errors as error:
            return self._failure(error, began=began)

    def _read(self, pieces: Iterable[bytes], deadline: float) -> Answer:
        """The reply in the body of a successful response."""
        limit = self._settings.max_answer_bytes
        streamed = StreamedReply(max_bytes=limit) if self._settings.stream else None
        bound = limit * _STREAM_OVERHEAD if streamed else limit
        data, size = bytearray(), 0
        for piece in pieces:
            size += len(piece)
            if size > bound:
                return ModelFailure(
                    kind="answer-too-large", message=f"the reply is longer than {limit:,} bytes"
                )
            if time.monotonic() > deadline:
                return self._timeout()
            if streamed is None:
                data += piece
            elif (failure := streamed.feed(piece)) is not None:
                return failure
        return read_completion(bytes(data)) if streamed is None else streamed.finish()

    def _failure(self, error: BaseException, *, began: bool) -> ModelFailure:
        """The failure for an exception of the client."""
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, _TurnedAway):
                return cause.failure
            if "Timeout" in type(cause).__name__:  # of httpx or httpx2, whichever the package uses
                return self._timeout()
            error, cause = cause, cause.__cause__
        reason = one_line(f"{type(error).__name__}: {error}")
        if began:
            return ModelFailure(kind="stream-broken", message=f"the reply broke off: {reason}")
        return ModelFailure(
            kind="endpoint-down", message=f"{self._endpoint.base_url} cannot be reached: {reason}"
        )

    def _timeout(self) -> ModelFailure:
        return ModelFailure(
            kind="timeout", message=f"no whole reply within {self._settings.patience.timeout_s:g} s"
        )


def _connect(endpoint: Endpoint, timeout_s: float) -> tuple[openai.OpenAI, tuple[type[BaseException], ...]]:
    """The client, and every error that it raises because of an endpoint."""
    try:
        import openai
    except ImportError as error:
        raise UsageError(
            "asking a model needs the openai package; run: python -m pip install 'backdate[models]'"
        ) from error

    def turn_away(response: Any) -> None:
        """Read the body of an unsuccessful response within limits: the package would read all of it."""
        if 200 <= response.status_code < 300:
            return
        data = bytearray()
        deadline = time.monotonic() + timeout_s
        for piece in response.iter_bytes():
            data += piece
            if len(data) > _ERROR_BYTES or time.monotonic() > deadline:
                break
        wait_s = read_retry_after(dict(response.headers), datetime.now(UTC))
        raise _TurnedAway(read_error(response.status_code, bytes(data[:_ERROR_BYTES]), retry_after_s=wait_s))

    client = openai.OpenAI(
        api_key=endpoint.key,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=timeout_s,
        # A redirect would carry the conversation to an address that nobody named.
        http_client=openai.DefaultHttpxClient(
            event_hooks={"response": [turn_away]}, follow_redirects=False, timeout=timeout_s
        ),
    )
    return client, (_TurnedAway, openai.OpenAIError, *_transport_errors())


def _transport_errors() -> tuple[type[Exception], ...]:
    # openai 3 reads through httpx2, earlier ones through httpx; an error while a body is read is theirs.
    errors: list[type[Exception]] = []
    for name in ("httpx", "httpx2"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        errors += [module.HTTPError, module.StreamError, module.InvalidURL]
    return tuple(errors)
