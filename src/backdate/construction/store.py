"""What all workers reach: results of finished stages and source trees, by the hash of their inputs.

A folder, or with fsspec anything that it knows (a bucket, a server). Entries are written whole and never
change, so that nobody has to ask whether somebody else is writing.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import Any, Protocol, TypeVar

from backdate.errors import DiskFull, StoredDataError, UsageError
from backdate.serial import from_json, to_json, write_whole

T = TypeVar("T")

LARGEST_KEPT = 512 * 1024 * 1024
"""Bytes that a kept value may unpack to: a store is shared, and a few of them can be made terabytes."""


class Store(Protocol):
    """Entries by name: letters, digits, dashes and dots, with at most one folder before them."""

    def read(self, name: str) -> bytes | None:
        """The entry, or None."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Keep an entry. Raises DiskFull."""
        ...

    def fetch(self, name: str, target: Path) -> bool:
        """Write the entry to the file ``target``; False when there is none."""
        ...

    def bring(self, source: Path, name: str) -> None:
        """Keep the file ``source`` as an entry. Raises DiskFull."""
        ...

    def remove(self, name: str) -> None:
        """Forget an entry, if it is there."""
        ...


class FolderStore:
    """Entries are files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        """The entry, or None."""
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keep an entry. Raises DiskFull."""
        write_whole(self.folder / name, data)

    def fetch(self, name: str, target: Path) -> bool:
        """Write the entry to the file ``target``; False when there is none."""
        try:
            shutil.copyfile(self.folder / name, target)
        except FileNotFoundError:
            return False
        return True

    def bring(self, source: Path, name: str) -> None:
        """Keep the file ``source`` as an entry. Raises DiskFull."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".bring-") as folder:
            try:
                shutil.copyfile(source, Path(folder, "whole"))
            except OSError as error:
                if error.errno in (errno.ENOSPC, errno.EDQUOT):
                    raise DiskFull(f"no space left to write {target}; free some and resume") from error
                raise
            Path(folder, "whole").replace(target)

    def remove(self, name: str) -> None:
        """Forget an entry, if it is there."""
        (self.folder / name).unlink(missing_ok=True)


class FsspecStore:
    """Entries are files at an address that fsspec knows: ``s3://bucket/folder``, ``memory://x``, …"""

    def __init__(self, address: str) -> None:
        """Raises UsageError without fsspec, or when it does not know the address' protocol."""
        try:
            import fsspec  # type: ignore[import-untyped]
        except ImportError as error:
            raise UsageError(
                "a store that is no folder needs fsspec: pip install 'backdate[cluster]'"
            ) from error
        try:
            self._files: Any
            self._files, self._root = fsspec.core.url_to_fs(address)
        except (ValueError, ImportError) as error:
            raise UsageError(f"--store {address!r} cannot be opened: {error}") from error

    def _path(self, name: str) -> str:
        return f"{self._root.rstrip('/')}/{name}"

    def read(self, name: str) -> bytes | None:
        """The entry, or None."""
        try:
            return bytes(self._files.cat_file(self._path(name)))
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keep an entry. An object store shows it when it is whole."""
        self._files.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
        self._files.pipe_file(self._path(name), data)

    def fetch(self, name: str, target: Path) -> bool:
        """Write the entry to the file ``target``; False when there is none."""
        try:
            self._files.get_file(self._path(name), str(target))
        except FileNotFoundError:
            return False
        return True

    def bring(self, source: Path, name: str) -> None:
        """Keep the file ``source`` as an entry."""
        self._files.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
        self._files.put_file(str(source), self._path(name))

    def remove(self, name: str) -> None:
        """Forget an entry, if it is there."""
        try:
            self._files.rm_file(self._path(name))
        except FileNotFoundError:
            return


def open_store(address: str) -> Store:
    """The store at ``address``: a folder, or what fsspec knows. Raises UsageError."""
    if "://" in address:
        return FsspecStore(address)
    return FolderStore(Path(address))


def read_kept(store: Store, kind: type[T], name: str) -> T | None:
    """The value kept as ``name``; None where there is none, and for a damaged one, which is made again."""
    data = store.read(name)
    if data is None:
        return None
    try:
        return from_json(kind, zlib.decompressobj().decompress(data, LARGEST_KEPT), what=name)
    except (zlib.error, StoredDataError):  # also of one that is larger, and so cut off
        store.remove(name)
        return None


def keep(store: Store, name: str, value: object) -> None:
    """Keep ``value`` as ``name``."""
    store.write(name, zlib.compress(to_json(value), 6))
