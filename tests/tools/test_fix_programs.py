"""The list of small programs that ``backdate fix`` is tried with."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement


@pytest.fixture(scope="module")
def tool(repository_root: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "fix_programs", repository_root / "tools" / "fix_programs.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["fix_programs"] = module
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("fix_programs.txt", 60),
        ("fix_programs_second.txt", 32),
        ("fix_programs_third.txt", 40),
        ("fix_programs_fourth.txt", 40),
        ("fix_programs_fifth.txt", 40),
        ("fix_programs_sixth.txt", 30),
        ("fix_programs_seventh.txt", 40),
    ],
)
def test_a_list_is_sound(tool: ModuleType, repository_root: Path, name: str, number: int) -> None:
    programs = list(tool.read_programs((repository_root / "tools" / name).read_text()))
    assert len(programs) == len({program.name for program in programs}) == number
    for program in programs:
        files = dict(program.files)
        tests = {file for file in files if file.rpartition("/")[2].startswith(("test_", "conftest"))}
        assert tests
        assert files.keys() - tests
        for text in files.values():
            ast.parse(text)
        assert all(Requirement(one).name for one in program.requires)


def test_a_program_is_written_as_a_project(tool: ModuleType, tmp_path: Path) -> None:
    text = (
        "words\n=== one\nrequires: numpy, pandas>=1\n--- app.py\nx = 1\n\n--- lib/a.py\ny = 1\n"
        "--- test_app.py\nimport app\n"
    )
    (program,) = tool.read_programs(text)
    program.write(tmp_path / "one")
    folder = tmp_path / "one"
    written = {
        str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()
    }
    assert written == {
        "requirements.txt": "numpy\npandas>=1\npytest\n",
        "app.py": "x = 1\n",
        "lib/a.py": "y = 1\n",
        "test_app.py": "import app\n",
    }
