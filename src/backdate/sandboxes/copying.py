"""Copying a source tree for a command, without following links, special files or endless trees."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from backdate.errors import UsageError

DEEPEST = 200
"""Folders below one another; each costs an open file while it is copied."""

_BLOCK = 1024 * 1024


class TreeTooLarge(Exception):
    """The tree holds more bytes than the copy may (handled inside this room)."""


def copy_tree(source: Path, target: Path, *, owner: tuple[int, int] | None, limit: int | None) -> int:
    """Copy the folder ``source`` to the new folder ``target`` and return the bytes that took.

    Permission bits (but not set-uid, set-gid) and modification times are kept. Symbolic links are
    copied as links and never followed; devices, sockets and named pipes are left out; hard links
    become files of their own. With ``owner`` (uid, gid) everything is given to that user.

    Raises TreeTooLarge over ``limit`` bytes, UsageError for a tree deeper than ``DEEPEST``.
    """
    target.mkdir(mode=0o700)
    copier = _Copier(owner, limit)
    inside = os.open(source, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        outside = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            copier.folder(inside, outside, str(source), 0)
        finally:
            os.close(outside)
    finally:
        os.close(inside)
    return copier.copied


class _Copier:
    """Copies between open folders, so that no path is looked up twice."""

    def __init__(self, owner: tuple[int, int] | None, limit: int | None) -> None:
        self._owner = owner
        self._limit = limit
        self.copied = 0

    def folder(self, source: int, target: int, name: str, depth: int) -> None:
        """Fill the open folder ``target`` with what is in the open folder ``source``."""
        if depth > DEEPEST:
            raise UsageError(
                f"{name} lies more than {DEEPEST} folders deep; remove it or leave it out of the project"
            )
        with os.scandir(source) as entries:
            listed = list(entries)
        for entry in listed:
            if entry.is_symlink():
                self._link(source, target, entry.name)
            elif entry.is_dir(follow_symlinks=False):
                os.mkdir(entry.name, 0o700, dir_fd=target)
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
                inside = os.open(entry.name, flags, dir_fd=source)
                try:
                    outside = os.open(entry.name, flags, dir_fd=target)
                    try:
                        self.folder(inside, outside, f"{name}/{entry.name}", depth + 1)
                    finally:
                        os.close(outside)
                finally:
                    os.close(inside)
            elif entry.is_file(follow_symlinks=False):
                self._file(source, target, entry.name)
        # Every folder counts for some bytes, so that a tree of empty folders has a size too.
        self._count(4096)
        self._finish(target, os.fstat(source), extra=stat.S_IRWXU if depth == 0 else 0)

    def _count(self, size: int) -> None:
        self.copied += size
        if self._limit is not None and self.copied > self._limit:
            raise TreeTooLarge

    def _link(self, source: int, target: int, name: str) -> None:
        os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
        if self._owner is not None:
            os.chown(name, *self._owner, dir_fd=target, follow_symlinks=False)
        information = os.stat(name, dir_fd=source, follow_symlinks=False)
        times = (information.st_atime_ns, information.st_mtime_ns)
        os.utime(name, ns=times, dir_fd=target, follow_symlinks=False)

    def _file(self, source: int, target: int, name: str) -> None:
        # O_NONBLOCK: if the entry has become a named pipe, opening it must not wait.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        inside = os.open(name, flags, dir_fd=source)
        try:
            information = os.fstat(inside)
            if not stat.S_ISREG(information.st_mode):
                return
            self._count(information.st_size)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            outside = os.open(name, flags, 0o600, dir_fd=target)
            try:
                left = information.st_size
                while left > 0 and (sent := os.sendfile(outside, inside, None, min(left, _BLOCK))):
                    left -= sent
                self._finish(outside, information)
            finally:
                os.close(outside)
        finally:
            os.close(inside)

    def _finish(self, descriptor: int, information: os.stat_result, *, extra: int = 0) -> None:
        if self._owner is not None:
            os.chown(descriptor, *self._owner)
        os.fchmod(descriptor, information.st_mode & 0o1777 | extra)
        os.utime(descriptor, ns=(information.st_atime_ns, information.st_mtime_ns))


def copy_file(source: Path, target: Path, *, owner: tuple[int, int]) -> None:
    """Copy one regular file and give it to ``owner``, readable by them."""
    with source.open("rb") as inside, target.open("xb") as outside:
        size = os.fstat(inside.fileno()).st_size
        while size > 0 and (sent := os.sendfile(outside.fileno(), inside.fileno(), None, min(size, _BLOCK))):
            size -= sent
        mode = os.fstat(inside.fileno()).st_mode
        os.chown(outside.fileno(), *owner)
        os.fchmod(outside.fileno(), mode & 0o777)
