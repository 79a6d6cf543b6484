from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import SourceError
from backdate.projects.sources.archives import unpack
from backdate.projects.sources.tree import TreeLimits

Fill = Callable[[tarfile.TarFile], None]


def file_member(name: str, data: bytes = b"x", **fields: object) -> tuple[tarfile.TarInfo, io.BytesIO]:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in fields.items():
        setattr(info, key, value)
    return info, io.BytesIO(data)


def link_member(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, None]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, None


def make_tar(path: Path, *members: tuple[tarfile.TarInfo, io.BytesIO | None]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            tar.addfile(info, data)
    return path


def bring(archive: Path, target: Path, **limits: int) -> int:
    return unpack(archive, target, what="the sdist", limits=TreeLimits(**limits)).python_files


@pytest.mark.parametrize("suffix", ["tar.gz", "tar.bz2", "tar.xz", "zip", "tgz"])
def test_every_kind_is_unpacked(tmp_path: Path, suffix: str, files_of) -> None:
    archive = tmp_path / f"a.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            zipped.writestr("a/", "")
            zipped.writestr("a/b.py", "x")
    else:
        raw = io.BytesIO()
        with tarfile.open(fileobj=raw, mode="w") as tar:
            tar.addfile(*file_member("./a/b.py"))
        compress = {"bz2": bz2.compress, ".xz": lzma.compress}.get(suffix[-3:], gzip.compress)
        archive.write_bytes(compress(raw.getvalue()))
    assert bring(archive, tmp_path / "out") == 1
    assert files_of(tmp_path / "out") == {"a/b.py": "x"}


def test_links_inside_and_hard_links_are_kept(tmp_path: Path, files_of) -> None:
    archive = make_tar(
        tmp_path / "a.tar.gz",
        file_member("a/b.py", b"hello", mode=0o755),
        link_member("a/c/link", "../b.py"),
        link_member("a/hard.py", "a/b.py", tarfile.LNKTYPE),
    )
    bring(archive, tmp_path / "out")
    assert files_of(tmp_path / "out") == {"a/b.py": "hello", "a/c/link": "-> ../b.py", "a/hard.py": "hello"}
    assert os.access(tmp_path / "out/a/b.py", os.X_OK)


def test_where_an_authors_git_kept_a_submodule_is_left_out(tmp_path: Path, files_of) -> None:
    members = (
        file_member("a/sub/.git", b"gitdir: ../../.git/modules/sub"),
        file_member("a/sub/b.py", b"hello"),
    )
    bring(make_tar(tmp_path / "a.tar.gz", *members), tmp_path / "out")
    assert files_of(tmp_path / "out") == {"a/sub/b.py": "hello"}


@pytest.mark.parametrize(
    "member",
    [
        file_member("../x"),
        file_member("/x"),
        file_member("a/../../x"),
        link_member("a/link", "/etc/passwd"),
        link_member("a/link", "../../x"),
        link_member("link", ".."),
        link_member("a/hard", "/etc/passwd", tarfile.LNKTYPE),
        link_member("a/hard", "../../etc/passwd", tarfile.LNKTYPE),
        link_member("a/hard", "a/absent", tarfile.LNKTYPE),
        link_member("a/device", "", tarfile.CHRTYPE),
        link_member("a/disk", "", tarfile.BLKTYPE),
        link_member("a/pipe", "", tarfile.FIFOTYPE),
    ],
    ids=lambda member: member[0].name + member[0].linkname,
)
def test_names_and_links_that_lead_out_are_refused(tmp_path: Path, member) -> None:
    if member[1] is not None:
        member[1].seek(0)
    archive = make_tar(tmp_path / "a.tar.gz", member)
    with pytest.raises(SourceError, match="the sdist holds"):
        bring(archive, tmp_path / "in/out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar.gz", "in"]
    assert sorted(path.name for path in (tmp_path / "in").iterdir()) == ["out"]


@pytest.mark.parametrize("suffix", ["tar.gz", "zip"])
def test_git_folders_are_left_out_and_named(tmp_path: Path, suffix: str, files_of) -> None:
    archive = tmp_path / f"a.{suffix}"
    names = (
        "a/m.py",
        "a/tests/data/.git",
        "a/.GIT/config",
        "a/.git/hooks/x",
        "a/.git/hooks/y.py",
        "a/.gitignore",
    )
    if suffix == "zip":
        with zipfile.ZipFile(archive, "w") as zipped:
            for name in names:
                zipped.writestr(name, "x")
    else:
        make_tar(archive, *(file_member(name) for name in names), link_member("a/x", ".git/config"))
    unpacked = unpack(archive, tmp_path / "out", what="the sdist", limits=TreeLimits())
    assert unpacked.python_files == 1
    assert unpacked.missing == ("a/tests/data/.git (git's own)", "a/.GIT (git's own)", "a/.git (git's own)")
    link = {"a/x": "-> .git/config"} if suffix == "tar.gz" else {}
    assert files_of(tmp_path / "out") == {"a/m.py": "x", "a/.gitignore": "x", **link}


def test_a_hard_link_into_a_git_folder_is_refused(tmp_path: Path) -> None:
    members = (file_member("a/.git/config"), link_member("a/b", "a/.git/config", tarfile.LNKTYPE))
    with pytest.raises(SourceError, match="git's files"):
        bring(make_tar(tmp_path / "a.tar.gz", *members), tmp_path / "out")


def test_no_more_places_are_named_than_can_be_read(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "a.tar.gz", *(file_member(f"{n}/.git/x") for n in range(100)))
    assert len(unpack(archive, tmp_path / "out", what="it", limits=TreeLimits()).missing) == 20


def test_writing_through_an_inner_link_is_refused(tmp_path: Path) -> None:
    archive = make_tar(
        tmp_path / "a.tar.gz",
        file_member("real/f"),
        link_member("a", "real"),
        file_member("a/g"),
    )
    with pytest.raises(SourceError):
        bring(archive, tmp_path / "out")
    assert not (tmp_path / "out/real/g").exists()


def test_a_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "a.tar.gz", file_member("a.py", bytes(5_000_000)))
    assert archive.stat().st_size < 10_000
    with pytest.raises(SourceError, match=r"more than 1,000,000 bytes|unpacks to more"):
        bring(archive, tmp_path / "out", bytes=1_000_000, files=1)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("a.py", bytes(5_000_000))
    with pytest.raises(SourceError, match="more than 1,000,000 bytes"):
        bring(tmp_path / "a.zip", tmp_path / "out2", bytes=1_000_000)


