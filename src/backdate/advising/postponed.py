"""Questions to environments that are noted and asked together: each run of a probe imports libraries anew."""

from __future__ import annotations

from dataclasses import dataclass, field


class NotAskedYet(Exception):
    """A question was noted instead of being asked; what needs its answer is done again later."""


@dataclass(slots=True)
class PostponedQuestions:
    """What was noted, in the order in which it was wanted."""

    old: dict[str, None] = field(default_factory=dict)
    """Names whose members in the old environment are wanted."""
    new: dict[str, None] = field(default_factory=dict)
    homes: dict[str, None] = field(default_factory=dict)
    """Names whose other names and documentation are wanted."""
    owners: dict[str, dict[str, None]] = field(default_factory=dict)
    """By side, modules and classes whose members are wanted."""
    searches: dict[tuple[str, ...], dict[str, None]] = field(default_factory=dict)
    """By the packages that are searched besides, the names that are looked for."""

    def __bool__(self) -> bool:
        return any((self.old, self.new, self.homes, self.owners, self.searches))
