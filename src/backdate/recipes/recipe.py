"""A recipe: how a project is installed and tested, as data, each part with where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Why a step is in a recipe."""

    rule: str
    """The rule, in a few words: "test requirements file", "extra named like a test extra"."""
    file: str | None = None
    """The file, relative to the project's root with forward slashes, that the rule read."""
    line: int | None = None
    """The line in ``file``, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallStep:
    """One thing to install. All steps of a recipe are resolved together."""

    kind: Literal["requirements", "constraints", "project", "packages"]
    """``requirements``/``constraints``: a file in pip's format. ``project``: the project itself.
    ``packages``: requirements written out (PEP 508), such as those of a dependency group."""
    file: str | None = None
    """For ``requirements`` and ``constraints``: the file, relative to the root.
    For ``project``: the folder that holds its pyproject.toml or setup.py, "." as a rule."""
    extras: tuple[str, ...] = ()
    """For ``project``."""
    packages: tuple[str, ...] = ()
    """For ``packages``."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPlan:
    """How the suite is run."""

    __test__ = False  # not a test class, whatever its name

    runner: Literal["pytest", "unittest", "django"]
    targets: tuple[str, ...] = ()
    """pytest: files and folders, none for the project's own configuration. unittest: dotted module
    names. django: labels. All relative to ``cwd``."""
    arguments: tuple[str, ...] = ()
    """Further arguments for the runner."""
    cwd: str = "."
    """Where the runner starts, relative to the project's root."""
    environment: tuple[tuple[str, str], ...] = ()
    """Further environment variables."""
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a project is installed and tested."""

    install: tuple[InstallStep, ...]
    test: TestPlan
