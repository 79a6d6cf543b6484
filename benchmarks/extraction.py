"""How long the extraction of recipes takes for a repository of 1,000 files, next to only parsing its Python.

    python benchmarks/extraction.py [FILES]

CPU time of one process, the best and the median of five runs after imports.
"""

from __future__ import annotations

import ast
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from backdate.recipes.extract import extract_recipes
from backdate.recipes.suite import find_suite

MODULE = "import os\nimport json\n\n\n" + "".join(
    f"def function_{number}(a, b=None, *args, **kwargs):\n"
    f'    """Do {number}."""\n'
    f"    return [x for x in range(a) if x % {number + 1}] or os.path.join(str(a), json.dumps(b))\n\n\n"
    for number in range(20)
)
TEST = "import {runner}\n\n\n" + "".join(
    f"{{before}}def test_{number}({{argument}}):\n{{before}}    assert {number} == {number}\n\n"
    for number in range(15)
)
WORKFLOW = """\
on: [push]
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        python-version: ["3.8", "3.9", "3.10", "3.11"]
    steps:
      - uses: actions/checkout@v3
      - uses: actions/setup-python@v4
        with:
          python-version: ${{ matrix.python-version }}
      - name: Install
        run: |
          python -m pip install --upgrade pip
          pip install -r requirements.txt
          pip install -e .[test]
      - name: Test
        run: pytest --cov=package tests
"""
TOX = """\
[tox]
envlist = py{38,39}
[testenv]
extras = test
deps = -rrequirements.txt
commands = pytest {posargs}
"""


def write_project(root: Path, files: int, runner: str) -> None:
    """A project of ``files`` files, a fifth of them tests, with the usual configuration."""
    tests = files // 5
    for number in range(files - tests - 10):
        path = root / "package" / f"part_{number % 20}" / f"module_{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MODULE)
    (root / "tests").mkdir()
    case = "class TestThem(unittest.TestCase):\n" if runner == "unittest" else ""
    for number in range(tests):
        before, argument = ("    ", "self") if case else ("", "")
        body = TEST.format(runner=runner, before=before, argument=argument)
        (root / "tests" / f"test_{number}.py").write_text(body.replace("\n\n\n", f"\n\n\n{case}", 1))
    (root / ".github" / "workflows").mkdir(parents=True)
    for name in ("test", "docs", "release"):
        (root / ".github" / "workflows" / f"{name}.yml").write_text(WORKFLOW)
    (root / "tox.ini").write_text(TOX)
    (root / "requirements.txt").write_text("requests\n")
    (root / "Makefile").write_text("test:\n\tpytest tests\n")
    (root / "README.md").write_text("# It\n\n```\npip install -e .\npytest\n```\n" + "Words.\n" * 300)
    (root / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='package', extras_require={'test': ['pytest']})\n"
    )


def measure(action: Callable[[], object]) -> tuple[float, float]:
    """The best and the median CPU time of five runs, in milliseconds."""
    times = []
    action()
    for _ in range(5):
        start = time.process_time()
        action()
        times.append((time.process_time() - start) * 1000)
    return min(times), statistics.median(times)


def main() -> None:
    """The command line."""
    files = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for runner in ("pytest", "unittest"):
        with tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as folder:
            root = Path(folder)
            write_project(root, files, runner)
            sources = [path.read_text() for path in root.rglob("*.py")]
            peer = measure(lambda sources=sources: [ast.parse(source) for source in sources])
            whole = measure(lambda root=root: extract_recipes(root))
            suite = measure(lambda root=root: list(find_suite(root)))
            print(f"{files} files, {runner}:")
            print(f"  extraction                best {whole[0]:7.1f} ms, median {whole[1]:7.1f} ms")
            print(f"  of it, finding the suite  best {suite[0]:7.1f} ms, median {suite[1]:7.1f} ms")
            print(f"  ast.parse of every file   best {peer[0]:7.1f} ms, median {peer[1]:7.1f} ms")
            print(f"  ratio to the parse        {whole[0] / peer[0]:.3f}")


if __name__ == "__main__":
    main()
