"""The watches on a running command, and the result of its end: the same in every sandbox."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.sandboxes import preparation
from backdate.sandboxes.disk import DiskWatch, namespace_of
from backdate.sandboxes.interface import Command, Enforced, Limits, Mount, RunResult, RunStatus, Workspace
from backdate.sandboxes.left_behind import LeftBehind
from backdate.sandboxes.log import BoundedLog
from backdate.sandboxes.supervision import ProcessEnd, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWatches:
    """What is watched of a command that has process numbers of its own."""

    watches: tuple[Watch, ...]
    on_start: Callable[[int], None]
    """Called with process 1 of the sandbox, by its number outside, before the command starts."""


def run_watches(command: Command, workspace: Workspace, folder: Path, left_behind: LeftBehind) -> RunWatches:
    """The watches on a stop, on the disk and, where the command asks for it, on what it leaves behind.

    ``folder``: the scratch folder of the run.
    """
    watches = [*stop_watches(command)]
    disk = _disk_watch(folder, command.limits, workspace.mounts)
    if disk is not None:
        watches.append(lambda: RunStatus.DISK_LIMIT if disk.exceeded() else None)
    if command.ends_left_behind:
        watches.append(left_behind.watch)

    def on_start(leader: int) -> None:
        left_behind.start(leader)
        if disk is not None:
            disk.namespace = namespace_of(leader)

    return RunWatches(watches=tuple(watches), on_start=on_start)


def _disk_watch(folder: Path, limits: Limits, mounts: Sequence[Mount]) -> DiskWatch | None:
    """The watch on everything that the command of the scratch folder can write; None without a limit."""
    if limits.disk_bytes is None:
        return None
    own = preparation.places(folder)
    written = tuple(path for path in (own.temporary, own.home, own.tree) if path.exists())
    shared = tuple(mount.changes or mount.source for mount in mounts if mount.writable and mount.counted)
    return DiskWatch((*written, *shared), limits.disk_bytes)


def stop_watches(command: Command) -> tuple[Watch, ...]:
    """The watch that ends a run which another thread stops; none for a command that none can stop."""
    if command.stop is None:
        return ()
    stopped = command.stop.is_set
    return (lambda: RunStatus.TIMEOUT if stopped() else None,)


def with_disk_limit(ending: ProcessEnd, limits: Limits) -> ProcessEnd:
    """The ending, as a disk limit when one file hit RLIMIT_FSIZE, which equals the limit for all files."""
    if ending.signal == signal.SIGXFSZ and limits.disk_bytes is not None:
        return replace(ending, status=RunStatus.DISK_LIMIT)  # the signal stays: a process can send it as well
    return ending


def refused_tree(output: BoundedLog) -> ProcessEnd:
    """The ending of a run that did not begin: its tree is too large."""
    output.write(b"backdate: the source tree alone is larger than the limit of disk space\n")
    return ProcessEnd(status=RunStatus.DISK_LIMIT, duration_s=0.0)


def result_of(ending: ProcessEnd, peak: int | None, dropped: int, enforced: Enforced) -> RunResult:
    """The result of a run: how it ended, its memory at most, and bytes of the log that were dropped."""
    return RunResult(
        status=ending.status,
        exit_code=ending.exit_code,
        signal=ending.signal,
        duration_s=ending.duration_s,
        peak_memory_bytes=peak,
        dropped_log_bytes=dropped,
        enforced=enforced,
    )
