"""Settings of a model: sampling, patience and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Everything that decides the reply besides the conversation. The default is greedy decoding."""

    temperature: float | None = 0.0
    """None: not sent, for models that do not take it."""
    seed: int | None = 0
    """Another seed gives another sample, also in our own cache. None: not sent."""
    top_p: float | None = None
    max_tokens: int | None = None
    """The longest reply, in tokens."""
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The endpoint's name for it: OpenAI's reasoning models accept only the second."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request, such as ``reasoning_effort``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Time limits, attempts and delays of requests."""

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
    """All settings of one model."""

    sampling: Sampling = field(default_factory=Sampling)
    patience: Patience = field(default_factory=Patience)
    stream: bool = False
    """Whether replies are streamed: some gateways close a connection that is silent for long."""
    max_answer_bytes: int = 1_000_000
    """A longer reply is an ``answer-too-large``; reading stops there."""
