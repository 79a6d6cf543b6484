"""Which files are tests and which runner they are for, decided from the files' own imports.

TimeMachine-bench (arXiv 2601.22597, section 3) looks at what the test files import: pytest when any of
them does, unittest otherwise, with the modules named one by one. Django's runner is taken
where there is a manage.py and tests import django.test.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeGuard

from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.recipes.files import Files
from backdate.recipes.own_runners import own_django_plan
from backdate.recipes.recipe import Provenance, SuitePlan

_TEST_FILE = re.compile(r"(?:test.*|.*[_-]tests?|tests?)\.py\Z", re.IGNORECASE)
_TEST_FOLDER = re.compile(r"tests?|testing|unit_?tests?\Z", re.IGNORECASE)
_SKIPPED_FOLDERS = {
    *("node_modules", "__pycache__", "site-packages", "build", "dist", "venv", "env"),
}
_MAY_HOLD_TESTS = re.compile(r"test|\bdescribe_", re.IGNORECASE)
_DESCRIBES = "describe_"
"""How functions begin whose inner functions are tests (pytest-describe)."""
_MOST_FILES = 20_000
_TEST_FILE_BYTES = 8 * 1024 * 1024
_OLD_TEST = re.compile(r"^[ \t]*def test", re.MULTILINE)
"""In a file that this Python cannot parse."""
_IDENTIFIER = re.compile(r"[^\W\d]\w*\Z")
_MOST_NAMED = 200
"""Files that a command names one by one."""
_FOUND_BY_PYTEST = re.compile(r"(?:test_.*|.*_test)\.py\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """One file that holds tests."""

    path: str
    """Relative to the root, with forward slashes."""
    pytest: bool
    """It imports pytest, or has test functions outside classes."""
    unittest: bool
    django: bool
    names: tuple[str, ...] = ()
    """The test functions and methods that it defines, in their order, a name as often as it is defined."""


def find_suite(root: Path) -> Iterator[SuiteFile]:
    """Every file below ``root`` that holds tests by its name and its content, in a fixed order.

    One by one: a caller that has seen enough saves the reading of the rest.
    """
    seen = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED_FOLDERS
        )
        inside = any(_TEST_FOLDER.match(part) for part in Path(folder).relative_to(root).parts)
        for name in sorted(files):
            seen += 1
            if seen > _MOST_FILES:
                return
            if name.endswith(".py") and name != "conftest.py" and (inside or _TEST_FILE.match(name)):
                path = Path(folder, name)
                suite_file = _look(root, path.relative_to(root).as_posix())
                if suite_file is not None:
                    yield suite_file


def _look(root: Path, relative: str) -> SuiteFile | None:
    try:
        text = read_text(root, relative, limit=_TEST_FILE_BYTES)
    except ConfigurationError:
        return None
    return None if text is None else read_suite_file(relative, text)


def read_suite_file(path: str, text: str) -> SuiteFile | None:
    """What the file at ``path`` with this text holds; None when it defines no test that can be read."""
    if not _MAY_HOLD_TESTS.search(text):
        return None
    try:
        tree = parse_source(text)
        nodes = list(_statements(tree))
    except UNPARSABLE:
        return None  # current runners cannot name its tests either; the old one may still collect them
    imported = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    tops = {name.split(".")[0] for name in imported}
    # Beside unittest's cases a function that takes arguments is their helper, not a test with fixtures.
    helpers = bool(tops & {"unittest", "unittest2"}) and "pytest" not in tops
    functions = any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.name.startswith("test")
        and not (helpers and node.args.args)
        for node in tree.body
    )
    functions = functions or any(_describes(node) for node in tree.body)
    classes = any(isinstance(node, ast.ClassDef) and _has_tests(node) for node in tree.body)
    django = any(name == "django.test" or name.startswith("django.test.") for name in imported)
    bare = functions or (classes and not tops & {"unittest", "unittest2"} and not django)
    if not (functions or classes or "load_tests" in text):
        return None
    return SuiteFile(
        path=path,
        pytest="pytest" in tops or bare,
        unittest=bool(tops & {"unittest", "unittest2"}),
        django=django,
        names=tuple(_defined(tree.body, helpers=helpers)),
    )


def defines_tests(path: str, text: str) -> bool:
    """Whether the file at ``path`` with this text defines tests, in the syntax of any Python."""
    if read_suite_file(path, text) is not None:
        return True
    if not _OLD_TEST.search(text):
        return False
    try:
        parse_source(text)
    except UNPARSABLE:
        return True
    return False


def _defined(body: Sequence[ast.stmt], *, helpers: bool) -> Iterator[str]:
    """The names of test functions in ``body`` and of test methods in its classes.

    ``helpers``: functions that take arguments are none.
    """
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _defined(node.body, helpers=False)
        elif _describes(node):
            yield from _described(node)
        elif (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name.startswith("test")
            and not (helpers and node.args.args)
        ):
            yield node.name


def _describes(node: ast.AST) -> TypeGuard[ast.FunctionDef]:
    return (
        isinstance(node, ast.FunctionDef)
        and node.name.startswith(_DESCRIBES)
        and any(isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) for inner in node.body)
    )


def _described(node: ast.FunctionDef) -> Iterator[str]:
    """The names of the tests in a function of pytest-describe: its functions that are neither private nor
    fixtures."""
    for inner in node.body:
        if _describes(inner):
            yield from _described(inner)
        elif (
            isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef))
            and not inner.name.startswith("_")
            and not any("fixture" in ast.unparse(decorator) for decorator in inner.decorator_list)
        ):
            yield inner.name


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Every statement at any depth; expressions, which are most of a tree, hold none."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, None)
            if isinstance(inner, list):
                waiting += inner


def _has_tests(node: ast.ClassDef) -> bool:
    return any(
        isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)) and inner.name.startswith("test")
        for inner in node.body
    )


def plan_tests(root: Path) -> SuitePlan | None:
    """How the suite at ``root`` is run, or None when there is no test to be found."""
    files: list[SuiteFile] = []
    django = (root / "manage.py").is_file()
    own = None if django else own_django_plan(Files(root))
    if own is not None and _pytest_configuration(root) is not None:
        own = None
    for suite_file in find_suite(root):
        files.append(suite_file)
        if suite_file.pytest and not django and own is None:
            break  # the others cannot change the runner any more
    if not files:
        return None
    if django and any(file.django for file in files):
        why = next(file for file in files if file.django)
        return SuitePlan(
            runner="django",
            provenance=Provenance(rule="manage.py, and tests import django.test", file=why.path),
        )
    if own is not None and (own.runner == "program" or any(file.django for file in files)):
        return own
    return _by_files(root, files)


def _by_files(root: Path, files: Sequence[SuiteFile]) -> SuitePlan:
    """Pytest where the files are written for it, it is configured, or unittest cannot name them."""
    first = next((file for file in files if file.pytest), None)
    if first is not None:
        return SuitePlan(
            runner="pytest",
            targets=_unusual(root, files),
            provenance=Provenance(rule="test files are written for pytest", file=first.path),
        )
    configured = _pytest_configuration(root)
    if configured is not None:
        return SuitePlan(runner="pytest", provenance=Provenance(rule="pytest is configured", file=configured))
    unittests = [file for file in files if file.unittest]
    named = tuple(module for file in unittests if (module := module_name(file.path)) is not None)
    if named and not any(_hidden_by_library(root, module) for module in named):
        return SuitePlan(
            runner="unittest",
            targets=named,
            provenance=Provenance(rule="test files import unittest", file=files[0].path),
        )
    return SuitePlan(
        runner="pytest",
        targets=_unusual(root, files),
        provenance=Provenance(rule="tests that unittest cannot name", file=files[0].path),
    )


def _unusual(root: Path, files: Sequence[SuiteFile]) -> tuple[str, ...]:
    """The test files where pytest finds none of them by their names: "tests.py" within a package."""
    if any(_FOUND_BY_PYTEST.match(file.path.rpartition("/")[2]) for file in files):
        return ()
    if _pytest_configuration(root) is not None:
        return ()  # it may say which files are looked at
    every = [file.path for file in islice(find_suite(root), _MOST_NAMED + 1)]
    found = any(_FOUND_BY_PYTEST.match(path.rpartition("/")[2]) for path in every)
    return () if found or len(every) > _MOST_NAMED else tuple(every)


def _hidden_by_library(root: Path, module: str) -> bool:
    """Whether a module is in a folder that is no package and is called as one of the standard library,
    which is imported instead: "test"."""
    top, dot, _ = module.partition(".")
    known = top == "test" or top in sys.stdlib_module_names  # which leave out its own tests
    return bool(dot) and known and not (root / top / "__init__.py").is_file()


def module_name(path: str) -> str | None:
    """The dotted name of a test file as seen from the root, or None where it has none."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts) if all(_IDENTIFIER.match(part) for part in parts) else None


def _pytest_configuration(root: Path) -> str | None:
    for name in ("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"):
        if (root / name).is_file():
            return name
    for name, mark in (
        ("tox.ini", "[pytest]"),
        ("setup.cfg", "[tool:pytest]"),
        ("pyproject.toml", "[tool.pytest"),
    ):
        if mark in (read_text(root, name) or ""):
            return name
    return None
