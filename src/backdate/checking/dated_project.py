"""A source tree at an instant: what recipes are run on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from backdate.projects.project import Project
from backdate.projects.python_constraint import (
    PythonConstraint,
    read_python_constraint,
    without_upper_bound,
)
from backdate.projects.tree import tree_digest
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedProject:
    """One tree at one instant."""

    name: str
    tree: Path
    digest: str
    """``tree_digest(tree)``."""
    instant: Instant
    python_constraint: PythonConstraint
    """What the metadata say about interpreters."""
    version_hint: str | None = None
    python: str | None = None
    """The interpreter ("3.8") that the user asked for, whatever the project says."""


def dated_project(project: Project, instant: Instant, *, python: str | None = None) -> DatedProject:
    """The tree of ``project``, as it is, at ``instant``. ``python``: what the user asked for."""
    return DatedProject(
        name=project.name,
        tree=project.root,
        digest=tree_digest(project.root),
        instant=instant,
        python_constraint=read_python_constraint(project.root),
        version_hint=project.origin.version_hint,
        python=python,
    )


def unpinned_project(project: Project, instant: Instant, *, python: str | None = None) -> DatedProject:
    """The unpinned tree of ``project`` at ``instant``, long after its metadata were written.

    The upper bound that they put on interpreters does not bind it any more.
    """
    dated = dated_project(project, instant, python=python)
    return replace(dated, python_constraint=without_upper_bound(dated.python_constraint))
