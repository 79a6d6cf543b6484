"""Files that a source names and does not hold: by which names the tests that read them tell so."""

from __future__ import annotations

import posixpath

from backdate.projects.project import Project
from backdate.projects.submodules import empty_submodules

_SHORTEST = 5
"""Names that are shorter are in too many texts."""
_MOST = 2_000


def absent_files(project: Project) -> tuple[str, ...]:
    """What the texts of tests for want of those files hold: names of files, and folders of submodules.

    >>> from pathlib import Path
    >>> from backdate.projects.project import Origin
    >>> missing = ("tests/meshes/sphere.msh (Git LFS: only its pointer is there)", "vendor/lib (submodule)")
    >>> origin = Origin(kind="git", location="x", missing=missing)
    >>> absent_files(Project(name="x", root=Path("/nowhere"), origin=origin))
    ('sphere.msh', 'vendor/lib/')
    """
    names: dict[str, None] = {}
    for told in project.origin.missing:
        path, _, reason = told.rpartition(" (")
        if reason.startswith(("submodule", "folder")):
            names[f"{path}/"] = None
        elif "." in posixpath.basename(path):
            names[posixpath.basename(path)] = None
    names |= {f"{path}/": None for path, _ in empty_submodules(project.root)}
    return tuple(name for name in names if len(name) >= _SHORTEST)[:_MOST]
