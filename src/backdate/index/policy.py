"""Visibility rules besides the date: projects with a cutoff of their own, hidden projects, yanks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from backdate.errors import UsageError
from backdate.index.names import is_project_name, normalise
from backdate.timeline.instants import Instant, parse_instant

Hidden: TypeAlias = Instant | None
"""The instant from which a project is hidden; None: always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A server's own rules. Names are normalised."""

    yanked: Literal["today", "never"] = "today"
    """``today`` keeps today's flags (an index publishes no yank times); ``never`` shows nothing as yanked."""
    overrides: Mapping[str, Instant] = field(default_factory=dict)
    """Projects with another cutoff than the instant in the URL."""
    hidden: Mapping[str, Hidden] = field(default_factory=dict)
    """Hidden projects; this takes precedence over any override."""

    def cutoff(self, name: str, instant: Instant | None, overrides: Mapping[str, Instant]) -> Instant | None:
        """The cutoff of the project ``name`` when the URL says ``instant`` (None: today) and ``overrides``.

        Raises ProjectHidden when nothing of it may be shown.
        """
        wanted = overrides.get(name) or self.overrides.get(name) or instant
        if name not in self.hidden:
            return wanted
        until = self.hidden[name]
        if until is None:
            raise ProjectHidden(f"{name!r} is hidden by this server's options")
        return until if wanted is None else min(wanted, until)


class ProjectHidden(UsageError):
    """The server's settings hide this project."""


def parse_overrides(texts: Iterable[str], *, words: bool = False) -> dict[str, Instant]:
    """``NAME=INSTANT`` each. Raises UsageError, InstantError."""
    overrides: dict[str, Instant] = {}
    for text in texts:
        name, sign, instant = text.partition("=")
        if not sign:
            raise UsageError(
                f"{text!r} is no override: write NAME=INSTANT, for example setuptools=2022-01-01"
            )
        overrides[_name(name)] = parse_instant(instant, words=words)
    return overrides


def parse_hidden(texts: Iterable[str], *, words: bool = False) -> dict[str, Hidden]:
    """``NAME`` (hidden always) or ``NAME>=INSTANT`` (what was uploaded from then on). Raises UsageError."""
    hidden: dict[str, Hidden] = {}
    for text in texts:
        name, sign, instant = text.partition(">=")
        hidden[_name(name)] = parse_instant(instant, words=words) if sign else None
    return hidden


def _name(text: str) -> str:
    name = text.strip()
    if not is_project_name(name):
        raise UsageError(f"{name!r} is not a project's name")
    return normalise(name)
