"""What the known solution of a task changes, without a tree of its own."""

from __future__ import annotations

from pathlib import Path

from backdate.editing.apply import apply_patch
from backdate.editing.patch import changed_paths
from backdate.evaluation.tree_files import bytes_in
from backdate.serial import write_whole
from backdate.tasks.task import Task


def write_solved_files(task: Task, before: Path, target: Path) -> tuple[str, ...]:
    """Write the files that the gold patch of ``task`` changes to ``target``, as it leaves them; their paths.

    ``before``: the tree that answers begin with. Raises SourceError when the patch does not apply.
    """
    what = f"the gold patch of {task.instance_id}"
    paths = changed_paths(task.patches.reference, what=what)
    target.mkdir(parents=True, exist_ok=True)
    for path in paths:
        data = bytes_in(before, path)
        if data is not None:
            write_whole(target / path, data)
    apply_patch(task.patches.reference, target, what=what)
    return tuple(paths)
