"""Progress events of set-ups: which attempt is under way, and why."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.progress import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptStarted(Event):
    """A recipe is tried from a clean start; the stages of its environment follow."""

    subject: str
    """The environment, as in ``StageEntered``."""
    number: int
    """From 1, over all candidates."""
    most: int
    """How many are tried at most."""
    reason: str
    """The source of the recipe, or what was changed in it and why."""
    python: str
    """The interpreter's version."""
