"""By which names the modules of a project may be imported."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.projects.own_modules import modules_at_root, top_level_names


def test_packages_below_src_and_beside_tests_are_own(tmp_path: Path) -> None:
    for file in (
        "setup.py",
        "src/pkg/__init__.py",
        "tests/test_app/__init__.py",
        "tests/helper.py",
        "a/b/c.txt",
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    assert top_level_names(tmp_path) == {"setup", "src", "pkg", "tests", "test_app", "helper", "a", "b"}


def test_what_a_package_carries_along_is_not(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "_vendor").mkdir(parents=True)
    for file in ("pkg/__init__.py", "pkg/_vendor/six.py"):
        (tmp_path / file).touch()
    assert top_level_names(tmp_path) == {"pkg"}


def test_links_and_names_that_no_import_takes_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "tree" / "a-b").mkdir(parents=True)
    (tmp_path / "tree" / "a-b" / "within.py").touch()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.py").touch()
    (tmp_path / "tree" / "linked").symlink_to(tmp_path / "out")
    assert top_level_names(tmp_path / "tree") == {"within"}


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("lib.py", {"lib"}),
        ("lib/__init__.py", {"lib"}),
        ("src/lib/__init__.py", {"lib"}),
        ("src/lib.py", {"lib"}),
        ("lib/module.py", set()),
        ("docs/lib/__init__.py", set()),
    ],
)
def test_own_modules_lie_where_they_are_imported_from(file: str, own: set[str]) -> None:
    assert modules_at_root([file]) == own
