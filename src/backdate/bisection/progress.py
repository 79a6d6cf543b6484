"""Progress of a bisection: each finding as soon as it is there, and what is known so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from backdate.progress import Event

if TYPE_CHECKING:  # who shows progress of other things imports this module as well
    from backdate.bisection.narrowing import Narrowing
    from backdate.bisection.result import BisectResult, Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectionAdvanced(Event):
    """A bisection begins to search, or has searched one more thing that broke."""

    partial: BisectResult
    """What there is to say if it ended now. Findings are merged and explained only in the end."""
    finding: Finding | None = None
    """What was found just now; None at the beginning, and where a search came to nothing."""
    done: int
    """What was searched so far."""
    remaining: int
    """What is still to be searched. It may grow: behind one breakage another may be hidden."""
    remaining_s: float | None = None
    """How long that will take if it goes on as it went; None as long as nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNarrowed(Event):
    """The search that is under way knows a good and a failing end of its own."""

    narrowing: Narrowing
