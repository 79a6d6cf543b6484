"""Which classes a file of a library defines."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.diagnosis import class_names
from backdate.diagnosis.class_names import classes_in

TEXT = "class A(B): ...\nif x:\n\tclass C:\n\t\tpass\n# class D\nx = 'class E'\nclassy = 1\n"


def test_classes_at_any_depth_and_nothing_that_only_looks_so(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT)
    assert classes_in(str(file)).names == {"A", "C"}
    assert classes_in(str(file)).characters == len(TEXT)


def test_a_file_is_read_once_and_again_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_text(TEXT)
    read: list[Path] = []
    real = class_names.read_bounded
    monkeypatch.setattr(class_names, "read_bounded", lambda path, most: read.append(path) or real(path, most))
    assert classes_in(str(file)) == classes_in(str(file))
    assert read == [file]
    file.write_text(f"{TEXT}class F: ...\n")
    assert "F" in classes_in(str(file)).names
    assert read == [file] * 2


def test_what_is_no_file_defines_nothing(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text(TEXT)
    (tmp_path / "link.py").symlink_to(tmp_path / "real.py")
    for name in ("link.py", "absent.py", ".", "a\0b"):
        assert not classes_in(f"{tmp_path}/{name}").names