def test_too_many_members_stop_at_the_limit(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "a.tar.gz", *(file_member(str(i)) for i in range(20)))
    with pytest.raises(SourceError, match="more than 10 files"):
        bring(archive, tmp_path / "out", files=10)


def test_zeros_after_the_end_or_in_skipped_members_are_counted(tmp_path: Path) -> None:
    info = tarfile.TarInfo("d")
    info.type, info.size = b"Z", 50_000_000  # an unknown type is taken for a file
    raw = info.tobuf() + bytes(50_000_000)
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(raw, 1))
    with pytest.raises(SourceError):
        bring(tmp_path / "a.tar.gz", tmp_path / "out", bytes=1000, files=10)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_giant_header_is_not_gathered(tmp_path: Path, kind: bytes) -> None:
    info = tarfile.TarInfo("header")
    info.type, info.size = kind, 1_000_000_000
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(info.tobuf() + bytes(1000)))
    said = "bytes of global headers" if kind == tarfile.XGLTYPE else "extended header of 1,000,000,"
    with pytest.raises(SourceError, match=said):
        bring(tmp_path / "a.tar.gz", tmp_path / "out")


def zip_with(path: Path, name: str, data: bytes, mode: int) -> Path:
    with zipfile.ZipFile(path, "w") as zipped:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        zipped.writestr(info, data)
    return path


@pytest.mark.parametrize(
    ("name", "data", "mode"),
    [
        ("../x", b"", stat.S_IFREG),
        ("/x", b"", stat.S_IFREG),
        ("a/link", b"/etc/passwd", stat.S_IFLNK),
        ("a/link", b"../../x", stat.S_IFLNK),
        ("a/pipe", b"", stat.S_IFIFO),
        ("a/device", b"", stat.S_IFCHR),
    ],
)
def test_zips_that_lead_out_are_refused(tmp_path: Path, name: str, data: bytes, mode: int) -> None:
    archive = zip_with(tmp_path / "a.zip", name, data, mode | 0o644)
    with pytest.raises(SourceError, match="the sdist holds"):
        bring(archive, tmp_path / "out")


def test_a_zip_that_lies_about_sizes_is_damaged(tmp_path: Path) -> None:
    archive = zip_with(tmp_path / "a.zip", "a.py", b"hello", stat.S_IFREG | 0o644)
    data = bytearray(archive.read_bytes())
    central = data.rfind(b"PK\x01\x02")
    data[central + 24 : central + 28] = struct.pack("<I", 3)
    archive.write_bytes(bytes(data))
    with pytest.raises(SourceError, match="damaged"):
        bring(archive, tmp_path / "out")


def test_an_encrypted_zip_is_damaged(tmp_path: Path) -> None:
    archive = zip_with(tmp_path / "a.zip", "a.py", b"hello", stat.S_IFREG | 0o644)
    data = bytearray(archive.read_bytes())
    data[6] |= 1
    data[data.rfind(b"PK\x01\x02") + 8] |= 1
    archive.write_bytes(bytes(data))
    with pytest.raises(SourceError, match="damaged"):
        bring(archive, tmp_path / "out")


@given(st.binary(max_size=400), st.sampled_from(["tar.gz", "tar.bz2", "tar.xz", "zip"]))
def test_garbage_is_damaged_or_empty(tmp_path_factory, data: bytes, suffix: str) -> None:
    folder = tmp_path_factory.mktemp("archive")
    (folder / f"a.{suffix}").write_bytes(data)
    with pytest.raises(SourceError):
        bring(folder / f"a.{suffix}", folder / "out")


@given(st.integers(0, 1535), st.integers(0, 255))
def test_a_flipped_byte_never_escapes(tmp_path_factory, position: int, value: int) -> None:
    folder = tmp_path_factory.mktemp("archive")
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        tar.addfile(*file_member("a/b.py"))
        tar.addfile(*link_member("a/c", "b.py"))
    data = bytearray(raw.getvalue())
    data[position] = value
    (folder / "a.tar.gz").write_bytes(gzip.compress(bytes(data)))
    with contextlib.suppress(SourceError):
        bring(folder / "a.tar.gz", folder / "out")
    assert {path.name for path in folder.iterdir()} <= {"a.tar.gz", "out"}
