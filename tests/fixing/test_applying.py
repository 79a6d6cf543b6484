"""Applying a fix: only to the files that were read, never through links, and so that it can be undone."""

from __future__ import annotations

import pytest

from backdate.editing.apply import apply_patch
from backdate.errors import ConfigurationError, UsageError
from backdate.fixing.applying import apply_fix, changed_files
from backdate.projects.hostile import Folder

BEFORE = {"pkg/a.py": b"x = 1\r\n", "b.py": b"y = 1\n"}
AFTER = {"pkg/a.py": b"x = 2\r\n", "b.py": b"y = 2\n"}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "project"
    (folder / "pkg").mkdir(parents=True)
    for name, data in BEFORE.items():
        (folder / name).write_bytes(data)
    (folder / "pkg/a.py").chmod(0o755)
    return folder


def contents(folder):
    return {name: (folder / name).read_bytes() for name in BEFORE}


def test_files_are_changed_and_the_undo_patch_brings_them_back(folder) -> None:
    apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert contents(folder) == AFTER
    assert (folder / "pkg/a.py").stat().st_mode & 0o777 == 0o755
    apply_patch((folder / "undo.patch").read_bytes().decode(), folder)
    assert contents(folder) == BEFORE


def test_a_file_that_changed_meanwhile_stops_all_of_it(folder) -> None:
    (folder / "pkg/a.py").write_bytes(b"x = 3\n")
    with pytest.raises(UsageError, match=r"nothing was applied: pkg/a.py changed since it was read"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert (folder / "b.py").read_bytes() == BEFORE["b.py"]
    assert not (folder / "undo.patch").exists()


def test_a_file_that_is_gone_stops_all_of_it(folder) -> None:
    (folder / "pkg/a.py").unlink()
    with pytest.raises(UsageError, match="nothing was applied"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert (folder / "b.py").read_bytes() == BEFORE["b.py"]


@pytest.mark.parametrize("linked", ["b.py", "pkg"])
def test_links_are_not_followed(folder, tmp_path, linked) -> None:
    outside = tmp_path / "outside"
    (folder / linked).rename(outside)
    (folder / linked).symlink_to(outside)
    with pytest.raises(UsageError, match="nothing was applied"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    kept = outside if outside.is_file() else outside / "a.py"
    assert kept.read_bytes() == BEFORE["b.py" if outside.is_file() else "pkg/a.py"]


def test_what_is_at_the_undo_patch_is_not_written_over(folder) -> None:
    (folder / "undo.patch").write_text("mine\n")
    with pytest.raises(UsageError, match="is there already"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert contents(folder) == BEFORE
    assert (folder / "undo.patch").read_text() == "mine\n"


def test_where_a_file_cannot_be_written_those_before_it_are_as_they_were(folder, monkeypatch) -> None:
    real = Folder.write_new

    def full(self: Folder, name: str, data: bytes, *, mode: int = 0o644) -> None:
        if data == AFTER["pkg/a.py"]:
            real(self, name, data[:2], mode=mode)
            raise ConfigurationError(f"{self.path / name}: No space left on device")
        real(self, name, data, mode=mode)

    monkeypatch.setattr(Folder, "write_new", full)
    with pytest.raises(UsageError, match=r"nothing was applied: .*No space left"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert contents(folder) == BEFORE
    assert sorted(path.name for path in folder.iterdir()) == ["b.py", "pkg"]
    assert [path.name for path in (folder / "pkg").iterdir()] == ["a.py"]


def test_a_read_only_file_is_not_replaced(folder) -> None:
    (folder / "b.py").chmod(0o444)
    with pytest.raises(UsageError, match=r"nothing was applied: b.py is read-only"):
        apply_fix(folder, BEFORE, AFTER, folder / "undo.patch")
    assert contents(folder) == BEFORE


def test_files_are_known_by_their_bytes() -> None:
    files = changed_files({**BEFORE, "c.py": b""}, {**AFTER, "c.py": b""})
    assert [file.path for file in files] == ["b.py", "pkg/a.py"]
    assert all(file.before != file.after and len(file.before) == 64 for file in files)
