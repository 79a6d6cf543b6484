"""Unpacking an sdist that may be hostile.

Nothing leads out of the target: absolute names, ``..``, links that lead out, devices and pipes are
refused, as by tarfile's data filter (PEP 706). What is written is counted while it is written, so that
an archive that lies about sizes, or holds a terabyte of zeros, stops at the limit.

Git's own files (a whole ``.git``, or the file of that name which a submodule has) are left out, and named: a
maker of sdists may pack them unawares, and git would run what a configuration in them says.
"""

from __future__ import annotations

import bz2
import gzip
import posixpath
import stat
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from backdate.errors import SourceError, SourceProblem
from backdate.index.forward_stream import BROKEN, BoundedZip, ForwardStream, bounded_members, open_xz
from backdate.projects.sources.tree import CHUNK, TreeLimits, TreeWriter, read_chunks

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".zip", ".tar.bz2", ".tar.xz")
"""The kinds of sdist that can be unpacked, the preferred first."""

READ_BYTES = 1024 * 1024 * 1024
"""What an archive may unpack to when single files are read from it."""

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """The result of unpacking an archive."""

    python_files: int
    missing: tuple[str, ...] = ()
    """Where git's own files were: each path once, at most twenty, in the form of ``Origin.missing``."""


def unpack(archive: Path, target: Path, *, what: str, limits: TreeLimits) -> Unpacked:
    """Unpack ``archive`` to the new folder ``target``.

    Raises SourceError, naming ``what``, when it is damaged, escapes, or is too large.
    """
    writer = TreeWriter(target, what=what, limits=limits)
    left_out: dict[str, None] = {}
    try:
        if archive.name.endswith(".zip"):
            _unpack_zip(archive, writer, what, left_out)
        else:
            _unpack_tar(archive, writer, what, limits, left_out)
    except SourceError:
        raise
    except BROKEN as error:
        raise SourceError(f"{what} is damaged: {error}", SourceProblem.DAMAGED) from error
    writer.finish()
    return Unpacked(
        python_files=writer.python_files, missing=tuple(f"{name} (git's own)" for name in left_out)
    )


def read_members(
    archive: Path, is_wanted: Callable[[str], bool], *, what: str, most_files: int, most_bytes: int
) -> dict[str, bytes]:
    """The first ``most_bytes`` of each regular file in ``archive`` whose name is wanted; nothing is written.

    At most ``most_files`` files are read. A wheel is read as well. Raises SourceError, naming ``what``, when
    the archive is damaged or unpacks to more than ``READ_BYTES``.
    """
    contents: dict[str, bytes] = {}
    try:
        if archive.name.endswith((".zip", ".whl")):
            with BoundedZip(archive) as zipped:
                for info in zipped.infolist():
                    if len(contents) < most_files and not info.is_dir() and is_wanted(info.filename):
                        with zipped.open_member(info) as content:
                            contents.setdefault(info.filename, content.read(most_bytes))
        else:
            with open_tar(archive, what=what, most_bytes=READ_BYTES) as tar:
                for member in tar:
                    if len(contents) >= most_files:
                        break
                    if member.isreg() and not member.issparse() and is_wanted(member.name):
                        content = cast(IO[bytes], tar.extractfile(member))
                        contents.setdefault(member.name, content.read(most_bytes))
    except SourceError:
        raise
    except BROKEN as error:
        raise SourceError(f"{what} is damaged: {error}", SourceProblem.DAMAGED) from error
    return contents


@contextmanager
def open_tar(archive: Path, *, what: str, most_bytes: int) -> Iterator[tarfile.TarFile]:
    """The TAR file ``archive``, compressed as its name says, to be read forwards.

    Raises SourceError, naming ``what``, when it unpacks to more than ``most_bytes`` or holds a header of
    absurd size, also while it is being read; other damage raises one of ``BROKEN`` then.
    """
    with _decompressed(archive) as stream:

        def refused(problem: str) -> SourceError:
            return SourceError(f"{what} {problem}", SourceProblem.TOO_LARGE)

        bounded = ForwardStream(stream, most_bytes, refused)
        members = bounded_members(refused)
        with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:", tarinfo=members) as tar:
            yield tar


def unpacked_bytes(limits: TreeLimits) -> int:
    """What the TAR file of a tree within ``limits`` may unpack to: headers and padding come on top."""
    return limits.bytes + 4096 * limits.files


