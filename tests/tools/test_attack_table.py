"""docs/evidence/attacks.md lists every attack of the suite, and the suite holds as many as it says."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location("attack_table", ROOT / "tools" / "attack_table.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["attack_table"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def test_the_page_is_what_the_files_say(tool: ModuleType) -> None:
    assert tool.page(tool.read_attacks()) == tool.PAGE.read_text(encoding="utf-8"), (
        "run: python tools/attack_table.py"
    )


def test_at_least_forty_attacks_at_every_point_of_a_run(tool: ModuleType) -> None:
    attacks = tool.read_attacks()
    assert len(attacks) >= 40
    assert {attack.at for attack in attacks} == set(tool.POINTS)
    assert all(attack.does.endswith((".", "…)")) for attack in attacks)


def test_at_least_ten_run_by_default(tool: ModuleType) -> None:
    """A file all of whose tests are slow says so at its top, or of its only test."""
    tests = [attack for attack in tool.read_attacks() if attack.file.startswith("test_")]
    always_slow = [attack.file for attack in tests if _is_slow_as_a_whole(tool.ATTACKS / attack.file)]
    assert len(tests) - len(always_slow) >= 10


def _is_slow_as_a_whole(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    marks = [" ".join(map(ast.unparse, test.decorator_list)) for test in tests]
    return all("mark.slow" in one.partition("param(")[0] for one in marks)


def test_a_file_that_nothing_is_said_of_is_named(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test_new.py").write_text('"""It does harm."""\n', encoding="utf-8")
    (tmp_path / "attacks.toml").write_text("", encoding="utf-8")
    monkeypatch.setattr(tool, "ATTACKS", tmp_path)
    with pytest.raises(ValueError, match=r"test_new\.py"):
        tool.read_attacks()
