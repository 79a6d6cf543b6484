"""What a solver answers about a snippet, and what a run was made with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from backdate.serial import digest
from backdate.snippets.questions.prompts import PROMPT_VERSION
from backdate.snippets.snippet import Snippet, SnippetAsk
from backdate.timeline.instants import Instant

SNIPPET_RUN_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetReply:
    """What came of one question."""

    text: str = ""
    """As it was answered; empty with a ``problem``."""
    problem: str = ""
    """Why there is no answer: the failure's kind of a model ("timeout"), "not-derivable", "no-line"."""
    detail: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    """As the endpoint calls it."""
    again: bool = False
    """Whether another attempt may give another answer: a model failed."""
    final: bool = False
    """Whether no further question can be answered either (a wrong key): the run stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetAnswer:
    """One line of a run's answers."""

    snippet: str
    ask: SnippetAsk
    sample: int
    """From 0."""
    reply: SnippetReply
    seconds: float = 0.0

    @property
    def place(self) -> tuple[str, SnippetAsk, int]:
        """What it answers."""
        return self.snippet, self.ask, self.sample


class SnippetSolver(Protocol):
    """One way to answer questions about snippets. Safe to share between threads."""

    @property
    def name(self) -> str:
        """As users name it: "gold", "model:NAME", …"""
        ...

    @property
    def deterministic(self) -> bool:
        """Whether every sample would be the same: it is asked once."""
        ...

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:
        """Answer one question."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetRunSettings:
    """What the answers depend on."""

    solver: str
    samples: int = 1
    asks: tuple[SnippetAsk, ...] = tuple(SnippetAsk)
    temperature: float | None = 0.0
    """Of ``model:``."""
    seed: int | None = 0
    """Of the first sample; the next ones count on."""
    prompts: int = PROMPT_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetRunInfo:
    """``snippet_run.json``."""

    format: int = SNIPPET_RUN_FORMAT
    settings: SnippetRunSettings
    dataset: str
    """The data set's name."""
    dataset_digest: str
    snippets: tuple[str, ...]
    """Ids of all that were asked about, in order."""
    started: Instant
    backdate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetQuestion:
    """One thing that is asked of a solver."""

    snippet: Snippet
    ask: SnippetAsk
    sample: int

    @property
    def place(self) -> tuple[str, SnippetAsk, int]:
        """As of ``SnippetAnswer``."""
        return self.snippet.id, self.ask, self.sample


def questions_of(snippets: Iterable[Snippet], settings: SnippetRunSettings) -> tuple[SnippetQuestion, ...]:
    """All questions of a run, in their order: what a snippet cannot be asked is left out."""
    return tuple(
        SnippetQuestion(snippet=snippet, ask=ask, sample=sample)
        for snippet in snippets
        for ask in settings.asks
        if ask in snippet.asks
        for sample in range(settings.samples)
    )


def snippets_digest(snippets: Sequence[Snippet]) -> str:
    """The digest of what is asked: not of what verifying found."""
    return digest(
        *((each.id, each.code, each.entry, each.origin, each.target, each.harness) for each in snippets)
    )
