from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import SourceError
from backdate.projects.sources.tree import TreeLimits, TreeWriter, safe_name


def writer_at(path: Path, **limits: int) -> TreeWriter:
    return TreeWriter(path, what="the thing", limits=TreeLimits(**limits))


@pytest.mark.parametrize(
    "name", ["../x", "/x", "a/../b", "a//b", "./a", "", ".", "a\0b", ".git/config", "a/.GIT/hooks/x"]
)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    for write in (
        lambda w: w.add_file(name, [b""]),
        lambda w: w.add_link(name, "x"),
        lambda w: w.add_folder(name),
    ):
        writer = writer_at(tmp_path / str(len(list(tmp_path.iterdir()))))
        with pytest.raises(SourceError, match="the thing holds"):
            write(writer)


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    writer = writer_at(tmp_path / "tree")
    writer.add_link("a", str(outside))
    writer.add_file("a/file", [b"x"])
    with pytest.raises(SourceError):
        writer.finish()
    assert not list(outside.iterdir())


def test_no_link_is_made_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    writer = writer_at(tmp_path / "tree")
    writer.add_link("a", str(outside))
    writer.add_link("a/link", "/etc/passwd")
    with pytest.raises(SourceError, match="as a file and as a folder"):
        writer.finish()
    assert not list(outside.iterdir())


def test_a_name_is_written_once_and_as_one_kind(tmp_path: Path) -> None:
    writer = writer_at(tmp_path / "tree")
    writer.add_file("a", [b"1"])
    with pytest.raises(SourceError, match="twice"):
        writer.add_file("a", [b"2"])
    with pytest.raises(SourceError, match="as a file and as a folder"):
        writer.add_file("a/b", [b"2"])
    assert (tmp_path / "tree/a").read_bytes() == b"1"


def test_limits_are_exact(tmp_path: Path) -> None:
    writer = writer_at(tmp_path / "tree", bytes=10, files=2, depth=3)
    writer.add_file("a/b/c", [b"x" * 5, b"x" * 5])
    with pytest.raises(SourceError, match="3 folders deep"):
        writer.add_file("a/b/c/d", [])
    writer = writer_at(tmp_path / "tree2", bytes=9)
    with pytest.raises(SourceError, match="more than 9 bytes"):
        writer.add_file("a", [b"x" * 5, b"x" * 5])
    writer = writer_at(tmp_path / "tree3", files=1)
    writer.add_link("a", "b")
    with pytest.raises(SourceError, match="more than 1 files"):
        writer.add_file("b", [])


def test_a_name_that_is_too_long_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be written"):
        writer_at(tmp_path / "tree").add_file("x" * 300, [])


def test_times_before_1980_are_raised(tmp_path: Path) -> None:
    writer = writer_at(tmp_path / "tree")
    writer.add_file("a", [b""], mtime=0)
    assert (tmp_path / "tree/a").stat().st_mtime > 315_000_000


@given(st.text(max_size=100))
def test_safe_names_are_safe(text: str) -> None:
    name = safe_name(text)
    assert name
    assert len(name) <= 60
    assert "/" not in name
    assert not name.startswith((".", "-"))
    assert safe_name(name) == name
