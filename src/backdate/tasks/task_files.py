"""The files of a task's folder in a data set, made of the task alone."""

from __future__ import annotations

from collections.abc import Mapping

from backdate.editing.patch_text import encode_patch
from backdate.tasks.docker_files import docker_files
from backdate.tasks.task import MigrationTask, TaskSide


def task_files(task: MigrationTask) -> Mapping[str, bytes | None]:
    """The files of a task's folder that are made from the task: name to content; None: there is none."""
    files: dict[str, bytes | None] = {
        "unpinning.patch": encode_patch(task.unpinning_patch) or None,
        "test.patch": encode_patch(task.test_patch) or None,
        "gold.patch": encode_patch(task.gold_patch) or None,
        "old.lock": _lock(task.old),
        "new.lock": _lock(task.new),
    }
    return {**files, **{name: text.encode() for name, text in docker_files(task).items()}}


def _lock(side: TaskSide) -> bytes | None:
    """A side's lock in pip's format, hashes included where they are known."""
    if not side.distributions:
        return None
    lines = [f"# Python {side.python}\n"]
    for one in side.distributions:
        if one.source is not None:
            lines.append(f"# {one.name} {one.version} from {one.source}\n")
            continue
        hashes = "".join(f" --hash={value}" for value in one.hashes)
        lines.append(f"{one.name}=={one.version}{hashes}\n")
    return "".join(lines).encode("utf-8", "backslashreplace")
