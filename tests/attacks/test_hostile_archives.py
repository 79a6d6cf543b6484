"""An sdist is an archive that leads out of its folder, holds devices, or is small and takes all memory."""

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from backdate.errors import SourceError
from backdate.index.archive_names import MOST_MEMBERS, sdist_members
from backdate.index.forward_stream import open_xz
from backdate.projects.sources.archives import read_members, unpack
from backdate.projects.sources.tree import TreeLimits


def member(name: str = "x/a", kind: bytes = tarfile.REGTYPE, link: str = "", **pax: str) -> bytes:
    """A TAR file with one member."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        info = tarfile.TarInfo(name)
        info.type, info.linkname, info.pax_headers = kind, link, pax
        tar.addfile(info)
    return packed.getvalue()


def global_headers() -> bytes:
    """Each is small, and all of them are kept; a reader copies them for every member."""
    record = b"%d k%09d=%s\n"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for header in range(40):
            info = tarfile.TarInfo("x")
            info.type = tarfile.XGLTYPE
            data = b"".join(record % (24, header * 10_000 + key, b"v" * 9) for key in range(10_000))
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
            tar.addfile(tarfile.TarInfo(f"x/{header}"))
    return packed.getvalue()


def large_dictionary() -> bytes:
    """A file of zeros, which a reader of .xz keeps in memory up to the size that the archive chooses."""
    one = {"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 20}
    packed = bytearray(lzma.compress(bytes(1 << 20), check=lzma.CHECK_NONE, filters=[one]))
    # The header of a block: size, flags, the filter's id, the size of its properties, the dictionary's.
    start = 12
    assert packed[start + 2 : start + 4] == b"\x21\x01"
    packed[start + 4] = 39  # 3 GiB
    end = start + (packed[start] + 1) * 4 - 4
    packed[end : end + 4] = struct.pack("<I", zlib.crc32(packed[start:end]))
    return bytes(packed)


def long_list() -> bytes:
    """A zip file whose list names one member a million times."""
    name, times = b"a", 1_000_000
    first = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0) + name
    entry = (
        struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, len(name), 0, 0, 0, 0, 0, 0) + name
    )
    size, place = len(entry) * times, len(first)
    end64 = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, times, times, size, place)
    found = struct.pack("<4sIQI", b"PK\6\7", 0, place + size, 1)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return first + entry * times + end64 + found + end


def zipped(name: str, content: str = "x", mode: int = 0, method: int = zipfile.ZIP_STORED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr, info.compress_type = mode << 16, method
        archive.writestr(info, content)
    return packed.getvalue()


TARS: dict[str, tuple[Callable[[], bytes], str]] = {
    "up and out": (lambda: member("x/../../planted"), "leads out"),
    "absolute": (lambda: member("/tmp/planted"), "leads out"),
    "by an extended header": (lambda: member(path="../planted"), "leads out"),
    "into git's files": (lambda: member("x/.git/../../planted"), "leads out"),
    "a link out": (lambda: member(kind=tarfile.SYMTYPE, link="../../etc/passwd"), "leads out"),
    "an absolute link": (lambda: member(kind=tarfile.SYMTYPE, link="/etc/passwd"), "leads out"),
    "a hard link out": (lambda: member(kind=tarfile.LNKTYPE, link="/etc/passwd"), "leads out"),
    "a hard link to nothing": (lambda: member(kind=tarfile.LNKTYPE, link="x/b"), "not in it"),
    "a device": (lambda: member(kind=tarfile.CHRTYPE), "neither a file"),
    "a disk": (lambda: member(kind=tarfile.BLKTYPE), "neither a file"),
    "a pipe": (lambda: member(kind=tarfile.FIFOTYPE), "neither a file"),
    "folders within folders": (lambda: member("x/" + "a/" * 5000), "folders deep"),
    "a time beyond all": (lambda: member(mtime="1e400"), "damaged"),
    "no time": (lambda: member(mtime="nan"), "damaged"),
    "a sparse file of terabytes": (
        lambda: member(**{"GNU.sparse.map": "0,1," * 9, "GNU.sparse.size": "9" * 15}),
        "damaged|neither",
    ),
    "global headers without end": (global_headers, "global headers"),
}
ZIPS: dict[str, tuple[Callable[[], bytes], str]] = {
    "up and out": (lambda: zipped("x/../../planted"), "leads out"),
    "absolute": (lambda: zipped("/tmp/planted"), "leads out"),
    "a link out": (lambda: zipped("x/a", "../../etc/passwd", mode=0o120777), "leads out"),
    "a pipe": (lambda: zipped("x/a", mode=0o010644), "neither a file"),
    "a dictionary of gigabytes": (lambda: zipped("x/a", method=zipfile.ZIP_LZMA), "LZMA"),
    "a list without end": (long_list, "list of members"),
}


def refused(archive: Path, folder: Path) -> str:
    with pytest.raises(SourceError) as raised:
        unpack(archive, folder / "out", what="the sdist", limits=TreeLimits())
    assert not Path("/tmp/planted").exists()
    assert not list(folder.glob("planted*"))
    return str(raised.value)


@pytest.mark.parametrize("name", TARS)
def test_a_tar_file_is_refused_by_name(name: str, tmp_path: Path) -> None:
    make, words = TARS[name]
    archive = tmp_path / "x-1.tar.gz"
    archive.write_bytes(gzip.compress(make(), 1))
    said = refused(archive, tmp_path)
    assert any(word in said for word in words.split("|")), said


@pytest.mark.parametrize("name", ZIPS)
def test_a_zip_file_is_refused_by_name(name: str, tmp_path: Path) -> None:
    make, words = ZIPS[name]
    archive = tmp_path / "x-1.zip"
    archive.write_bytes(make())
    assert words in refused(archive, tmp_path)


def test_a_dictionary_of_gigabytes_is_not_kept(tmp_path: Path) -> None:
    archive = tmp_path / "x-1.tar.xz"
    archive.write_bytes(large_dictionary())
    assert "Memory usage limit" in refused(archive, tmp_path)
    with pytest.raises(SourceError, match="Memory usage limit"):
        read_members(archive, lambda _: True, what="it", most_files=9, most_bytes=9)


@pytest.mark.parametrize("make", [global_headers, large_dictionary, long_list])
def test_what_an_index_serves_is_read_in_the_same_bounds(make: Callable[[], bytes]) -> None:
    filename = "x-1.zip" if make is long_list else "x-1.tar.gz"
    assert len(sdist_members(filename, make())) < MOST_MEMBERS // 1000


def test_honest_ones_are_read_as_before(tmp_path: Path) -> None:
    inner = member("x/a.py") + bytes(10_240)
    streams = lzma.compress(inner[:512]) + bytes(8) + lzma.compress(inner[512:], preset=6)
    for suffix, data in (("tar.gz", gzip.compress(inner)), ("tar.xz", streams), ("zip", zipped("x/a.py"))):
        archive = tmp_path / f"x-1.{suffix}"
        archive.write_bytes(data)
        unpacked = unpack(archive, tmp_path / suffix, what="the sdist", limits=TreeLimits())
        assert unpacked.python_files == 1
    assert open_xz(io.BytesIO(streams)).read() == inner
    with pytest.raises(EOFError):
        open_xz(io.BytesIO(streams[:-20])).read()
