"""Options that say which package index is shown, and how; for ``index`` and ``run``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from backdate.errors import UsageError
from backdate.index.policy import Policy, parse_hidden, parse_overrides

Upstream = Annotated[
    list[str] | None,
    typer.Option(
        "--upstream",
        metavar="URL",
        help="Index to serve. Repeat it for further ones, asked for projects that the ones before lack.",
    ),
]
Cache = Annotated[
    Path | None, typer.Option("--cache", metavar="DIR", help="Folder of the cache.", show_default=False)
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no index: serve what is in the cache.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again for every page that is in the cache.")]
Yanked = Annotated[
    str, typer.Option("--yanked", metavar="today|never", help="Show today's yanked flags, or none.")
]
Override = Annotated[
    list[str] | None,
    typer.Option(
        "--override", metavar="NAME=INSTANT", help="Cut this project at another instant (repeatable)."
    ),
]
Hide = Annotated[
    list[str] | None,
    typer.Option(
        "--hide",
        metavar="NAME[>=INSTANT]",
        help="Hide a project, or what it uploaded from then on (repeatable).",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What of the index is shown besides the cut."""

    yanked: Yanked = "today"
    override: Override = None
    hide: Hide = None

    def policy(self) -> Policy:
        """What these options mean. Raises UsageError."""
        return Policy(
            yanked=cast("Literal['today', 'never']", one_of("--yanked", self.yanked, "today", "never")),
            overrides=parse_overrides(self.override or (), words=True),
            hidden=parse_hidden(self.hide or (), words=True),
        )


def default_cache() -> Path:
    """The folder for pages and files of indexes in backdate's own cache."""
    from backdate.environments import cache

    return cache.default_cache() / "index"


def usable_cache(given: Path | None) -> Path:
    """The folder that is named, or the default one. Raises UsageError for one that cannot be a folder.

    One that only cannot be written is used as far as it goes, and the server says so.
    """
    folder = (given or default_cache()).absolute()
    existing = folder
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        raise UsageError(
            f"the cache {folder} cannot be made: {existing} is not a folder; name another with --cache"
        )
    return folder


def one_of(option: str, value: str, *allowed: str) -> str:
    """The value, if it is allowed. Raises UsageError."""
    if value not in allowed:
        raise UsageError(f"{option} {value}: it is one of {', '.join(allowed)}")
    return value
