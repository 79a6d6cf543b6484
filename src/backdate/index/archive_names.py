"""Find the modules of a wheel or an sdist from the names of its members, without unpacking it.

A wheel lists its members at its end (the ZIP format), so a small range of a large file is enough. An
sdist has to be read as a whole, within limits.
"""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
from collections.abc import Iterable, Iterator
from typing import IO, cast

from backdate.index.forward_stream import BROKEN, BoundedZip, ForwardStream, bounded_members, open_xz

MOST_MEMBERS = 50_000
MOST_MODULES = 5_000
LARGEST_UNPACKED = 128 * 1024 * 1024
"""Bytes of an sdist that are unpacked to read its members' names."""
_DEEPEST = 4
"""Parts of a dotted name that are reported: enough for ``google.cloud.storage``."""
_SOURCES = (".py", ".so", ".pyd")


def wheel_members(end: bytes) -> tuple[str, ...] | None:
    """The names of a wheel's members, from its last bytes; None when these do not hold the whole list.

    The length of the whole file is not needed: the list is located from the end.
    """
    try:
        with BoundedZip(io.BytesIO(end)) as archive:
            return tuple(archive.namelist()[:MOST_MEMBERS])
    except BROKEN:
        return None


def sdist_members(filename: str, data: bytes) -> tuple[str, ...]:
    """The names of an sdist's members without the outermost folder, up to the first damaged one."""
    if filename.endswith(".zip"):
        names: Iterable[str] = wheel_members(data) or ()
    else:
        names = _tar_members(data)
    return tuple(name.partition("/")[2] for name in names)


def _tar_members(data: bytes) -> list[str]:
    names: list[str] = []
    try:
        with _decompressed(data) as stream:
            bounded = ForwardStream(stream, LARGEST_UNPACKED, tarfile.ReadError)
            members = bounded_members(tarfile.ReadError)
            with tarfile.open(fileobj=cast(IO[bytes], bounded), mode="r:", tarinfo=members) as archive:
                for member in archive:
                    names.append(member.name)
                    if len(names) >= MOST_MEMBERS:
                        break
    except BROKEN:
        return names  # what was read so far is what is known
    return names


def _decompressed(data: bytes) -> IO[bytes]:
    """``data`` decompressed; its first bytes tell how it is compressed."""
    packed = io.BytesIO(data)
    if data.startswith(b"\x1f\x8b"):
        return cast(IO[bytes], gzip.open(packed))
    if data.startswith(b"BZh"):
        return bz2.open(packed)
    return open_xz(packed) if data.startswith(b"\xfd7zXZ") else packed


def modules_of(members: Iterable[str], *, sdist: bool = False) -> tuple[str, ...]:
    """The dotted names that can be imported from an archive with these members, sorted."""
    modules: set[str] = set()
    for member in members:
        for parts in _places(member, sdist=sdist):
            for length in range(1, min(len(parts), _DEEPEST) + 1):
                modules.add(".".join(parts[:length]))
        if len(modules) > MOST_MODULES:
            break
    return tuple(sorted(modules))


def _places(member: str, *, sdist: bool) -> Iterator[tuple[str, ...]]:
    """The dotted name of a member, as its parts: in an sdist from its root and from the usual folders."""
    if not member.endswith(_SOURCES):
        return
    parts = member.split("/")
    if not sdist:
        if len(parts) > 2 and parts[0].endswith(".data"):
            parts = parts[2:]
        yield from _dotted(parts)
        return
    if parts[-1] in ("setup.py", "conftest.py") and len(parts) == 1:
        return
    if parts[0] in ("src", "lib", "python") and len(parts) > 1:
        parts = parts[1:]
    yield from _dotted(parts)


def _dotted(parts: list[str]) -> Iterator[tuple[str, ...]]:
    name = parts[-1].partition(".")[0]
    whole = (*parts[:-1], *(() if name == "__init__" else (name,)))
    if whole and all(part.isidentifier() for part in whole):
        yield whole
