"""Watching how much a run writes into the folders that it may write to.

They lie on disks that others use too, and the kernel gives an ordinary user no quota for a folder. So the
free space of the file systems is checked very often, which costs nothing, and the folders themselves only
when the free space has shrunk enough, or now and then: that takes a walk over all files. Most runs leave few
of them, which are counted here; du(1) counts many.
"""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

FILE_COST = 4096
"""Each file counts for at least this much: a disk also fills with empty files."""

_FEW = 1000
"""Files and folders up to which they are counted here."""
_FEW_FOLDERS = 100
"""Open folders at a time."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC

_WALK_SHARE = 0.02
"""The share of the time that may go into walks while free space gives no reason for one."""
_WALK_PAUSE_S = 2.0
_FLOOR = 512 * 1024 * 1024
"""Free bytes below which a run is ended without looking further, if space shrank by its limit."""


class DiskWatch:
    """Watches whether the folders of a run hold more than ``limit`` bytes."""

    def __init__(self, folders: tuple[Path, ...], limit: int) -> None:
        self._folders = folders
        self._disks = tuple({folder.stat().st_dev: folder for folder in folders}.values())
        self._limit = limit
        self._most_free = self._free_at_walk = _free_space(self._disks)
        self._next_walk = time.monotonic() + _WALK_PAUSE_S
        self.namespace: str | None = None
        """The pid namespace of the run (as ``/proc/PID/ns/pid`` reads); set when it is known."""

    def exceeded(self) -> bool:
        """Whether the limit is exceeded now."""
        free = _free_space(self._disks)
        self._most_free = Free(*map(max, self._most_free, free))
        shrunk = _difference(self._most_free, free)
        if shrunk > self._limit and free.blocks < _FLOOR:
            return True  # whatever filled the disk, the machine must stay usable
        started = time.monotonic()
        lately = _difference(self._free_at_walk, free)
        if (shrunk <= self._limit or lately <= self._limit // 16) and started < self._next_walk:
            return False
        used, complete = _used(self._folders)
        if used <= self._limit and self.namespace is not None:
            used += _held_open(self.namespace, {folder.stat().st_dev for folder in self._folders})
        if not complete:
            used = max(used, shrunk)
        self._free_at_walk = free
        ended = time.monotonic()
        self._next_walk = ended + max(_WALK_PAUSE_S, (ended - started) / _WALK_SHARE)
        return used > self._limit


class Free(NamedTuple):
    """Free bytes of file systems; inodes count as well, because an empty file takes no block."""

    blocks: int
    inodes: int


def _free_space(disks: tuple[Path, ...]) -> Free:
    """Of the file systems of these folders together."""
    found = [os.statvfs(folder) for folder in disks]
    blocks = sum(disk.f_bavail * disk.f_frsize for disk in found)
    return Free(blocks, sum(disk.f_favail * FILE_COST for disk in found))


def _difference(before: Free, now: Free) -> int:
    return max(before.blocks - now.blocks, before.inodes - now.inodes)


def _used(folders: tuple[Path, ...]) -> tuple[int, bool]:
    """Bytes under ``folders``, and whether all of them could be read."""
    counted = _counted(folders)
    return _used_by_du(folders) if counted is None else (counted, True)


def _counted(folders: tuple[Path, ...]) -> int | None:
    """Bytes under ``folders``; None for many or deep ones, and where something cannot be read."""
    blocks, seen = 0, set[tuple[int, int]]()
    try:
        for folder in folders:
            status = os.lstat(folder)
            if stat.S_ISREG(status.st_mode):  # one file, which is shown to the command
                seen.add((status.st_dev, status.st_ino))
                blocks += status.st_blocks
                continue
            descriptor = os.open(folder, _FOLDER)
            waiting = [(descriptor, os.fstat(descriptor))]
            try:
                while waiting:
                    descriptor, status = waiting.pop()
                    try:
                        blocks += _count_entries(descriptor, status, seen, waiting)
                    finally:
                        os.close(descriptor)
                    if len(seen) > _FEW or len(waiting) > _FEW_FOLDERS:
                        return None
            finally:
                for descriptor, _ in waiting:
                    os.close(descriptor)
    except OSError:
        return None
    return max(blocks * 512, len(seen) * FILE_COST)


def _count_entries(
    descriptor: int,
    status: os.stat_result,
    seen: set[tuple[int, int]],
    waiting: list[tuple[int, os.stat_result]],
) -> int:
    """Blocks of an open folder and its files, each counted once; its folders are put to those that wait."""
    blocks = 0 if (status.st_dev, status.st_ino) in seen else status.st_blocks
    seen.add((status.st_dev, status.st_ino))
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if len(seen) > _FEW or len(waiting) > _FEW_FOLDERS:
                break
            try:
                found = entry.stat(follow_symlinks=False)
                if found.st_dev != status.st_dev:
                    continue  # something that is mounted there
                if stat.S_ISDIR(found.st_mode):
                    below = os.open(entry.name, _FOLDER, dir_fd=descriptor)
                    waiting.append((below, os.fstat(below)))
                elif (found.st_dev, found.st_ino) not in seen:
                    seen.add((found.st_dev, found.st_ino))
                    blocks += found.st_blocks
            except FileNotFoundError:
                continue  # the command removed it meanwhile
    return blocks


def _used_by_du(folders: tuple[Path, ...]) -> tuple[int, bool]:
    totals, complete = [], True
    for unit in ("--block-size=1", "--inodes"):
        command = ["du", "-s", "-x", "-c", unit, "--", *map(str, folders)]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        complete = complete and b"Permission denied" not in done.stderr
        last = done.stdout.splitlines()[-1:]
        totals.append(int(last[0].split()[0]) if last else 0)
    return max(totals[0], totals[1] * FILE_COST), complete


def namespace_of(process: int) -> str | None:
    """The pid namespace of a process of the host; None when it may not be read, or the process has ended."""
    try:
        return str(Path(f"/proc/{process}/ns/pid").readlink())
    except OSError:
        return None


def _held_open(namespace: str, devices: set[int]) -> int:
    """Bytes of files that the processes of a pid namespace hold open after they were removed."""
    sizes: dict[tuple[int, int], int] = {}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            if str((process / "ns/pid").readlink()) != namespace:
                continue
            for descriptor in (process / "fd").iterdir():
                information = descriptor.stat()
                removed = information.st_nlink == 0 and stat.S_ISREG(information.st_mode)
                if removed and information.st_dev in devices:
                    sizes[information.st_dev, information.st_ino] = information.st_blocks * 512
        except OSError:
            continue  # the process or the file has gone, or the process is not of this run
    return sum(sizes.values())
