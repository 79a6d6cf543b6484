"""How many uses of changed names were found, and what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from backdate.construction.snippet.reasons import SnippetReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonOfUses:
    """One reason, and how many uses became no snippet for it."""

    reason: SnippetReason
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetFunnel:
    """The uses of one build."""

    names: int
    """Changed names that were looked for."""
    names_from_rules: int
    names_mined: int
    names_asked: int
    names_unchanged: int
    """Names of rules that both environments have alike."""
    archives: int
    archives_refused: int
    """For their licence, their size, or damage, or because the index has none of that time."""
    found: int
    """Uses in functions, tests and examples."""
    dropped: tuple[ReasonOfUses, ...]
    """The most frequent first."""
    kept: int
    names_kept: int
    asked_of_model: int = 0
    """Names of which a model was asked for a function."""
    written_by_model: int = 0
    """Those of them that are among ``kept``."""


def counted(reasons: Iterable[SnippetReason]) -> tuple[ReasonOfUses, ...]:
    """The reasons with their counts, the most frequent first."""
    counts = Counter(reasons)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].value))
    return tuple(ReasonOfUses(reason=reason, count=count) for reason, count in ordered)
