"""What is installed of a tree with other modules, told from where its neighbours are."""

from __future__ import annotations

import pytest

from backdate.environments.new_modules import follow_modules

SITE = "lib/python3.11/site-packages"
BEFORE = {
    "src/thing/__init__.py",
    "src/thing/core.py",
    "src/thing/parts/a.py",
    "tests/test_core.py",
    "top.py",
}
COPIES = {
    f"{SITE}/thing/__init__.py": "src/thing/__init__.py",
    f"{SITE}/thing/core.py": "src/thing/core.py",
    f"{SITE}/thing/parts/a.py": "src/thing/parts/a.py",
    f"{SITE}/top.py": "top.py",
}
PACKAGES = {"src/thing"}


def follow(*, new: str = "", gone: str = "", copies: dict[str, str] = COPIES) -> dict[str, str] | None:
    after = (BEFORE | {new} if new else BEFORE) - {gone}
    followed = follow_modules(copies, BEFORE, after, PACKAGES)
    return None if followed is None else dict(followed)


def test_a_module_of_a_package_is_installed_beside_its_neighbours() -> None:
    assert follow(new="src/thing/more.py") == {**COPIES, f"{SITE}/thing/more.py": "src/thing/more.py"}


def test_a_module_of_a_folder_of_which_nothing_is_installed_is_not_either() -> None:
    assert follow(new="tests/test_more.py") == COPIES


@pytest.mark.parametrize(
    "new",
    ["src/thing/parts/b.py", "other.py", "scripts/first.py"],
    ids=["no package: data, by patterns", "the root: listed by name", "a folder without neighbours"],
)
def test_only_a_build_tells_of_others(new: str) -> None:
    assert follow(new=new) is None


def test_only_a_build_tells_where_some_neighbours_are_installed() -> None:
    some = {relative: origin for relative, origin in COPIES.items() if not relative.endswith("/core.py")}
    assert follow(new="src/thing/more.py", copies=some) is None


def test_a_module_that_is_gone_is_not_installed() -> None:
    assert follow(gone="src/thing/core.py") == {
        relative: origin for relative, origin in COPIES.items() if origin != "src/thing/core.py"
    }
    assert follow(gone="tests/test_core.py") == COPIES
    assert follow(gone="top.py") is None  # it is listed by name, and a build fails without it
