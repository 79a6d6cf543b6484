"""Count calls, tokens and failures."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backdate.models.interface import (
    Answer,
    Message,
    Model,
    Reply,
    TokenUsage,
    ToolChoice,
    ToolDefinition,
)
from backdate.models.prices import Prices


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A run's use of one model."""

    calls: int = 0
    """Answers asked for, including failures and those from our own cache."""
    attempts: int = 0
    """Requests sent for them."""
    remembered: int = 0
    """Answers from our own cache."""
    failures: tuple[tuple[str, int], ...] = ()
    """(kind of failure, count), by name."""
    usage: TokenUsage = field(default_factory=TokenUsage)
    """Tokens of the answers that an endpoint gave in this run."""
    remembered_usage: TokenUsage = field(default_factory=TokenUsage)
    """Tokens that the answers from our own cache took originally."""
    uncounted: int = 0
    """Answers of this run without token counts: ``usage`` does not include them."""

    def adding(self, answer: Answer) -> Account:
        """The usage including ``answer``."""
        account = replace(self, calls=self.calls + 1)
        if isinstance(answer, Reply) and answer.from_cache:
            return replace(
                account,
                remembered=self.remembered + 1,
                remembered_usage=self.remembered_usage + (answer.usage or TokenUsage()),
            )
        account = replace(
            account,
            attempts=self.attempts + answer.attempts,
            usage=self.usage + (answer.usage or TokenUsage()),
        )
        if isinstance(answer, Reply):
            return replace(account, uncounted=self.uncounted + (answer.usage is None))
        counts = dict(self.failures)
        counts[answer.kind] = counts.get(answer.kind, 0) + 1
        return replace(account, failures=tuple(sorted(counts.items())))


_MAY_HAVE_COST = ("timeout", "stream-broken", "answer-too-large", "bad-answer")
"""Failures after which an endpoint may have counted tokens without reporting them."""


def cost_of(answer: Answer, model: str, prices: Prices) -> float | None:
    """The cost of one answer in the currency of ``prices``; 0 from our own cache. None: unknown."""
    if isinstance(answer, Reply):
        return 0.0 if answer.from_cache else prices.cost(model, answer.usage)
    if answer.usage is None and answer.kind not in _MAY_HAVE_COST:
        return 0.0
    return prices.cost(model, answer.usage)


class CountingModel:
    """``model``, counting what is asked through this object."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._account = Account()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    @property
    def account(self) -> Account:
        """The usage so far."""
        return self._account

    def ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """See ``Model.ask``."""
        answer = self._model.ask(conversation, tools=tools, tool_choice=tool_choice, stop=stop)
        with self._lock:
            self._account = self._account.adding(answer)
        return answer
