"""Environments of trees that nobody vouches for: an answer that is scored, an agent's edits.

What such an environment holds is decided by the environment of the task's own tree: the dependencies are that
one's, and where the project has to be built, its build sees an index of exactly the locked files and no
network. It lies in a folder that is removed; what many share is only read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, LockedDistribution, with_incidents
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.incidents import not_locked
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock import is_local, split_by_origin
from backdate.environments.private_view import PrivateView
from backdate.index.closed import AllowedFiles, FilesServer
from backdate.sandboxes.interface import Limits

T = TypeVar("T")

_OWN = ("records", "wheels")
"""The records of what foreign code had a part in."""
_OF_DRIVER = "references"
"""The records of what backdate itself downloaded: no foreign code had a part in it."""


@dataclass(frozen=True, slots=True)
class ThrowawayCache(Cache):
    """A cache of its own that reads resolutions and layers of the one ``below``, and never writes there."""

    below: Cache

    def read(self, kind: type[T], room: str, key: str) -> T | None:
        """See ``Cache``. Environments are its own alone."""
        found = None if room == _OF_DRIVER else Cache.read(self, kind, room, key)
        return self.below.read(kind, room, key) if found is None and room not in _OWN else found

    def has(self, room: str, key: str) -> bool:
        """See ``Cache``."""
        return Cache.has(self, room, key) or self.below.has(room, key)

    def write(self, room: str, key: str, value: object) -> None:
        """See ``Cache``."""
        if room == _OF_DRIVER:
            self.below.write(room, key, value)
        else:
            Cache.write(self, room, key, value)

    @contextmanager
    def guard(self, key: str) -> Iterator[None]:
        """See ``Cache``: what is made from shared layers waits for whoever makes these."""
        with self.below.guard(key):
            yield

    @property
    def references(self) -> Path:
        """See ``Cache``."""
        return self.below.references

    @property
    def systems(self) -> Path:
        """See ``Cache``."""
        return self.below.systems

    @property
    def logs(self) -> Path:
        """See ``Cache``."""
        return self.below.logs

    @property
    def downloads(self) -> Path:
        """See ``Cache``."""
        return self.below.downloads


class ThrowawayBuilder(AbstractContextManager["ThrowawayBuilder"]):
    """Environments for changed copies of one tree; they are gone with ``folder``."""

    def __init__(
        self,
        builder: Builder,
        given: EnvironmentRequest,
        made: Environment | BuildFailure,
        *,
        locked: tuple[AllowedFiles, ...] | None,
        folder: Path,
        limits: Limits | None = None,
    ) -> None:
        """``given``, ``made``: the environment of the unchanged tree, as ``builder`` makes it.

        ``locked``: what builds may take besides what that environment holds; None for everything as of the
        instant, to see what it takes. ``limits``: of build steps, where they are less than the builder's.
        """
        self._builder = builder
        self._given = given
        self._made = made
        self._locked = locked
        self._limits = limits or builder.steps.limits
        self._cache = ThrowawayCache(folder, builder.cache)
        self._environments: dict[str, Environment | BuildFailure] = {}
        self._stack = ExitStack()
        self._lock = threading.RLock()
        self._closed: Builder | None = None
        self._server: FilesServer | None = None

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def prepare(self, request: EnvironmentRequest) -> Environment | BuildFailure:
        """The environment of a changed tree. Raises as ``Builder.prepare`` does."""
        with self._lock:
            if request.digest == self._given.digest and self._locked is not None:
                return self._made
            if request.digest not in self._environments:
                asked_before = self._withheld()
                answer = self._prepare(request)
                asked_now = sorted(self._withheld() - asked_before)
                self._environments[request.digest] = with_incidents(answer, not_locked(asked_now))
            return self._environments[request.digest]

    @property
    def closed_builder(self) -> Builder:
        """Builds whole environments from the locked files alone."""
        with self._lock:
            if self._closed is None:
                steps = self._builder.steps
                self._server = self._stack.enter_context(
                    FilesServer(
                        None if self._locked is None else (*self._locked, *allowed_by(self._made)),
                        upstream=self._builder.index_url,
                        cache=self._builder.cache.index,
                    )
                )
                self._closed = Builder(
                    self._cache,
                    self._builder.sandbox,
                    index_url=self._server.url,
                    limits=self._limits,
                    layered=False,
                    reference_policy=steps.reference_policy,
                    references_of=self._given,
                )
            return self._closed

    def _withheld(self) -> frozenset[str]:
        return frozenset(() if self._server is None else self._server.withheld)

    def taken(self) -> tuple[AllowedFiles, ...]:
        """The files that builds took from the index; nothing can be built afterwards."""
        if self._server is None:
            return ()
        self._server.stop()
        return self._server.releases(self._server.taken)

    def _prepare(self, request: EnvironmentRequest) -> Environment | BuildFailure:
        made = self._made
        if isinstance(made, BuildFailure) or made.installer:
            return self.closed_builder.prepare(request)
        if made.dependencies is not None:
            return self._upper_layer(request, made)
        if self._locked is not None and not any(is_local(one) for one in made.lock.distributions):
            return replace(made, reused=True)  # it holds nothing of the tree
        return self.closed_builder.prepare(request)

    def _upper_layer(self, request: EnvironmentRequest, made: Environment) -> Environment | BuildFailure:
        resolution = self._builder.resolve(self._given)
        if isinstance(resolution, BuildFailure):
            return resolution
        _, project = split_by_origin(resolution.pylock)
        alone = all(one.source == "." for one in resolution.lock.distributions if is_local(one))
        recording = self._locked is None
        inputs = self._builder.packaging_inputs(request) if alone and not recording else None
        below = made.dependencies
        assert below is not None
        lower = replace(made, key=below.key, root=below.root, dependencies=None, build_s=0.0, reused=True)
        with PrivateView(self._cache) as view:
            build = self._builder.layered_build(request, resolution, below.key, project, inputs, view)
            steps = replace(build.steps, cache=self._cache)
            build = replace(build, finished=FinishedEnvironments(self._cache), steps=steps)
            root = self._cache.built / build.key
            environment = build.derived(root, lower)
            if environment is None:
                closed = self.closed_builder
                build = replace(build, steps=closed.steps)
                made_now = build.make(root, lower, lambda _root: closed.prepare(request))
                return with_incidents(made_now, view.incidents())
        return environment


def allowed_by(made: Environment | BuildFailure) -> tuple[AllowedFiles, ...]:
    """The files of an environment's lock that come from the index."""
    distributions = made.lock.distributions if isinstance(made, Environment) else ()
    return allowed_of(distributions)


def allowed_of(distributions: tuple[LockedDistribution, ...]) -> tuple[AllowedFiles, ...]:
    """The same for locked distributions."""
    return tuple(
        AllowedFiles(name=one.name, version=one.version, hashes=frozenset(one.hashes))
        for one in distributions
        if one.source is None
    )


def files_that_builds_take(
    builder: Builder,
    request: EnvironmentRequest,
    made: Environment | BuildFailure,
    folder: Path,
    build: Callable[[ThrowawayBuilder], Environment | BuildFailure] | None = None,
) -> tuple[AllowedFiles, ...] | BuildFailure:
    """What building ``request`` takes from the index: found by building it once more, in ``folder``.

    ``build``: how it is built with the builder that it is given; None for ``prepare``.
    """
    with ThrowawayBuilder(builder, request, made, locked=None, folder=folder) as throwaway:
        answer = throwaway.prepare(request) if build is None else build(throwaway)
        return answer if isinstance(answer, BuildFailure) else throwaway.taken()
