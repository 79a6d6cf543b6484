"""Settings of a session, and options of a set-up."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from backdate.configuration.configuration import NO_CONFIGURATION, Configuration
from backdate.environments import uv
from backdate.environments.build_limits import BUILD_LIMITS
from backdate.environments.cache import Cache, default_cache
from backdate.errors import UsageError
from backdate.recipes.sources.kinds import ALL_SOURCES, SourceKind
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.index.upstream import IndexClient
    from backdate.recipes.adviser.interface import Adviser


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where things are kept, what isolates them, and what they may use.

    Whatever works with a cache, a sandbox or an index opens it here or in a ``Session``, so that the same
    settings mean the same everywhere.
    """

    cache: Path = field(default_factory=default_cache)
    """A folder, which is made when it is first needed. (A text is taken for a path, also for ``keep``.)"""
    sandbox: str = "bwrap"
    index_url: str = uv.DEFAULT_INDEX
    test_limits: Limits = field(default_factory=Limits)
    build_limits: Limits = BUILD_LIMITS
    keep: Path | None = None
    """Where to keep trees, logs, patch and result: a folder that is empty or not there yet. None for
    a folder in the cache, which is cleaned after a while and keeps no trees."""
    apt: bool = False
    """Whether the Debian packages that a recipe asks for are applied, in a base system of their own, as they
    are today (see ``sandboxes/bases.py``); where not they are listed in the notes."""
    services: bool = True
    """Whether the services that a recipe wants (databases, brokers) are started in the sandbox of its tests,
    where the system there has them (see ``sandboxes/services``)."""
    build_network: bool = False
    """Whether builds get the whole network, not only the package index (``docs/how-it-works/sandbox.md``)."""
    store: bool = True
    """Whether proven recipes are kept and looked up (see ``recipe_store.py``)."""
    python_downloads: bool = True
    """Whether uv may download interpreters that this machine lacks."""
    repeats: int = 1
    """How often a check runs what broke again, to tell flaky tests (``repeats.py``); 0 for not at all."""
    configuration: Configuration = NO_CONFIGURATION
    """What the user wrote, or trusts, about recipes and rights: it goes before what a project's files say."""

    def __post_init__(self) -> None:
        """Raise UsageError for an index that is not on the web, and for folders that are no paths."""
        object.__setattr__(self, "cache", _folder("cache", self.cache))
        if self.keep is not None:
            object.__setattr__(self, "keep", _folder("keep", self.keep))
        if self.repeats < 0:
            raise UsageError(f"repeats is a number of runs, 0 or more, not {self.repeats}")
        from backdate.index.credentials import NO_CREDENTIALS, has_credentials

        if has_credentials(self.index_url):
            host = self.index_url.rpartition("@")[2]
            raise UsageError(f"the address of the index at {host} {NO_CREDENTIALS}")
        parts = urlsplit(self.index_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"{self.index_url!r} is not the address of a package index, such as {uv.DEFAULT_INDEX}"
            )

    def open_cache(self) -> Cache:
        """The cache, made where it is missing. Raises MachineError for one that cannot be written."""
        return Cache(self.cache)

    def open_sandbox(self) -> Sandbox:
        """The sandbox, which nobody has asked yet if it is available. Raises UsageError for another name."""
        return choose_sandbox(self.sandbox)

    def open_index(self, cache: Cache) -> IndexClient:
        """A connection to the index, whose pages are kept in ``cache``. Use as a context manager."""
        from backdate.index.upstream import open_index

        return open_index(self.index_url, cache.index)


def _folder(name: str, value: object) -> Path:
    """``value`` as a path that stays the same when the working directory changes."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise UsageError(f"{name} is a path, not {type(value).__name__}: {value!r:.100}")
    if not os.fspath(value):
        raise UsageError(f"{name} is empty, and names no folder")
    return Path(os.fspath(value)).absolute()


AUDITED_TESTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """How far the audit of a check goes: whether its tests assert something (``checking/audit.py``)."""

    tests: int | None = AUDITED_TESTS
    """Test functions that are changed at most; None for all."""
    seed: int | None = None
    """Decides which they are; None for a new seed, which the result records."""


LEAST_PASSING = 0.1
"""The part of the tests that ran which has to pass on the old side, before nothing broke: where nearly all
fail on both sides, those that pass say little of the project."""
ACCEPT = 0.95
"""The part of the tests that ran which has to pass, so that a recipe is proven."""
MOST_ATTEMPTS = 16
ROUNDS = 4
ADVISED_SHARE = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupOptions:
    """How far a set-up goes, and which of its parts take part (the ablation of SetupAgent, table 4)."""

    accept: float = ACCEPT
    """The part of the tests that ran which has to pass, 0 to 1."""
    rounds: int = ROUNDS
    """Repairs of one candidate, each tried from clean; 0 for none."""
    attempts: int = MOST_ATTEMPTS
    """Recipes that are run at most, over all candidates."""
    begin_within_s: float = 3600.0
    """Seconds after which no further recipe is begun: each may run into its time limits."""
    advised_share: float = ADVISED_SHARE
    """The part of attempts and seconds that the rules leave to an adviser, where there is one, 0 to 1."""
    sources: Collection[SourceKind] = ALL_SOURCES
    """The kinds of files that recipes are read from."""
    adviser: Adviser | None = None
    """The adviser of one set-up."""
    adviser_at: Callable[[Instant], Adviser] | None = None
    """Makes the adviser of each set-up, from its instant."""

    @property
    def attempts_of_rules(self) -> int:
        """Recipes that are run at most without advice: at least one, and one less than all."""
        if self.adviser is None:
            return self.attempts
        kept = max(1, round(self.attempts * self.advised_share)) if self.advised_share else 0
        return max(1, self.attempts - kept)

    @property
    def begin_rules_within_s(self) -> float:
        """Seconds after which no further recipe is begun without advice."""
        return self.begin_within_s * (1.0 if self.adviser is None else 1.0 - self.advised_share)
