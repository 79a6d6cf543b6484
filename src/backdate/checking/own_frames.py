"""Seeing the project in its installed copy.

A project with a ``src`` folder is tested as it was installed: tracebacks name files of ``site-packages``
that are copies of files of the tree. Readers want the file that they can edit.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from backdate.testing.outcomes import CaseResult, Frame, Raised, SuiteRun

_MARK = "/site-packages/"


def with_own_frames(run: SuiteRun, tree: Path) -> SuiteRun:
    """The run, with frames in installed copies of the tree's files named by the files of the tree."""
    seen: dict[str, str] = {}

    def own(frame: Frame) -> Frame:
        if _MARK not in frame.file:
            return frame
        if frame.file not in seen:
            seen[frame.file] = _original(Path(frame.file), tree) or frame.file
        return replace(frame, file=seen[frame.file])

    def rename(chain: tuple[Raised, ...]) -> tuple[Raised, ...]:
        return tuple(replace(error, frames=tuple(map(own, error.frames))) for error in chain)

    def rewrite(result: CaseResult) -> CaseResult:
        return replace(result, raised=rename(result.raised)) if result.raised else result

    return replace(run, raised=rename(run.raised), results=tuple(map(rewrite, run.results)))


def _original(installed: Path, tree: Path) -> str | None:
    """The tree's file (relative) that ``installed`` is a copy of, or None.

    It has the same path below the root or below one folder of the root that is no package, and as many bytes.
    """
    relative = str(installed).rpartition(_MARK)[2]
    try:
        size = installed.stat().st_size
        tops = [entry.name for entry in os.scandir(tree) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return None  # it was made in the sandbox and is gone: nobody can edit it
    for top in ("", *sorted(tops)):
        path = tree / top / relative
        if (top and (tree / top / "__init__.py").exists()) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size == size:
            return path.relative_to(tree).as_posix()
    return None
