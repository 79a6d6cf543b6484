"""Published set-up scripts, run in the sandbox against an index of this machine."""

from __future__ import annotations

import ensurepip
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
from hostile_projects import INSTANT, builder_in, built, request_for, wheel

from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.environments.script_installer import prepare_by_script

AFTER = f"{INSTANT.year + 1}-01-01"
"""A day after the instant of every request."""
LEGACY = """
class LegacyRepository:
    def __init__(self, name, url):
        self.name, self.url = name, url
"""
BUILT_IN = """
class PyPiRepository:
    def __init__(self):
        raise SystemExit("leak: the built-in index, as it is today")
"""
CONSOLE = """
import os, subprocess, sys
import shared
from poetry.repositories import pypi_repository

def main():
    assert sys.argv[1:] == ["install"], sys.argv
    own = os.path.join(os.environ["VIRTUAL_ENV"], "bin", "python")
    url = pypi_repository.PyPiRepository().url
    subprocess.check_call([own, "-m", "pip", "install", "--no-deps", "--index-url", url, "thing"])
"""
POETRY = wheel(
    "poetry",
    {
        "poetry/__init__.py": "",
        "poetry/console.py": CONSOLE,
        "poetry/repositories/__init__.py": "",
        "poetry/repositories/legacy_repository.py": LEGACY,
        "poetry/repositories/pypi_repository.py": BUILT_IN,
    },
    metadata="Requires-Dist: shared\n",
    program="poetry.console:main",
)
"""Like Poetry: its index is written in its code, and its own dependency is not the project's."""
FILES = {
    "poetry-1-py3-none-any.whl": POETRY,
    "shared-1-py3-none-any.whl": wheel("shared"),
    "thing-1-py3-none-any.whl": wheel("thing"),
    "thing-2-py3-none-any.whl": wheel("thing", version="2"),
}


def real_pip() -> dict[str, bytes]:
    """The pip that this interpreter brings along."""
    (path,) = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
    return {path.name: path.read_bytes()}


def set_up(
    folder: Path,
    script: str,
    files: dict[str, bytes],
    later: tuple[str, ...] = (),
    tree: Mapping[str, bytes] = MappingProxyType({}),
) -> Environment:
    """What ``script`` sets up in a tree with these files. ``later``: what the index got after the instant."""
    project = folder / "project"
    project.mkdir()
    (project / "setup.sh").write_text(f"set -euo pipefail\n{script}\n")
    for name, data in tree.items():
        (project / name).write_bytes(data)
    with builder_in(folder / "cache", {**real_pip(), **files}, dict.fromkeys(later, AFTER)) as builder:
        request = request_for(project, Cache(folder / "cache"))
        return built(prepare_by_script(builder, request, "setup.sh"))


def versions(environment: Environment) -> dict[str, str]:
    tools = ("pip", "setuptools", "wheel")
    return {one.name: one.version for one in environment.lock.distributions if one.name not in tools}


PLAIN = "pip install poetry\npoetry install"
BY_MODULE = "python -m pip install -U pip 'poetry>=0.1'\npython -m poetry install"
BY_PIP = f'grep -q "by uv" "$(command -v pip)" && exit 1\n{PLAIN}'
"""As where uv's stand-in fails: all again, by pip."""


@pytest.mark.slow
@pytest.mark.parametrize("script", [PLAIN, BY_MODULE, BY_PIP])
def test_a_poetry_that_the_script_installs_sees_the_index_as_of_the_instant(
    script: str, tmp_path: Path
) -> None:
    made = set_up(tmp_path, script, FILES, ("thing-2-py3-none-any.whl",))
    assert versions(made) == {"thing": "1"}, "neither Poetry nor what it needs is the project's"
    assert bool(made.installer) is ("by uv" in script)


@pytest.mark.slow
def test_a_poetry_that_installs_beside_itself_is_there_and_sees_no_later_index(tmp_path: Path) -> None:
    tree = {"poetry.toml": b"[virtualenvs]\ncreate = false\n"}
    made = set_up(tmp_path, PLAIN, FILES, ("thing-2-py3-none-any.whl",), tree)
    assert versions(made) == {"poetry": "1", "shared": "1", "thing": "1"}


@pytest.mark.slow
def test_modules_are_compiled_as_in_other_environments(tmp_path: Path) -> None:
    files = {"thing.py": "x = 1\n", "thing_tests/tests/test_x.py": "x = 1\n"}
    thing = {"thing-1-py3-none-any.whl": wheel("thing", files)}
    made = set_up(tmp_path, "pip install thing", thing)
    compiled = {path.relative_to(made.root).parts[3:] for path in made.root.rglob("*.pyc")}
    names = {part.split(".")[0] for parts in compiled for part in parts}
    assert "thing" in names
    assert names.isdisjoint({"pip", "setuptools", "test_x"}), "hardly any suite imports these"


@pytest.mark.slow
def test_where_pip_would_choose_otherwise_than_uv_its_choice_is_taken(tmp_path: Path) -> None:
    files = {
        "app-1-py3-none-any.whl": wheel("app", metadata="Requires-Dist: second\nRequires-Dist: first\n"),
        "first-1-py3-none-any.whl": wheel("first"),
        "first-2-py3-none-any.whl": wheel("first", version="2", metadata="Requires-Dist: second<2\n"),
        "second-1-py3-none-any.whl": wheel("second"),
        "second-2-py3-none-any.whl": wheel("second", version="2"),
        "old-1-py3-none-any.whl": wheel("old"),
        "old-2-py3-none-any.whl": wheel("old", version="2", metadata="Requires-Python: <3.5\n"),
    }
    made = set_up(tmp_path, "pip install app\npip install old", files)
    assert versions(made) == {"app": "1", "first": "2", "second": "1", "old": "1"}
    assert "which chooses otherwise than uv: first 1, though 2 suits, old 2 is not for" in made.installer


@pytest.mark.slow
def test_where_pip_fails_uv_has_the_last_word(tmp_path: Path) -> None:
    files = {
        "old-1-py3-none-any.whl": wheel("old"),
        "old-2-py3-none-any.whl": wheel("old", version="2", metadata="Requires-Python: <3.5\n"),
    }
    script = 'grep -q "by uv" "$(command -v pip)" || exit 1\npip install old'
    made = set_up(tmp_path, script, files)
    assert versions(made) == {"old": "2"}
    assert made.installer.startswith("uv, though pip would choose otherwise and fails: old 2 is not for")


@pytest.mark.slow
def test_what_is_of_the_tree_is_no_release(tmp_path: Path) -> None:
    name = "thing-1-py3-none-any.whl"
    made = set_up(tmp_path, f"pip install ./{name}", FILES, tree={name: FILES[name]})
    (thing,) = [one for one in made.lock.distributions if one.name == "thing"]
    assert (thing.version, thing.source) == ("1", ".")
    assert made.installer == "", "a newer release is none of its versions"
