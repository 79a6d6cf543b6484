"""How far a search came that was interrupted, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """What tests pass with, and what they fail with, as far as a search knew when it was interrupted."""

    tests: tuple[str, ...]
    python: str
    """The interpreter of both."""
    held: tuple[str, ...] = ()
    """Constraints that hold back the culprits in front of what is searched for."""
    name: str = ""
    """The distribution whose versions were searched, normalised; "" where all packages moved over time."""
    good: str = ""
    """The newest version of it that is known to be good, with all others the newest."""
    bad: str = ""
    """The oldest version above it that is known to fail."""
    last_good: Instant | None = None
    """Where all packages moved: the latest instant that is known to be good."""
    first_bad: Instant | None = None
    """The earliest one after it that is known to fail."""
