"""The interface of a model: it continues a conversation, or returns why it did not.

The terms are those of OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most providers use, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

FailureKind: TypeAlias = Literal[
    "timeout",
    "rate-limited",
    "quota-used-up",
    "refused",
    "context-too-long",
    "bad-answer",
    "answer-too-large",
    "endpoint-down",
    "stream-broken",
    "unauthorised",
    "no-such-model",
    "request-rejected",
]
"""Why there is no reply. ``timeout``: none in the time allowed. ``rate-limited``: too many requests, also
after waiting. ``quota-used-up``: the account's. ``refused``: the endpoint's content rules.
``context-too-long``: the conversation does not fit the model. ``bad-answer``: not a chat completion.
``answer-too-large``: beyond the limit. ``endpoint-down``: not reachable, or errors of its own (5xx).
``stream-broken``: it began to answer and stopped. ``unauthorised``: the key is missing or wrong.
``no-such-model``: unknown name or address.
``request-rejected``: any other 4xx, such as a parameter that the model does not take."""

FinishReason: TypeAlias = Literal["stop", "tool-calls", "length", "content-filter", "unknown"]
ToolChoice: TypeAlias = Literal["auto", "required", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool call that the model asks for."""

    id: str
    name: str
    """As the model wrote it: the tool may not exist."""
    arguments: str
    """As the model wrote them: meant to be a JSON object, and may be anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls of an assistant's turn."""
    tool_call_id: str | None = None
    """For a tool's turn: the id of the call that it answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool that a model may call natively."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens as the endpoint counted them."""

    prompt_tokens: int = 0
    """Of the whole conversation, cached ones included."""
    completion_tokens: int = 0
    """Reasoning included."""
    cached_tokens: int = 0
    """Those of the prompt that the endpoint had in its own cache."""

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer of a model."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    """Its reasoning beside the answer, where the endpoint returns that."""
    refusal: str | None = None
    """Why the model itself refused to answer; "" when it did not refuse."""
    finish_reason: FinishReason = "unknown"
    usage: TokenUsage | None = None
    """None when the endpoint did not count."""
    model: str = ""
    """The model as the endpoint calls it, often with a date."""
    attempts: int = 1
    """How many requests it took."""
    from_cache: bool = False
    """Whether this is an earlier answer from our own cache: nothing was paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFailure:
    """Why there is no reply, after all attempts."""

    kind: FailureKind
    message: str
    """In one line, without any key."""
    status: int | None = None
    """The HTTP status, if there was one."""
    attempts: int = 1
    usage: TokenUsage | None = None
    """Tokens that were counted nevertheless."""
    retry_after_s: float | None = None
    """Seconds that the endpoint asked us to wait."""

    @property
    def is_final(self) -> bool:
        """Whether no other request can succeed either: a caller with many requests should stop."""
        return self.kind in ("unauthorised", "no-such-model", "quota-used-up")

    def after(self, attempts: int) -> ModelFailure:
        """The same, having asked that often."""
        return replace(self, attempts=attempts)


Answer: TypeAlias = Reply | ModelFailure


class Model(Protocol):
    """Something that continues a conversation. Safe to share between threads."""

    @property
    def name(self) -> str:
        """The model's name, as it was asked for and as price files know it."""
        ...

    def ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """The next turn, or why there is none. Never raises because of an endpoint.

        ``tool_choice`` counts only with ``tools``; ``stop``: texts (at most four) that end the reply.
        """
        ...
