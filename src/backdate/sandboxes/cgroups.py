"""Control groups: limits for a whole process tree, on cgroup v1, v2 and the hybrid of both.

A group is made below the caller's own (or, on v2, below the nearest ancestor that hands the
``memory`` and ``pids`` controllers down and that we may write to). Sources: the kernel's
Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Controller = Literal["memory", "pids"]
CONTROLLERS: tuple[Controller, ...] = ("memory", "pids")

_MOUNT = re.compile(
    r"^\d+ \d+ \S+ (?P<root>\S+) (?P<point>\S+) .* - (?P<type>cgroup2?) \S+ (?P<options>\S+)$"
)
_HELD_BACK = 8
"""Processes of the sandbox itself that live in the group beside the command's."""
_EVENTS_BYTES = 4096
"""More than the kernel tells of a group's events."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parent:
    """A group under which we can make groups that limit ``controllers``."""

    path: Path
    version: Literal[1, 2]
    controllers: tuple[Controller, ...]


def find_parents(*, proc: Path = Path("/proc/self")) -> tuple[Parent, ...]:
    """Where this machine allows groups, tried by making one; each controller occurs at most once."""
    try:
        mounts = (proc / "mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        groups = (proc / "cgroup").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ()
    parents: list[Parent] = []
    for candidate in candidates(mounts, groups):
        missing = tuple(c for c in candidate.controllers if not any(c in p.controllers for p in parents))
        if missing and _works(
            parent := Parent(path=candidate.path, version=candidate.version, controllers=missing)
        ):
            parents.append(parent)
    return tuple(parents)


def group_of(process: int, *, proc: Path = Path("/proc")) -> ControlGroup:
    """The groups that a process is in, for reading; without folders where they are not visible."""
    try:
        mounts = (proc / "self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        groups = (proc / str(process) / "cgroup").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ControlGroup((), "")
    for group in candidates(mounts, groups):
        if "memory" in group.controllers:
            parent = Parent(path=group.path.parent, version=group.version, controllers=("memory",))
            return ControlGroup((parent,), group.path.name)
    return ControlGroup((), "")


def candidates(mountinfo: str, groups: str) -> list[Parent]:
    """Where groups might be made, the best first.

    ``mountinfo`` and ``groups`` are the texts of ``/proc/self/mountinfo`` and ``/proc/self/cgroup``.
    """
    own: dict[str, str] = {}
    for line in groups.splitlines():
        _, names, path = line.split(":", 2)
        own.update(dict.fromkeys(names.split(","), path))
    parents: list[Parent] = []
    for line in mountinfo.splitlines():
        match = _MOUNT.match(line)
        if match is None:
            continue
        point, root = Path(match["point"]), match["root"]
        if match["type"] == "cgroup":
            options = match["options"].split(",")
            limited = tuple(c for c in CONTROLLERS if c in options and c in own)
            if limited:
                parents.append(
                    Parent(path=_below(point, root, own[limited[0]]), version=1, controllers=limited)
                )
        elif "" in own:
            group = _below(point, root, own[""])
            parents += [
                Parent(path=folder, version=2, controllers=CONTROLLERS)
                for folder in (group, *group.parents)
                if folder.is_relative_to(point)
            ]
    return parents


def _below(point: Path, root: str, group: str) -> Path:
    """The folder of ``group`` in a hierarchy whose folder ``root`` is mounted at ``point``."""
    if root != "/" and (group == root or group.startswith(root + "/")):
        group = group[len(root) :]
    return point / group.lstrip("/")


def _works(parent: Parent) -> bool:
    """Whether a group with limits can be made, entered and removed under ``parent``."""
    probe = parent.path / f"backdate-probe-{os.getpid()}-{time.monotonic_ns()}"
    try:
        if parent.version == 2:
            handed_down = (parent.path / "cgroup.subtree_control").read_text(encoding="ascii").split()
            if not set(parent.controllers) <= set(handed_down):
                return False
        probe.mkdir()
    except OSError:
        return False
    try:
        _limit(probe, parent, memory_bytes=1 << 30, processes=100)
        entering = os.access(probe / "cgroup.procs", os.W_OK)
        # On v2 moving a process takes write access to the nearest common ancestor as well.
        return entering and (parent.version == 1 or os.access(parent.path / "cgroup.procs", os.W_OK))
    except OSError:
        return False
    finally:
        probe.rmdir()


def _limit(folder: Path, parent: Parent, *, memory_bytes: int | None, processes: int | None) -> None:
    """Write limits. Raises OSError where they cannot be written."""
    if "memory" in parent.controllers and memory_bytes is not None:
        if parent.version == 1:
            _write(folder / "memory.limit_in_bytes", memory_bytes)
            swap = folder / "memory.memsw.limit_in_bytes"
            if swap.exists():
                _write(swap, memory_bytes)
        else:
            _write(folder / "memory.max", memory_bytes)
            swap = folder / "memory.swap.max"
            if swap.exists():
                _write(swap, 0)
    if "pids" in parent.controllers and processes is not None:
        _write(folder / "pids.max", processes + _HELD_BACK)


def _write(file: Path, value: int) -> None:
    # Not write_text: it would create the file where the kernel has none.
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, b"%d" % value)
    finally:
        os.close(descriptor)


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _oom_kills(file: Path) -> int:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)  # many times a second: a text file costs more
        try:
            lines = os.read(descriptor, _EVENTS_BYTES).splitlines()
        finally:
            os.close(descriptor)
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(b"oom_kill ")), 0)


class ControlGroup:
    """The groups of one run: one folder for each hierarchy that is needed."""

    def __init__(self, parents: tuple[Parent, ...], name: str) -> None:
        self._parents = {parent.path / name: parent for parent in parents}

    @property
    def folders(self) -> tuple[Path, ...]:
        """The groups' folders, which need not exist yet."""
        return tuple(self._parents)

    @property
    def entrances(self) -> tuple[Path, ...]:
        """Files into which a process writes its id to enter."""
        return tuple(folder / "cgroup.procs" for folder in self._parents)

    def limits(self, controller: Controller) -> bool:
        """Whether these groups limit that."""
        return any(controller in parent.controllers for parent in self._parents.values())

    def make(self, *, memory_bytes: int | None, processes: int | None) -> None:
        """Create the folders with their limits. Raises OSError."""
        for folder, parent in self._parents.items():
            folder.mkdir()
            _limit(folder, parent, memory_bytes=memory_bytes, processes=processes)

    def out_of_memory(self) -> bool:
        """Whether the kernel has killed a process of the run for its memory."""
        return any(
            _oom_kills(folder / ("memory.oom_control" if parent.version == 1 else "memory.events")) > 0
            for folder, parent in self._parents.items()
            if "memory" in parent.controllers
        )

    def peak_memory_bytes(self) -> int | None:
        """The most memory that the whole tree used (page cache included); None when unknown."""
        for folder, parent in self._parents.items():
            if "memory" in parent.controllers:
                return _number(
                    folder / ("memory.max_usage_in_bytes" if parent.version == 1 else "memory.peak")
                )
        return None


def remove(folders: tuple[Path, ...], *, patience_s: float = 5.0) -> None:
    """Kill whatever is left in the groups and remove them; those that do not exist are gone already.

    Raises OSError when a group stays busy for longer than ``patience_s``.
    """
    deadline = time.monotonic() + patience_s
    for folder in folders:
        while folder.exists():
            _kill_members(folder)
            try:
                folder.rmdir()
            except FileNotFoundError:
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.002)


def _kill_members(folder: Path) -> None:
    kill = folder / "cgroup.kill"
    with contextlib.suppress(OSError):  # the group may vanish under us: another cleaner was faster
        if kill.exists():
            _write(kill, 1)
            return
        for line in (folder / "cgroup.procs").read_text(encoding="ascii").split():
            os.kill(int(line), signal.SIGKILL)
