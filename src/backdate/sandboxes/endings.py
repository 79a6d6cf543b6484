"""The watches on a running command, and the result of its end: the same in every sandbox."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.sandboxes import preparation
from backdate.sandboxes.disk import DiskWatch
from backdate.sandboxes.interface import Command, Enforced, Limits, Mount, RunResult, RunStatus
from backdate.sandboxes.log import BoundedLog
from backdate.sandboxes.supervision import ProcessEnd, Watch


def disk_watch(folder: Path, limits: Limits, mounts: Sequence[Mount]) -> DiskWatch | None:
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
