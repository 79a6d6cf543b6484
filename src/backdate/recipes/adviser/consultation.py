"""The questions to an adviser, the results and the cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from backdate.models.interface import FailureKind
from backdate.models.usage import Account

Strategy: TypeAlias = Literal["setupagent", "timemachine"]
Phase: TypeAlias = Literal[
    "files", "links", "web", "commands", "classify", "repair", "interpreter-range", "script"
]
Ending: TypeAlias = Literal[
    "answered", "corrected", "wrong-format", "loop", "undecidable", "refused", "out-of-calls", "nothing-read"
]
"""``corrected``: understood only after the wrong format was pointed out. ``wrong-format``: wrong then too.
``loop``: the same as before, word for word or in what it would do. ``undecidable``: the model's own verdict.
``refused``: the model did not want to. ``out-of-calls``: the budget was used up before. ``nothing-read``: an
external page that was not read, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One question to the model, and how it ended."""

    phase: Phase
    ending: Ending | FailureKind
    detail: str = ""
    """In one line: the answer, or why it cannot be used."""
    prompt_tokens: int | None = None
    """Of all calls for it; None when the endpoint did not count."""
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consultation:
    """Everything that an adviser was asked in one set-up."""

    model: str
    strategy: Strategy
    exchanges: tuple[Exchange, ...] = ()
    account: Account = field(default_factory=Account)
    cost: float | None = None
    """What the answers given now cost, in ``currency``; None: unknown, which a part of it makes the whole."""
    currency: str | None = None
    """None without a price file."""
