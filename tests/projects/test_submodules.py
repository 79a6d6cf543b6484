"""Submodules that a tree names and does not hold."""

from pathlib import Path

from backdate.projects.absent_files import absence_notes
from backdate.projects.project import Origin, Project
from backdate.projects.submodules import empty_submodules

MODULES = """\
[submodule "data"]
\tpath = tests/data
\turl = https://user:secret@example.org/data.git
[submodule "there"]
    path = vendor/there
    url = ../there
[submodule "out"]
    path = ../out
"""


def test_the_empty_ones_are_named_with_their_addresses(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").write_text(MODULES)
    (tmp_path / "vendor" / "there").mkdir(parents=True)
    (tmp_path / "vendor" / "there" / "a.py").touch()
    (tmp_path / "tests" / "data").mkdir(parents=True)
    assert empty_submodules(tmp_path) == (("tests/data", "https://example.org/data.git"),)
    (tmp_path / "tests" / "data").rmdir()
    assert [path for path, _ in empty_submodules(tmp_path)] == ["tests/data"]


def test_none_without_a_file_or_with_one_that_leads_out(tmp_path: Path) -> None:
    assert empty_submodules(tmp_path) == ()
    (tmp_path / ".gitmodules").symlink_to("/dev/zero")
    assert empty_submodules(tmp_path) == ()


def test_each_is_told_once_with_what_gets_it(tmp_path: Path) -> None:
    (tmp_path / ".gitmodules").write_text(MODULES)
    (tmp_path / "vendor" / "there").mkdir(parents=True)
    (tmp_path / "vendor" / "there" / "a.py").touch()
    folder = Project(name="x", root=tmp_path, origin=Origin(kind="folder", location=str(tmp_path)))
    (note,) = absence_notes(folder)
    assert note.startswith("the submodule tests/data, which is https://example.org/data.git, is empty: ")
    assert "git submodule update --init" in note
    missing = ("tests/data (submodule)", "a.bin (Git LFS: only its pointer is there)")
    cloned = Project(name="x", root=tmp_path, origin=Origin(kind="git", location="x", missing=missing))
    notes = absence_notes(cloned)
    assert notes[0] == "not in the tree: a.bin (Git LFS: only its pointer is there)"
    assert "--recurse-submodules" in notes[1]
