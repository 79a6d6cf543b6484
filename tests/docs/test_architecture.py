"""The map of the code has every room, in the order of the import contract, and names what is there alone."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def page(repository_root: Path) -> str:
    return (repository_root / "docs/how-it-works/architecture.md").read_text(encoding="utf-8")


def rooms_of(page: str) -> list[str]:
    """The rooms of the table, from the first that others may import."""
    table = page.partition("## The rooms")[2].partition("\n## ")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return [
        name.strip("/").removesuffix(".py") for cell in first_cells for name in re.findall("`([^`]+)`", cell)
    ]


def test_every_room_is_in_the_table(page: str, repository_root: Path) -> None:
    package = repository_root / "src/backdate"
    there = {
        path.stem
        for path in package.iterdir()
        if path.is_dir() or path.suffix == ".py"
        if path.stem[0] != "_"
    }
    rooms = rooms_of(page)
    assert sorted(rooms) == sorted(there - {"version"})


def test_the_table_has_the_order_of_the_import_contract(page: str, repository_root: Path) -> None:
    contracts = tomllib.loads((repository_root / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = contracts["tool"]["importlinter"]["contracts"]
    folders = [name.removeprefix("backdate.") for name in reversed(contract["layers"])]
    package = repository_root / "src/backdate"
    assert [room for room in rooms_of(page) if (package / room).is_dir()] == [
        folder for folder in folders if (package / folder).is_dir()
    ]


def test_every_module_that_is_named_is_there(page: str, repository_root: Path) -> None:
    places = ("src/backdate", "tests", "action", "benchmarks")
    there = [
        path.relative_to(repository_root).as_posix()
        for place in places
        for path in (repository_root / place).rglob("*.py")
    ]
    now = page.partition("## Before and after")
    named = re.findall(r"`([\w./]+\.py)`", now[0] + now[2].partition("\n## ")[2])
    assert named
    assert [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in there)] == []
