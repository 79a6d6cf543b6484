"""Environments by version: a side's requirements as of its instant, or an interpreter as it is installed."""

from __future__ import annotations

import tempfile
import threading
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from backdate.checking.build_environment import packages_request
from backdate.checking.recipe_run import base_with
from backdate.checking.resources import Resources
from backdate.diagnosis.api import AskedPython
from backdate.environments.environment import BuildFailure
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.steps import Resolution
from backdate.errors import InterpreterMissing
from backdate.mining.prove_standard_library import InstalledPython, installed_pythons
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.python_constraint import read_python_constraint
from backdate.sandboxes.interface import BaseSystem
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.system_libraries import locked_releases, packages_for, pinned_releases
from backdate.snippets.warm.runner import NoSnippetEnvironment
from backdate.text import first_line, version_numbers
from backdate.timeline.instants import now


class SnippetEnvironments:
    """Makes each environment once. Safe to share between threads."""

    def __init__(self, resources: Resources, *, progress: Reporter = NO_PROGRESS) -> None:
        """``resources``: the builder, the index and the interpreters that are used."""
        self._resources = resources
        self._progress = progress
        self._made: dict[SnippetSide, AskedPython | NoSnippetEnvironment] = {}
        self._guard = threading.Lock()
        self._guards: defaultdict[SnippetSide, threading.Lock] = defaultdict(threading.Lock)

    def of(self, side: SnippetSide) -> AskedPython | NoSnippetEnvironment:
        """The environment of ``side``, made once. Raises SandboxUnavailable and IndexUnavailable."""
        with self._guard:
            guard = self._guards[side]
        with guard:
            if side not in self._made:
                self._made[side] = self._make(side)
            return self._made[side]

    def _make(self, side: SnippetSide) -> AskedPython | NoSnippetEnvironment:
        if side.not_had:
            return NoSnippetEnvironment(why=side.not_had)
        try:
            return self._built(side) if side.requirements else self._installed(side.python)
        except InterpreterMissing as error:
            return NoSnippetEnvironment(why=first_line(str(error)))

    def _installed(self, python: str) -> AskedPython:
        """The interpreter alone. Raises InterpreterMissing."""
        major, minor = version_numbers(python)[:2]
        with self._guard:  # looking for them writes what was found
            found = installed_pythons(self._resources).get((major, minor))
        if found is not None:
            return found
        if major < 3:
            raise InterpreterMissing(f"no Python {python} is on this machine; install one with pyenv")
        with tempfile.TemporaryDirectory(prefix="backdate-snippets-") as temporary:
            constraint = read_python_constraint(Path(temporary))
            interpreter = self._resources.interpreters.choose(constraint, now(), forced=python).interpreter
        return InstalledPython(python=interpreter.executable, root=interpreter.prefix)

    def _built(self, side: SnippetSide) -> AskedPython | NoSnippetEnvironment:
        """An environment with the side's requirements. Raises InterpreterMissing."""
        with tempfile.TemporaryDirectory(prefix="backdate-snippets-") as temporary:
            request = packages_request(
                side.requirements,
                Path(temporary),
                side.instant or now(),
                self._resources.interpreters,
                side.python,
            )
            based = self._in_base(side, request)
            if isinstance(based, NoSnippetEnvironment):
                return based
            built = self._resources.builder.prepare(based, progress=self._progress)
        if isinstance(built, BuildFailure):
            named = ", ".join(side.requirements)
            return NoSnippetEnvironment(why=f"{named} cannot be installed: {first_line(built.message)}"[:500])
        return built

    def _in_base(
        self, side: SnippetSide, request: EnvironmentRequest
    ) -> EnvironmentRequest | NoSnippetEnvironment:
        """``request`` in a base system with what its distributions load, where the settings ask for those."""
        if not self._resources.apt:
            return request
        resolved = self._resources.builder.resolve(request)
        releases = (
            locked_releases(resolved.lock)
            if isinstance(resolved, Resolution)
            else pinned_releases(side.requirements)
        )
        packages = packages_for(releases)
        base = base_with(packages, self._resources)
        if base is not None and not isinstance(base, BaseSystem):
            return NoSnippetEnvironment(why=f"no system with {', '.join(packages)}: {base.message}"[:500])
        return replace(request, base=base)
