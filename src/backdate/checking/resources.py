"""What checks, set-ups and bisections work with, opened once from ``Settings``."""

from __future__ import annotations

import shutil
import threading
from contextlib import ExitStack
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from backdate.checking.dated_project import Interpreters
from backdate.checking.run_cache import CachedRuns, RunCache
from backdate.checking.settings import Settings
from backdate.environments.cache_use import at_work
from backdate.errors import UsageError
from backdate.projects.project import Project
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.sandboxes.threads import both
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.environments.build import Builder
    from backdate.environments.cache import Cache
    from backdate.index.provided_modules import ProvidedModules
    from backdate.index.upstream import IndexClient
    from backdate.sandboxes.bases import BaseSettings

KEPT_RUNS = 50
"""Older folders of logs are removed from the cache when a new one is made."""


class Resources:
    """The sandbox, the cache, the builder, the interpreters, the index and the run cache.

    Use as a context manager: connections to the index are closed in the end. Safe to share between threads.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        sandbox: Sandbox | None = None,
        builder: Builder | None = None,
        interpreters: Interpreters | None = None,
        bases: BaseSettings | None = None,
    ) -> None:
        """Everything is made from ``settings`` (the defaults where None) unless it is given.

        ``bases``: what base systems with Debian packages are made of; None for the usual. Raises
        SandboxUnavailable when the sandbox cannot be had, MachineError for a cache that cannot be written.
        """
        self.settings = settings or Settings()
        opened = ExitStack()
        self._holds_cache = builder is None  # else whoever made the builder does
        if builder is None:
            sandbox = sandbox or self.settings.open_sandbox()
            # Its first command takes as long as importing what builds.
            both(sandbox.require, lambda: import_module("backdate.environments.build"))
            from backdate.environments.build import Builder

            builder = Builder(
                self.settings.open_cache(),
                sandbox,
                index_url=self.settings.index_url,
                limits=self.settings.build_limits,
                open_network=self.settings.build_network,
            )
            opened.enter_context(at_work(builder.cache))
        self.builder = builder
        self.interpreters = interpreters or Interpreters(
            builder.cache.folder, downloads=self.settings.python_downloads
        )
        self.bases = bases
        self._opened = opened
        self._opening = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the index; once in a while, bring the cache within its bound."""
        from backdate.environments.daily_upkeep import keep_within_bound

        self._opened.close()
        if self._holds_cache:
            keep_within_bound(self.cache)

    @property
    def sandbox(self) -> Sandbox:
        """Isolates every build step and every run of tests."""
        return self.builder.sandbox

    @property
    def cache(self) -> Cache:
        """Holds environments, locks, downloads and what else is made once."""
        return self.builder.cache

    @property
    def limits(self) -> Limits:
        """What one run of tests may use."""
        return self.settings.test_limits

    @property
    def apt(self) -> bool:
        """Whether the Debian packages that a recipe asks for are applied."""
        return self.settings.apt

    @cached_property
    def run_cache(self) -> RunCache:
        """Suite runs that were made before."""
        return RunCache(CachedRuns(self.cache))

    @property
    def index(self) -> IndexClient:
        """The package index, connected to when it is first used."""
        with self._opening:
            return self._index

    @property
    def index_facts(self) -> ProvidedModules:
        """What the index knows of distributions and their modules."""
        with self._opening:
            return self._index_facts

    @cached_property
    def _index(self) -> IndexClient:
        return self._opened.enter_context(self.settings.open_index(self.cache))

    @cached_property
    def _index_facts(self) -> ProvidedModules:
        from backdate.index.provided_modules import ProvidedModules

        return ProvidedModules(self.index, self.cache.folder / "modules")

    def open_project(self, source: str | Path, workdir: Path, *, before: Instant | None) -> Project:
        """The project that ``source`` names, its tree below ``workdir``; see ``open_source``."""
        from backdate.projects.sources.open import open_source

        return open_source(
            str(source),
            workdir=workdir,
            cache=self.cache.downloads,
            index=lambda: self.index,
            before=before,
        )

    def run_folder(self, name: str, started: Instant, keep: Path | None = None) -> Path:
        """The folder for the logs of one call, made now: ``keep``, or one in the cache.

        Those in the cache make room for each other, the oldest first.
        """
        folder = keep
        if folder is None:
            runs = self.cache.folder / "runs"
            runs.mkdir(parents=True, exist_ok=True)
            for old in sorted(path for path in runs.iterdir() if path.is_dir())[: -KEPT_RUNS + 1]:
                shutil.rmtree(old, ignore_errors=True)  # another process may be removing it as well
            folder = runs / f"{started:%Y%m%dT%H%M%S.%f}-{name}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def require_new_folder(folder: Path) -> None:
    """Raise UsageError unless ``folder`` is empty or not there yet: nobody's files are mixed with ours."""
    if folder.is_symlink() or folder.exists():
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; name one that is empty or not there yet")
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is there already and not empty; name another folder")
