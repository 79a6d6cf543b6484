"""A project's files are small, and large or endless to whoever reads what they say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backdate.environments.references.stated import stated_in_metadata
from backdate.errors import BackdateError
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.unpinning.tree import unpin_tree
from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.required import required, stated_requirements

ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
)
ENDLESS_NAME = "_" * 60_000
BASE64 = "a" * 120_000
DIGITS = "1" * 5000  # Python makes no number of so many
NESTED = "six; " + "(" * 3000 + "os_name == 'posix'" + ")" * 3000
FILES: dict[str, str] = {
    "tox.ini ": f"[testenv]\ndeps =\n  six=={DIGITS}\n  {NESTED}\ncommands = pytest\n",
    "setup.py   ": f"{ENDLESS_NAME} = ['six==1.0']\n'{BASE64}'\nfrom setuptools import setup\nsetup()\n",
    "requirements.txt   ": f"{NESTED}\nsix=={DIGITS}\nsix; python_version > '{DIGITS}'\n",
    "setup.cfg ": f"[metadata]\nname = x\n[options]\ninstall_requires =\n  six>={DIGITS}\n  {NESTED}\n",
    "environment.yml  ": f"dependencies:\n- python={DIGITS}\n- six={DIGITS}\n- pip:\n  - {NESTED}\n",
    ".travis.yml ": f"python: [{DIGITS}, '3.\u00b2']\ninstall: pip install six=={DIGITS}\nscript: pytest\n",
    "pyproject.toml": "[project]\nname = 'x'\nversion = '1'\ndependencies = " + "[" * 20_000,
    "pyproject.toml ": "[a" + ".a" * 100_000 + "]\nx = 1\n",
    "pyproject.toml  ": "[project]\n" + "".join(f"k{n} = {n}\n" for n in range(150_000)),
    "setup.cfg": "[options]\ninstall_requires =\n" + "  %(a)s\n" * 50_000,
    "tox.ini": "[testenv]\ncommands = {[testenv]commands}\ndeps = {[testenv]deps}\n" * 2000,
    "environment.yml": ALIASES + "dependencies: *i\n",
    ".github/workflows/ci.yml": ALIASES + "jobs: {test: {steps: *i}}\n# pytest\n",
    "environment.yml ": 'name: "\\UFFFFFFFF"\ndependencies: ["\\UFFFFFFFF"]\n',
    ".github/workflows/ci.yml ": 'on: push\njobs: {test: {steps: [{run: "pytest \\UFFFFFFFF"}]}}\n',
    ".travis.yml": "a: &a\n  b: *a\nscript: *a\n# pytest\n",
    "requirements.txt": "-r requirements.txt\n-c requirements.txt\nsix\n",
    "requirements.txt ": "-r ../../../../etc/passwd\n-r /etc/shadow\n-e file:///etc\nsix\n",
    "requirements.txt  ": "six" + "," * 100_000 + "\n" + "a" * 1_000_000 + "\n",
    "setup.py": "x = " + "(" * 5000 + "\nfrom setuptools import setup\nsetup()\n",
    "setup.py ": "from setuptools import setup\nsetup(install_requires=" + "['a']+" * 20_000 + "['b'])\n",
    "setup.py  ": (
        "from setuptools import setup\nx = '9' * 10 ** 12\nsetup(name=x, version=str(9 ** 9 ** 9))\n"
    ),
    "Dockerfile": "RUN " + "pip install x && " * 20_000 + "pytest\n",
    "Makefile": "test:\n\t$(MAKE) test\n" + "\tpytest\n" * 50_000,
}


def addresses_in(tree: Path) -> object:
    return stated_in_metadata({path.name: path.read_text() for path in tree.iterdir() if path.is_file()})


def required_by(tree: Path) -> object:
    files = Files(tree)
    return required(files), stated_requirements(files)


@pytest.mark.parametrize("name", FILES, ids=[f"{n}-{name.strip()}" for n, name in enumerate(FILES)])
def test_it_is_read_within_bounds_or_refused(name: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    path = tree / name.strip()
    path.parent.mkdir(parents=True)
    path.write_text(FILES[name])
    (tree / "test_x.py").write_text("def test_x(): pass\n")
    for read in (extract_recipes, read_python_constraint, unpin_tree, required_by, addresses_in):
        try:
            said = repr(read(tree))
        except BackdateError as error:
            said = str(error)
        assert "root:" not in said
        assert len(said) < 4_000_000


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.py", "tox.ini", "requirements.txt", "setup.cfg"])
@pytest.mark.parametrize("kind", ["pipe", "device", "endless", "folder", "itself"])
def test_what_is_no_file_is_not_waited_for(name: str, kind: str, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    path = tree / name
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "endless":
            with path.open("wb") as file:
                file.truncate(1 << 40)
        case "folder":
            path.mkdir()
        case "itself":
            path.symlink_to(name)
    for read in (extract_recipes, read_python_constraint, unpin_tree):
        said = ""
        try:
            read(tree)
        except BackdateError as error:
            said = str(error)
        assert not said or name in said
