"""Half of a known solution."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from backdate.tasks.quality.halves import half_of

OLD = b"def one():\n    return 0\n\n\ndef two():\n    return 0\n\n\ndef three():\n    return 0\n"
NEW = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n"


def applied(patch: str | None, files: Mapping[str, bytes | None], folder: Path) -> dict[str, bytes]:
    assert patch is not None
    for path, data in files.items():
        assert data is not None
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    subprocess.run(["patch", "-p0", "-t", "-E"], cwd=folder, input=patch.encode(), check=True)
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_places_are_kept_up_to_the_middle_and_undone_after_it(tmp_path) -> None:
    first = applied(half_of({"a.py": OLD}, {"a.py": NEW}), {"a.py": OLD}, tmp_path)
    assert first["a.py"] in (
        OLD.replace(b"one():\n    return 0", b"one():\n    return 1"),
        NEW.replace(b"return 3", b"return 0"),
    )


def test_two_halves_are_the_whole(tmp_path) -> None:
    halves = [half_of({"a.py": OLD}, {"a.py": NEW}, half) for half in ("first", "second")]
    files = applied(halves[0], {"a.py": OLD}, tmp_path)
    assert applied(halves[1], files, tmp_path)["a.py"] == NEW


def test_what_changes_no_program_stays_and_counts_for_nothing(tmp_path) -> None:
    old = {"README.md": b"old\n", "a.py": b"# old\n" + OLD, "b.py": b"X = 0\n"}
    new = {"README.md": b"new\n", "a.py": b"# new\n" + OLD.replace(b"0", b"1", 1), "b.py": b"X = 1\n"}
    files = applied(half_of(old, new), old, tmp_path)
    assert files == {**new, "b.py": b"X = 0\n"}


def test_a_file_that_comes_and_one_that_goes_are_places(tmp_path) -> None:
    old: dict[str, bytes | None] = {"gone.py": b"X = 1\n", "new.py": None}
    new: dict[str, bytes | None] = {"gone.py": None, "new.py": b"X = 1\n"}
    first = applied(half_of(old, new), {"gone.py": b"X = 1\n"}, tmp_path / "first")
    second = applied(half_of(old, new, "second"), {"gone.py": b"X = 1\n"}, tmp_path / "second")
    assert (first, second) == ({}, {"gone.py": b"X = 1\n", "new.py": b"X = 1\n"})


def test_one_place_is_cut_where_python_can_read_the_file(tmp_path) -> None:
    body = b"    first = text.split(\n        ','\n    )\n    second = first[0]\n    return second\n"
    old, new = {"a.py": b"X = 1\n"}, {"a.py": b"X = 1\n\n\ndef head(text):\n" + body}
    half = applied(half_of(old, new), old, tmp_path)["a.py"]
    compile(half, "a.py", "exec")
    assert half not in (old["a.py"], new["a.py"])
    assert b"first = text.split(" in half


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"X = 1\n", b"X = 2\n"), (b"X = 1\n", b"X = 1  # why\n"), (b"X = 1\n", b"X = 1\n\n# a\n# b\n# c\n")],
)
def test_one_edit_has_no_halves(old, new) -> None:
    assert half_of({"a.py": old}, {"a.py": new}) is None
