"""A folder of its own for each run, removed afterwards, and after a crash by a later run.

The running process holds a lock on the folder; the kernel releases it when the process dies, however it
dies. So a folder whose lock is free belongs to a dead run, and is removed together with the control
groups that it names.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from backdate.errors import DiskFull, MachineError
from backdate.sandboxes import cgroups

_PREFIX = "run-"
_GROUPS = "control-groups"


def default_root() -> Path:
    """Where runs have their folders: on a disk (/var/tmp), where /tmp is often memory."""
    base = Path("/var/tmp")  # noqa: S108 - the folder below it is this user's alone, which is checked
    if not os.access(base, os.W_OK | os.X_OK):
        base = Path(tempfile.gettempdir())
    return base / f"backdate-{os.geteuid()}"


def _own_folder(root: Path) -> None:
    """Make ``root``, for this user alone. Raises MachineError when another user has made it."""
    with contextlib.suppress(FileExistsError):
        root.mkdir(mode=0o700, parents=True)
    information = root.lstat()
    if (
        not stat.S_ISDIR(information.st_mode)
        or information.st_uid != os.geteuid()
        or information.st_mode & 0o077
    ):
        raise MachineError(f"{root} is not a folder of this user alone; remove it, or set its mode to 0700")


@contextlib.contextmanager
def scratch_folder(root: Path) -> Iterator[Path]:
    """A new locked folder under ``root``; removed at the end. Removes those of dead runs first."""
    _own_folder(root)
    clear_stale(root)
    folder, lock = _new_locked(root)
    try:
        yield folder
    finally:
        try:
            _clear(folder)
        finally:
            os.close(lock)


def _new_locked(root: Path) -> tuple[Path, int]:
    while True:
        try:
            folder = Path(tempfile.mkdtemp(dir=root, prefix=_PREFIX))
        except OSError as error:
            raise DiskFull(
                f"no folder can be made in {root} ({error.strerror}); free some space there"
            ) from error
        with contextlib.suppress(OSError):  # another run cleans up at the same time
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if folder.stat().st_ino == os.fstat(lock).st_ino:
                    return folder, lock
            except OSError:
                os.close(lock)
                raise
            os.close(lock)


def clear_stale(root: Path) -> None:
    """Remove what runs that were killed have left under ``root``."""
    for folder in root.glob(f"{_PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # its owner has removed it meanwhile
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _clear(folder)
        except BlockingIOError:
            continue  # in use
        finally:
            os.close(lock)


def note_groups(folder: Path, groups: tuple[Path, ...]) -> None:
    """Record which control groups belong to ``folder``, before they are made."""
    (folder / _GROUPS).write_text("\n".join(map(str, groups)), encoding="utf-8")


def _clear(folder: Path) -> None:
    notes = folder / _GROUPS
    if notes.is_file():
        lines = notes.read_text(encoding="utf-8").splitlines()
        try:
            cgroups.remove(tuple(Path(line) for line in lines))
        except OSError as error:
            raise MachineError(
                f"a control group stays busy ({error}); remove it by hand with rmdir"
            ) from error
    remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove ``folder`` whatever a hostile command left in it: unreadable folders, endless depth.

    Raises MachineError when it cannot be removed.
    """
    # The system's rm and chmod walk with open folders and without recursion, to any depth.
    command = ["rm", "-rf", "--one-file-system", "--", str(folder)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0:
        unlock = ["chmod", "-R", "u+rwX", "--", str(folder)]
        subprocess.run(unlock, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 0 and folder.exists():
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise MachineError(f"{folder} cannot be removed: {' '.join(last)}; remove it by hand")
