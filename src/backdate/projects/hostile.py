"""Reading and writing in folders that foreign code wrote, without ever following a link of its making.

A build can leave a link at any name: whoever then writes ``root / "pylock.toml"`` writes where the link
leads, with the rights of the caller, and whoever reads that path shows a file of this machine. So such a
folder is opened once, every name below it is looked up in the open folder, and no link on the way is
followed. A file is only ever made new (``O_EXCL``).

A test forbids other ways to open files in all rooms that handle such folders (``tests/test_host_access.py``).
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import secrets
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from backdate.errors import ConfigurationError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking: opening a named pipe must not wait for its writer.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# What a name holds is not what is asked for; other errors (no space, no right) are nobody's planting.
_OF_WHAT_IS_THERE = (errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOENT, errno.ENXIO)
_BLOCK = 16 * 1024 * 1024
_HASHED_AT_ONCE = 64 * 1024


class Folder:
    """An open folder whose content is hostile. A context manager; the folder is closed at its end."""

    def __init__(self, descriptor: int, path: Path) -> None:
        """``path``: what to call it in messages; it is not looked up again."""
        self._descriptor = descriptor
        self.path = path

    @classmethod
    def at(cls, path: Path) -> Folder:
        """The folder at ``path``, of which the last part is no link. What lies above it has to be ours.

        Raises ConfigurationError when there is no such folder.
        """
        with _told(path):
            return cls(os.open(path, _FOLDER), path)

    def __enter__(self) -> Folder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def folder(self, name: str) -> Folder:
        """The folder ``name`` in this one. Raises ConfigurationError when it is a link or no folder."""
        with _told(self.path / _plain(name)):
            return Folder(os.open(name, _FOLDER, dir_fd=self._descriptor), self.path / name)

    def below(self, parts: tuple[str, ...]) -> Folder:
        """The folder at the end of ``parts``, each of which is entered as ``folder`` does."""
        with _told(self.path):
            here = Folder(os.dup(self._descriptor), self.path)
        for part in parts:
            with here:
                here = here.folder(part)
        return here

    def make(self, name: str) -> Folder:
        """The new folder ``name`` in this one."""
        with _told(self.path / _plain(name)):
            os.mkdir(name, 0o755, dir_fd=self._descriptor)
        return self.folder(name)

    def names(self) -> list[str]:
        """What it holds, sorted."""
        with _told(self.path):
            return sorted(os.listdir(self._descriptor))  # noqa: PTH208 - a Path cannot be an open folder

    def status(self, name: str) -> os.stat_result | None:
        """The status of the entry ``name`` itself; None when there is none."""
        try:
            return os.stat(_plain(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def is_folder(self, name: str) -> bool:
        """Whether ``name`` is a folder, and no link to one."""
        status = self.status(name)
        return status is not None and stat.S_ISDIR(status.st_mode)

    def link_text(self, name: str) -> str | None:
        """Where the link ``name`` leads; None when it is no link."""
        status = self.status(name)
        if status is None or not stat.S_ISLNK(status.st_mode):
            return None
        with _told(self.path / name):
            return os.readlink(name, dir_fd=self._descriptor)

    def read(self, name: str, *, limit: int) -> bytes | None:
        """The content of the file ``name``; None when there is none.

        Raises ConfigurationError for a link, for what is no regular file, and over ``limit`` bytes.
        """
        try:
            descriptor = os.open(_plain(name), _READ, dir_fd=self._descriptor)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ConfigurationError(f"{self.path / name} cannot be read: {error.strerror}") from error
        with self._regular(name, descriptor) as file:
            # It may grow meanwhile.
            data = file.read(limit + 1) if os.fstat(descriptor).st_size <= limit else None
        if data is None or len(data) > limit:
            raise ConfigurationError(f"{self.path / name} holds more than {limit:,} bytes; it is not read")
        return data

    def head(self, name: str, *, limit: int) -> bytes:
        """The first ``limit`` bytes of the file ``name``. Raises ConfigurationError as ``read`` does."""
        with self._open(name) as file:
            return file.read(limit)

    def sha256(self, name: str) -> bytes:
        """The SHA-256 of the file ``name``. Raises ConfigurationError for what is no regular file."""
        with self._open(name) as file:
            # Not by hashlib.file_digest: it asks for a quarter of a megabyte for every file, which costs
            # several times what hashing a small one does.
            found = hashlib.sha256()
            while data := file.raw.read(_HASHED_AT_ONCE):
                found.update(data)
            return found.digest()

    def _open(self, name: str) -> io.BufferedReader:
        with _told(self.path, _plain(name)):
            descriptor = os.open(name, _READ, dir_fd=self._descriptor)
        return self._regular(name, descriptor)

    def _regular(self, name: str, descriptor: int) -> io.BufferedReader:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise ConfigurationError(f"{self.path / name} is not a regular file; it is not read")
        return os.fdopen(descriptor, "rb")

    def write_new(self, name: str, data: bytes, *, mode: int = 0o644) -> None:
        """Make the file ``name``, which must not exist, with ``data``."""
        with _told(self.path / _plain(name)):
            descriptor = os.open(name, _NEW, 0o600, dir_fd=self._descriptor)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                os.fchmod(descriptor, mode & 0o777)

    def replace(self, name: str, data: bytes) -> None:
        """Make the file ``name`` with ``data``; a file or link of that name is removed, not written to.

        Where that was a file, the new one has its mode, and takes its place when it is whole.
        """
        status = self.status(name)
        was_file = status is not None and stat.S_ISREG(status.st_mode)
        mode = status.st_mode if status is not None and was_file else 0o644
        new = f".backdate-{secrets.token_hex(8)}"
        try:
            self.write_new(new, data, mode=mode)
            with _told(self.path / name):
                os.rename(new, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except ConfigurationError:
            with suppress(OSError):  # never made, or on a disk that takes nothing: the error above tells it
                os.unlink(new, dir_fd=self._descriptor)
            raise

    def link(self, name: str, text: str) -> None:
        """Make the symbolic link ``name``, which must not exist."""
        with _told(self.path / _plain(name)):
            os.symlink(text, name, dir_fd=self._descriptor)

    def duplicate(self, name: str, other: Folder, *, mode: int | None = None) -> None:
        """Make a file in ``other`` that is as the file ``name`` here: content, mode, time of modification.

        Never a hard link: what is done to one would be done to the other. Where the file system can, both
        share their blocks until one is changed.
        """
        with self._open(name) as source, _told(other.path / name):
            information = os.fstat(source.fileno())
            target = os.open(name, _NEW, 0o600, dir_fd=other._descriptor)
            try:
                while os.copy_file_range(source.fileno(), target, _BLOCK):
                    pass
                os.fchmod(target, information.st_mode & 0o777 if mode is None else mode)
                os.utime(target, ns=(information.st_atime_ns, information.st_mtime_ns))
            finally:
                os.close(target)

    def renew(self, name: str) -> bytes:
        """Put a copy of the file ``name`` in its place, so that no other link to it, and nobody who has it
        open, changes what lies there; the SHA-256 of the copy. The owner of the copy is that of the folder.
        """
        beside = f".{name[:200]}.renewed"
        with self._open(name) as source, _told(self.path / name):
            information = os.fstat(source.fileno())
            if self.status(beside) is not None:  # of a process that was killed
                os.unlink(beside, dir_fd=self._descriptor)
            found = hashlib.sha256()
            with os.fdopen(os.open(beside, _NEW, 0o600, dir_fd=self._descriptor), "wb") as target:
                while data := source.read(_BLOCK):
                    found.update(data)
                    target.write(data)
                target.flush()
                owner = os.fstat(self._descriptor)
                if owner.st_uid != os.geteuid():
                    os.fchown(target.fileno(), owner.st_uid, owner.st_gid)
                os.fchmod(target.fileno(), information.st_mode & 0o777)
                os.utime(target.fileno(), ns=(information.st_atime_ns, information.st_mtime_ns))
            os.replace(beside, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        return found.digest()

    def give_to(self, user: int, group: int) -> None:
        """Make ``user`` and ``group`` the owner of it and of all below it; links are not followed."""
        # The system's chown walks with open folders and without recursion, to any depth.
        self._each("chown", "-R", "-P", "-h", "--", f"{user}:{group}", ".")

    def limit_modes(self, change: str) -> None:
        """Change the modes of it and of all below it (chmod(1)); links are not followed."""
        self._each("chmod", "-R", "--", change, ".")

    def _each(self, *command: str) -> None:
        here = f"/proc/self/fd/{self._descriptor}"
        done = subprocess.run(command, cwd=here, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != 0:
            raise ConfigurationError(f"{self.path} cannot be taken over: {done.stderr.decode()[-500:]}")

    def listing(self, form: str) -> bytes | None:
        """What find(1) prints of it and of all below it in the form ``form``; None when it cannot see all."""
        here = f"/proc/self/fd/{self._descriptor}"
        command = ["find", "-P", ".", "-printf", form]
        done = subprocess.run(command, cwd=here, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        return done.stdout if done.returncode == 0 else None


def read_beneath(root: Path, relative: str, *, limit: int) -> bytes | None:
    """The content of the file ``relative`` (forward slashes) of the hostile folder ``root``, or None.

    Raises ConfigurationError as ``Folder.read`` does, and when a folder on the way is missing or a link.
    """
    *parents, name = relative.split("/")
    with Folder.at(root) as top, top.below(tuple(parents)) as parent:
        return parent.read(name, limit=limit)


def sha256_beneath(root: Path, relative: str) -> bytes:
    """The SHA-256 of such a file. Raises ConfigurationError as ``read_beneath``, and for none."""
    *parents, name = relative.split("/")
    with Folder.at(root) as top, top.below(tuple(parents)) as parent:
        return parent.sha256(name)


def replace_beneath(root: Path, relative: str, data: bytes) -> None:
    """Make the file ``relative`` (forward slashes) of the hostile folder ``root``, as ``Folder.replace``.

    Raises ConfigurationError, too, when a folder on the way is missing or a link.
    """
    *parents, name = relative.split("/")
    with Folder.at(root) as top, top.below(tuple(parents)) as parent:
        parent.replace(name, data)


def move_out(source: Path, target: Path) -> None:
    """Move the folder ``source``, in which nothing runs any more, to ``target``, which does not exist."""
    shutil.move(source, target)  # renames, or copies links as links


def _plain(name: str) -> str:
    if name in ("", ".", "..") or "/" in name or "\0" in name:
        raise ConfigurationError(f"{name!r} does not name an entry of a folder")
    return name


@contextmanager
def _told(folder: Path, name: str = "") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        path = folder / name  # joined here alone: thousands of files are read without trouble
        planted = "; a build may have put it there" if error.errno in _OF_WHAT_IS_THERE else ""
        raise ConfigurationError(f"{path}: {error.strerror}{planted}") from error
