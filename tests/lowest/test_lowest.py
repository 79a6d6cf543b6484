"""A project whose declared bounds are true, or not, with a small index of its own."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import raised, result, run
from small_world import running_index

from backdate.checking.settings import Settings
from backdate.errors import SandboxUnavailable
from backdate.lowest.lowest import _first_error
from backdate.lowest.result import LowestVerdict, read_lowest_result
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.session import Session
from backdate.testing.outcomes import Outcome
from backdate.timeline.instants import parse_instant

_RELEASES = (
    ("pip", "23.0", "2023-01-01T00:00:00Z", ""),
    ("setuptools", "65.0", "2023-01-01T00:00:00Z", ""),
    *(
        ("brittle", f"1.{minor}", f"2023-0{minor + 1}-01T00:00:00Z", "def old(): pass\n")
        for minor in range(4)
    ),
    *(
        ("brittle", f"2.{minor}", f"2024-0{minor + 1}-01T00:00:00Z", "def new(): pass\n")
        for minor in range(4)
    ),
    ("bare", "1.0", "2023-01-01T00:00:00Z", ""),
)
_BACKEND = """
import zipfile

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as wheel:
        info = "thing-1.0.dist-info"
        wheel.writestr("thing.py", open("thing.py").read())
        requires = "".join(f"Requires-Dist: {line}\\n" for line in open("requires.txt").read().split())
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: thing\\nVersion: 1.0\\n{requires}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""


def write_project(folder: Path, *requires: str) -> Path:
    folder.mkdir()
    listed = ", ".join(f'"{line}"' for line in requires)
    (folder / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        f'[project]\nname = "thing"\nversion = "1.0"\ndependencies = [{listed}]\n'
    )
    (folder / "requires.txt").write_text("\n".join(requires))
    (folder / "backend.py").write_text(_BACKEND)
    (folder / "thing.py").write_text("import brittle\n\ndef call():\n    brittle.new()\n")
    (folder / "tests").mkdir()
    (folder / "tests" / "__init__.py").write_text("")
    (folder / "tests" / "test_thing.py").write_text(
        "import unittest\nimport thing\n\nclass T(unittest.TestCase):\n"
        "    def test_call(self):\n        thing.call()\n    def test_import(self):\n        pass\n"
        "    def test_never(self):\n        self.fail()\n"
    )
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requires", "verdict", "true"),
    [
        (("brittle>=1.1", "bare"), LowestVerdict.NOT_TRUE, "brittle>=2.0"),
        (("brittle>=2.1", "bare"), LowestVerdict.TRUE, ""),
        (("brittle<9", "bare"), LowestVerdict.CANNOT_TELL, ""),
    ],
)
def test_a_declared_bound(
    requires: tuple[str, ...], verdict: LowestVerdict, true: str, tmp_path: Path
) -> None:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    folder = write_project(tmp_path / "thing", *requires)
    with (
        running_index(_RELEASES) as index_url,
        Session(Settings(cache=tmp_path / "cache", index_url=index_url)) as session,
    ):
        result = session.check_lowest(
            folder, to_instant=parse_instant("2025-01-01"), python="3.11", keep=tmp_path / "kept"
        )
    assert result.verdict is verdict, result.reason
    assert "bare" in result.unbounded
    assert [test.rpartition(".")[2] for test in result.failing_newest] == ["test_never"]
    assert read_lowest_result(tmp_path / "kept" / "result.json") == result
    assert [bound.true_requirement for bound in result.false_bounds] == ([true] if true else [])
    for bound in result.false_bounds:
        assert (bound.fails, bound.passes, bound.proven) == ("1.3", "2.0", True)
        assert [test.rpartition(".")[2] for test in bound.tests] == ["test_call"]
        assert (bound.file, bound.line) == ("pyproject.toml", 8)
        assert result.proof is not None
        assert result.proof.environment is not None
    if verdict is LowestVerdict.TRUE:
        (held,) = result.bounds
        assert (held.lowest, held.tested, held.lifted) == ("2.1", "2.1", None)


@pytest.mark.slow
def test_a_bound_of_a_project_that_has_requirements_alone(tmp_path: Path) -> None:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    folder = write_project(tmp_path / "thing")
    for file in ("pyproject.toml", "requires.txt", "backend.py"):
        (folder / file).unlink()
    (folder / "requirements.txt").write_text("# what users install\nbrittle>=1.1\n")
    with (
        running_index(_RELEASES) as index_url,
        Session(Settings(cache=tmp_path / "cache", index_url=index_url)) as session,
    ):
        result = session.check_lowest(folder, to_instant=parse_instant("2025-01-01"), python="3.11")
    (bound,) = result.false_bounds
    assert (bound.fails, bound.passes, bound.true_requirement) == ("1.3", "2.0", "brittle>=2.0")
    assert (bound.file, bound.line) == ("requirements.txt", 2)


def test_an_error_is_told_without_the_environment_s_folder() -> None:
    said = "cannot import name 'escape' from 'jinja2' ({})"
    message = said.format("/c/environments/0f/lib/python3.8/site-packages/jinja2.py")
    failed = run(result("t.py", Outcome.NOT_COLLECTED, raised("ImportError", message)))
    recipe_run: Any = SimpleNamespace(failure=None, run=failed)
    told = _first_error(recipe_run, frozenset({"t.py::a"}))
    assert told == ("ImportError", said.format("site-packages/jinja2.py"))
