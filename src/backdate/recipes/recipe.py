"""A recipe: how a project is installed and tested, as data, each part with where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from backdate.sandboxes.services.wanted import WantedService
from backdate.timeline.instants import Instant

NOSE_SETUPS = "BACKDATE_NOSE_SETUPS"
"""The variable of a plan whose plain classes have what nose calls around tests, and pytest does not."""

STAND_IN_SETTINGS = "backdate_capture_settings"
"""The settings that backdate brings for an application of Django without any."""
STAND_IN_APPS, STAND_IN_URLS = "BACKDATE_DJANGO_APPS", "BACKDATE_DJANGO_URLS"
"""The variables that they read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Why a step is in a recipe."""

    rule: str
    """The rule, in a few words: "test requirements file", "extra named like a test extra"."""
    file: str | None = None
    """The file, relative to the project's root with forward slashes, that the rule read."""
    line: int | None = None
    """The line in ``file``, counted from 1."""
    text: str | None = None
    """The command as it is written there; None for a rule that reads no command."""

    @property
    def location(self) -> str:
        """For people: ``tox.ini:12``; empty when no file was read."""
        return f"{self.file}:{self.line}" if self.file and self.line else self.file or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallStep:
    """One thing to install. All steps of a recipe are resolved together."""

    kind: Literal["requirements", "constraints", "project", "packages"]
    """``requirements``/``constraints``: a file in pip's format. ``project``: the project itself.
    ``packages``: requirements written out, such as those of a dependency group: PEP 508, or the bare
    address of a repository or archive, which pip and uv take too."""
    file: str | None = None
    """For ``requirements`` and ``constraints``: the file, relative to the root.
    For ``project``: the folder that holds its pyproject.toml or setup.py, "." as a rule."""
    extras: tuple[str, ...] = ()
    """For ``project``."""
    packages: tuple[str, ...] = ()
    """For ``packages``."""
    editable: bool = False
    """For ``project``: the project asks to be installed in place (``pip install -e``)."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePlan:
    """How the suite is run."""

    __test__ = False  # not a test class, whatever its name

    runner: Literal["pytest", "unittest", "django", "program", "script"]
    """``program``: a Python file of the project's own that runs its tests by one of those before it.
    ``script``: a shell script that does, as published tasks have."""
    targets: tuple[str, ...] = ()
    """pytest: files and folders, none for the project's own configuration. unittest: dotted module
    names. django: labels. program, script: the file. All relative to ``cwd``."""
    arguments: tuple[str, ...] = ()
    """Further arguments for the runner."""
    cwd: str = "."
    """Where the runner starts, relative to the project's root."""
    environment: tuple[tuple[str, str], ...] = ()
    """Further environment variables."""
    asked: bool = False
    """Whether a person named the runner and what it runs (``configuration/``): no repair takes others."""
    asked_arguments: tuple[str, ...] = ()
    """Those of ``arguments`` that a person named: no repair leaves them out."""
    provenance: Provenance

    def is_kept_by(self, other: SuitePlan) -> bool:
        """Whether ``other`` runs what a person asked for here; always where nobody asked for anything."""
        if self.asked and (other.runner, other.targets) != (self.runner, self.targets):
            return False
        others = list(other.arguments)
        return all(argument in others for argument in self.asked_arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredPythons:
    """The interpreters that a source of recipes names."""

    versions: tuple[str, ...]
    """As written, CPython only, oldest first: ``("3.7", "3.8")``."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPackages:
    """Packages that a recipe needs from the operating system, or from conda."""

    manager: Literal["apt", "conda"]
    """Whose names these are. Those of conda are only ever listed, never installed."""
    packages: tuple[str, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One environment variable, for the install steps and, as a rule, for the tests."""

    name: str
    value: str
    """``PROJECT_FOLDER`` stands for the folder that holds the project, wherever that is."""
    builds_only: bool = False
    """Whether it stands in front of an install command (``NAME=value pip install .``), unseen by tests."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConstraint:
    """A limit on what an isolated build (PEP 517) may install, such as its setuptools or Cython."""

    requirement: str
    """PEP 508, without extras: ``setuptools<58``. It installs nothing."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequirement:
    """A requirement of a distribution's isolated build that the distribution does not declare."""

    distribution: str
    """Whose build it is, normalised (PEP 503)."""
    requirement: str
    """PEP 508."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterCut:
    """A distribution with a later cutoff: its files may be newer than the instant."""

    name: str
    """Normalised (PEP 503)."""
    until: Instant
    """Its cutoff; without effect at instants that are not earlier."""
    provenance: Provenance


PROJECT_FOLDER = "/PROJECT"
"""Stands for the project's folder in paths and values that a project's own files build from it."""


MOST_PLANS = 8
"""Test commands of a recipe that are run; the rest is left out, and the run says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a project is installed and tested."""

    install: tuple[InstallStep, ...]
    test: SuitePlan
    further_tests: tuple[SuitePlan, ...] = ()
    """Further test commands of the same source, run after ``test`` in this order."""
    interpreter: DeclaredPythons | None = None
    system: tuple[SystemPackages, ...] = ()
    variables: tuple[Variable, ...] = ()
    """With where each was set. A test plan's own ``environment`` holds them too, ready for use."""
    build_constraints: tuple[BuildConstraint, ...] = ()
    build_requirements: tuple[BuildRequirement, ...] = ()
    extra_cutoff_overrides: tuple[LaterCut, ...] = ()
    services: tuple[WantedService, ...] = ()
    """What its tests expect to be running."""
    locales: tuple[str, ...] = ()
    """What its tests set beside C.UTF-8, "en_US" (in UTF-8)."""
    provenance: Provenance | None = None
    """Where the recipe as a whole was read; None for a recipe that was written by hand."""


class SkipKind(StrEnum):
    """Why an instruction is not followed, as far as anything depends on it."""

    NOT_FOLLOWED = "not-followed"
    """It may be needed, but could not be read, is unknown, or is for another system."""
    OTHER_COMMAND = "other-command"
    """It neither installs nor tests."""
    AROUND_TESTS = "around-tests"
    """A tool that runs or reports around the tests."""
    METADATA = "metadata"
    """The project's metadata cannot be read, so that nothing that they say is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedInstruction:
    """Something that a project's files say about installing or testing, and that is not followed."""

    reason: str
    """In one line."""
    kind: SkipKind = SkipKind.NOT_FOLLOWED
    provenance: Provenance


def unread_metadata(reason: str, file: str | None = None) -> SkippedInstruction:
    """The project's metadata, or one file of them, that cannot be read."""
    provenance = Provenance(rule="the project's metadata", file=file)
    return SkippedInstruction(reason=reason, kind=SkipKind.METADATA, provenance=provenance)
