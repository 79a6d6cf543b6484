"""How a model is asked: sampling, patience and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """What decides the reply, besides the conversation. The default is greedy decoding."""

    temperature: float | None = 0.0
    """None: not sent, for models that do not take it."""
    seed: int | None = 0
    """Sent to the endpoint; another seed is another sample, in our own cache too. None: not sent."""
    top_p: float | None = None
    max_tokens: int | None = None
    """The longest reply, in tokens."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the endpoint calls it: OpenAI's reasoning models know only the second."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request, such as ``reasoning_effort``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long and how often an endpoint is asked."""

    timeout_s: float = 300.0
    """For one attempt, from its start to the reply's last byte."""
    attempts: int = 5
    first_delay_s: float = 1.0
    """Before the second attempt; doubled for each further one."""
    max_delay_s: float = 60.0
    """The longest single wait. An endpoint that asks for more (Retry-After) is not asked again."""
    requests_per_minute: float | None = None
    """Shared by all threads that use the model; None: no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """All that is decided once for a model."""

    sampling: Sampling = field(default_factory=Sampling)
    patience: Patience = field(default_factory=Patience)
    stream: bool = False
    """Whether the reply is asked for piece by piece: some gateways cut a long silence."""
    max_answer_bytes: int = 1_000_000
    """A longer reply is an ``answer-too-large``; reading stops there."""
