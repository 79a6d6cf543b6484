"""Files that a source names and does not hold: by which names the tests that read them tell so."""

from __future__ import annotations

import posixpath

from backdate.projects.project import Project
from backdate.projects.submodules import empty_submodules

_SHORTEST = 5
"""Names that are shorter are in too many texts."""
_MOST = 2_000
_MOST_NAMED = 5


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


def absence_notes(project: Project) -> tuple[str, ...]:
    """What of the source is not in the tree of ``project``, in words; none where all of it is."""
    empty = empty_submodules(project.root)
    told_below = {f"{path} (submodule)" for path, _ in empty}
    missing = [told for told in project.origin.missing if told not in told_below]
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    notes = [f"not in the tree: {', '.join(missing[:_MOST_NAMED])}{more}"] if missing else []
    for path, address in empty[:_MOST_NAMED]:
        where = f", which is {address}" if address else ""
        get_it = "git submodule update --init --recursive gets it"
        if project.origin.kind == "git":
            get_it = "clone with --recurse-submodules and name that folder"
        notes.append(f"the submodule {path}{where}, is empty: {get_it}")
    return tuple(notes)