def _unpack_tar(
    archive: Path, writer: TreeWriter, what: str, limits: TreeLimits, left_out: dict[str, None]
) -> None:
    with open_tar(archive, what=what, most_bytes=unpacked_bytes(limits)) as tar:
        for member in tar:
            name = _clean(member.name, what)
            if not _is_gits_own(name, left_out):
                _write_member(tar, member, name, writer, what)


def _write_member(
    tar: tarfile.TarFile, member: tarfile.TarInfo, name: str, writer: TreeWriter, what: str
) -> None:
    if member.isdir():
        if name:
            writer.add_folder(name)
    elif _is_submodule_pointer(name):
        return
    elif member.isreg() and not member.issparse():
        content = tar.extractfile(member)
        assert content is not None
        writer.add_file(name, _chunks(content), executable=bool(member.mode & 0o100), mtime=member.mtime)
    elif member.issym():
        writer.add_link(name, _checked_target(name, member.linkname, what))
    elif member.islnk():
        original = writer.path_of(_clean(member.linkname, what))
        if not original.is_file():
            raise SourceError(f"{what} holds a hard link {name!r} to what is not in it")
        writer.add_file(name, read_chunks(original), executable=bool(member.mode & 0o100), mtime=member.mtime)
    else:
        raise SourceError(f"{what} holds {name!r}, which is neither a file, a folder nor a link")


def _unpack_zip(archive: Path, writer: TreeWriter, what: str, left_out: dict[str, None]) -> None:
    with BoundedZip(archive) as zipped:
        for info in zipped.infolist():
            name = _clean(info.filename, what)
            if _is_gits_own(name, left_out):
                continue
            mode = info.external_attr >> 16
            if info.is_dir():
                if name:
                    writer.add_folder(name)
            elif _is_submodule_pointer(name):
                continue
            elif stat.S_ISLNK(mode):
                with zipped.open_member(info) as content:
                    target = content.read(4096).decode("utf-8", errors="surrogateescape")
                writer.add_link(name, _checked_target(name, target, what))
            elif stat.S_IFMT(mode) in (0, stat.S_IFREG):
                with zipped.open_member(info) as content:
                    writer.add_file(name, _chunks(content), executable=bool(mode & 0o100))
            else:
                raise SourceError(f"{what} holds {name!r}, which is neither a file, a folder nor a link")


def _is_gits_own(name: str, left_out: dict[str, None]) -> bool:
    """Whether ``name`` is or lies in a ``.git``; the path of that is then added to ``left_out``."""
    parts = name.split("/")
    depth = next((depth for depth, part in enumerate(parts, start=1) if part.lower() == ".git"), 0)
    if depth and len(left_out) < _MOST_NAMED:
        left_out["/".join(parts[:depth])[:200]] = None
    return depth > 0


def _clean(name: str, what: str) -> str:
    """``name`` without the ``./`` and ``/`` that tar writers leave at its ends; refused when it leads out."""
    cleaned = "/".join(part for part in name.split("/") if part not in ("", "."))
    if name.startswith("/") or ".." in cleaned.split("/"):
        raise SourceError(
            f"{what} holds the name {name[:200]!r}, which leads out of it", SourceProblem.LEADS_OUT
        )
    return cleaned


def _is_submodule_pointer(name: str) -> bool:
    """Whether a file is the ``.git`` file that a checkout has in the place of a submodule's ``.git`` folder.

    Some sdists hold one. It is no part of the project, and is left out; ``TreeWriter`` refuses anything in a
    folder of that name.
    """
    return name.rpartition("/")[2] == ".git" and "/" in name


def _checked_target(name: str, target: str, what: str) -> str:
    reached = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
    if target.startswith("/") or reached == ".." or reached.startswith("../"):
        raise SourceError(
            f"{what} holds a link {name!r} to {target[:200]!r}, which leads out of it",
            SourceProblem.LEADS_OUT,
        )
    return target


def _decompressed(archive: Path) -> IO[bytes]:
    if archive.name.endswith((".tar.gz", ".tgz")):
        return cast(IO[bytes], gzip.open(archive, "rb"))
    if archive.name.endswith(".tar.bz2"):
        return bz2.open(archive, "rb")
    if archive.name.endswith(".tar.xz"):
        return open_xz(archive.open("rb"))
    raise SourceError(
        f"{archive.name} is not a kind of sdist that can be unpacked ({', '.join(ARCHIVE_SUFFIXES)})"
    )


def _chunks(content: IO[bytes]) -> Iterator[bytes]:
    while chunk := content.read(CHUNK):
        yield chunk
