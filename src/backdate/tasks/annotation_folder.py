"""A folder in which a person solves a task: the tree to edit, the tree as it was, and the time spent.

::

    WORKSPACE/work/       the new side's tree: edit here
    WORKSPACE/before/     the same, untouched
    WORKSPACE/state.json  which task this is, and the seconds that were spent so far
"""

from __future__ import annotations

import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.editing.diff import diff_files
from backdate.errors import StoredDataError, UsageError
from backdate.projects.hostile import Folder
from backdate.projects.tree import copy_tree
from backdate.serial import from_json, to_json, write_whole
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Difficulty, Task

_STATE = "state.json"
_LARGEST_FILE = 16 * 1024 * 1024
_NOT_WORK = frozenset(
    {
        "__pycache__",
        ".pytest_cache",
        ".git",
        ".mypy_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        ".idea",
        ".vscode",
    }
)
_NOT_WORK_SUFFIXES = (".pyc", ".pyo", ".swp", ".orig", ".rej", "~")

EASY_S, MEDIUM_S, HARD_S = 15 * 60.0, 60 * 60.0, 120 * 60.0
"""The paper's limits (arXiv 2601.22597, section 3): what takes longer than the last is given up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationState:
    """What is kept between sessions."""

    instance_id: str
    spent_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationFolder:
    """An open workspace."""

    folder: Path
    state: AnnotationState

    @property
    def work(self) -> Path:
        """The tree that is edited."""
        return self.folder / "work"

    @property
    def before(self) -> Path:
        """The tree as it was."""
        return self.folder / "before"


def open_workspace(folder: Path, task: Task, task_runner: TaskRunner) -> AnnotationFolder:
    """The workspace of ``task`` at ``folder``, made where there is none.

    Raises UsageError for a folder that is something else, or another task's.
    """
    path = folder / _STATE
    if path.is_file():
        try:
            state = from_json(AnnotationState, path.read_bytes(), what=str(path))
        except StoredDataError as error:
            raise UsageError(f"{error}; remove {folder}, or name another workspace") from error
        if state.instance_id != task.instance_id:
            raise UsageError(f"{folder} is the workspace of {state.instance_id}; name another")
        return AnnotationFolder(folder=folder, state=state)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is no workspace, and not empty; name another")
    folder.mkdir(parents=True, exist_ok=True)
    workspace = AnnotationFolder(folder=folder, state=AnnotationState(instance_id=task.instance_id))
    try:
        task_runner.make_tree(task, workspace.before)
        copy_tree(workspace.before, workspace.work)
    except BaseException:  # nothing half-made that a second try would stumble over
        for tree in (workspace.before, workspace.work):
            shutil.rmtree(tree, ignore_errors=True)
        raise
    write_whole(path, to_json(workspace.state))  # last: without it there is no workspace
    return workspace


@contextmanager
def spending_time(workspace: AnnotationFolder) -> Iterator[None]:
    """The time within the ``with`` block is added to the workspace's and kept, however the block ends."""
    started = time.monotonic()
    try:
        yield
    finally:
        spent = workspace.state.spent_s + time.monotonic() - started
        state = replace(workspace.state, spent_s=spent)
        write_whole(workspace.folder / _STATE, to_json(state))


def edit_of(workspace: AnnotationFolder) -> str:
    """What the person changed, as a patch; caches and editors' files are left out.

    Raises UsageError for a file that is too large to be a solution.
    """
    old, new = dict(_files(workspace.before)), dict(_files(workspace.work))
    changed = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    return diff_files({name: old.get(name) for name in changed}, {name: new.get(name) for name in changed})


def difficulty_of(spent_s: float) -> Difficulty | None:
    """Easy below 15 minutes, medium below 60, hard below 120; None beyond: that counts as not solved."""
    if spent_s < EASY_S:
        return "easy"
    if spent_s < MEDIUM_S:
        return "medium"
    return "hard" if spent_s < HARD_S else None


def _files(root: Path) -> Iterator[tuple[str, bytes]]:
    """What a solution can be made of. The work is hostile, and may change while it is read."""
    with Folder.at(root) as top:
        yield from _files_of(top, "")


def _files_of(folder: Folder, before: str) -> Iterator[tuple[str, bytes]]:
    for name in folder.names():
        status = folder.status(name)
        if status is None or name in _NOT_WORK or name.endswith((*_NOT_WORK_SUFFIXES, ".egg-info")):
            continue
        if stat.S_ISDIR(status.st_mode):
            with folder.folder(name) as inner:
                yield from _files_of(inner, f"{before}{name}/")
        elif stat.S_ISREG(status.st_mode):
            if status.st_size > _LARGEST_FILE:
                raise UsageError(
                    f"{folder.path / name} holds {status.st_size:,} bytes; remove it, no solution is so large"
                )
            data = folder.read(name, limit=_LARGEST_FILE)
            if data is not None:
                yield f"{before}{name}", data
