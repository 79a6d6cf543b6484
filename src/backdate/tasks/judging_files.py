"""The files of a tree that judge answers without being tests: what only tests use, and their data.

Found in the task's own tree, before any answer. A source file beside a test, one that a test is named after,
one that packaging names and one that runs as a program stay editable: that only tests import them says
nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import decode_configuration
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes

TEST_FOLDERS = ("test", "tests", "testing")
_MOST_FILES = 50_000
_HELPING = re.compile(
    r"(?:^|[_\W])(?:conftest|tests?|testing|test_?utils?|mocks?|fixtures?|fakes?|stubs?)(?:[_\W]|$)"
)
"""Names of modules that help tests."""
_PACKAGING = ("setup.py", "setup.cfg", "pyproject.toml", "MANIFEST.in")
_FROM = re.compile(
    r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]{0,10000}\)|[^\n#]*)", re.MULTILINE
)
"""Bounded: a file may hold any number of parentheses that are never closed."""
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n#]+)", re.MULTILINE)
_QUOTED = re.compile(r"""['"]([A-Za-z_][\w.]*)(?::\w+)?['"]""")
_PROGRAM = re.compile(r"""^#!|^if[ \t]+__name__[ \t]*==""", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingFiles:
    """What of a tree judges answers beside the tests themselves. Paths are relative, with forward slashes."""

    files: frozenset[str] = frozenset()
    """Modules that only tests use, and data of tests."""
    folders: frozenset[str] = frozenset()
    """Folders that hold nothing but tests: a new file in one may be found by them."""


NO_JUDGING_FILES = JudgingFiles()


def find_judging_files(
    tree: Path, tests: Collection[str], solution: Collection[str] | None, *, is_test: Callable[[str], bool]
) -> JudgingFiles:
    """What judges in ``tree``, whose tests are the files ``tests`` and those whose path ``is_test``.

    ``solution``: the files that the known solution changes, which never judge; None when none is known: then
    only what lies among tests or is named after them is taken for theirs.
    """
    paths = _files_of(tree)
    modules = _Modules(tree, paths, frozenset({*tests, *filter(is_test, paths)}))
    helpers = modules.helpers(frozenset(solution or ()), anywhere=solution is not None)
    folders = modules.test_folders(helpers)
    data = {
        path
        for path in modules.paths
        if not path.endswith(".py") and any(path.startswith(f"{folder}/") for folder in folders)
    }
    return JudgingFiles(files=frozenset((helpers | data) - set(solution or ())), folders=folders)


@dataclass
class _ModuleUses:
    """What the text of a module names."""

    imported: set[str] = field(default_factory=set)
    """Dotted names as they are written."""
    relative: set[str] = field(default_factory=set)
    """Paths without suffix that relative imports lead to."""
    quoted: set[str] = field(default_factory=set)
    program: bool = False


class _Modules:
    """The modules of a tree, and which of them uses which."""

    def __init__(self, tree: Path, paths: list[str], tests: frozenset[str]) -> None:
        self.paths = paths
        self._python = [path for path in self.paths if path.endswith(".py")]
        self._tests = tests
        self._uses = {path: _uses_of(_text(tree, path), path) for path in self._python}
        packaging = (_text(tree, name) for name in _PACKAGING)
        self._packaged = {word for text in packaging for word in re.findall(r"\w+", text)}
        folders = {str(PurePosixPath(path).parent) for path in self._python if path.endswith("/__init__.py")}
        self._packages = folders
        self._beside = {str(PurePosixPath(path).parent) for path in tests}
        self._tested = {re.sub(r"^tests?_|_tests?$", "", PurePosixPath(path).stem.lower()) for path in tests}

    def helpers(self, solution: frozenset[str], *, anywhere: bool) -> set[str]:
        """Modules that nothing but tests and each other use."""
        helper_files = {
            path
            for path in self._python
            if path not in self._tests and path not in solution and self._may_help(path, anywhere=anywhere)
        }
        while True:
            product = [path for path in self._python if path not in self._tests and path not in helper_files]
            quoted = {name for path in product for name in self._uses[path].quoted}
            used = {
                path
                for path in helper_files
                if any(self._imports(by, path, loosely=True) for by in product) or quoted & _names(path)
            }
            if not used:
                break
            helper_files -= used
        return {
            path
            for path in helper_files
            if _among_tests(path)
            or any(
                self._imports(by, path, loosely=False)
                for by in (*self._tests, *helper_files)
                if by in self._uses
            )
        }

    def _may_help(self, path: str, *, anywhere: bool) -> bool:
        pure = PurePosixPath(path)
        if _among_tests(path) or _HELPING.search(pure.stem.lower()):
            return True
        return anywhere and not (
            str(pure.parent) in self._packages
            or pure.name == "__init__.py"
            or str(pure.parent) in self._beside
            or pure.stem in self._packaged
            or pure.stem.lower() in self._tested
            or self._uses[path].program
        )

    def _imports(self, by: str, path: str, *, loosely: bool) -> bool:
        """Whether ``by`` imports ``path``; ``loosely``: or something of that name, wherever it lies."""
        if by == path:
            return False
        uses = self._uses[by]
        if _without_suffix(path) in uses.relative:
            return True
        names = _names(path)
        if loosely:
            return not names.isdisjoint(uses.imported)
        return any(
            _module_name(path, below) in uses.imported
            for below in ("", "src/", "lib/", f"{PurePosixPath(by).parent}/")
            if path.startswith(below)
        )

    def test_folders(self, helpers: set[str]) -> frozenset[str]:
        """The outermost folders all of whose modules are tests or help them, with one test at least."""
        tests, others = set(), set()
        for path in self._python:
            parents = {str(parent) for parent in PurePosixPath(path).parents} - {"."}
            if path in self._tests:
                tests |= parents
            elif path not in helpers and PurePosixPath(path).name not in ("__init__.py", "conftest.py"):
                others |= parents
        pure = tests - others
        return frozenset(folder for folder in pure if str(PurePosixPath(folder).parent) not in pure)


def _files_of(tree: Path) -> list[str]:
    """The regular files of ``tree``; links are not followed."""
    paths: list[str] = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if name != ".git")
        above = Path(folder).relative_to(tree)
        paths += [(above / name).as_posix() for name in sorted(names) if not Path(folder, name).is_symlink()]
        if len(paths) > _MOST_FILES:
            break
    return paths


def _text(tree: Path, path: str) -> str:
    try:
        data = read_bytes(tree, path)
    except ConfigurationError:
        return ""  # too large, or no file: what it imports is not known
    return "" if data is None else decode_configuration(data).content


def _uses_of(text: str, path: str) -> _ModuleUses:
    uses = _ModuleUses(quoted=set(_QUOTED.findall(text)), program=_PROGRAM.search(text) is not None)
    folder = PurePosixPath(path).parent
    for dots, module, what in _FROM.findall(text):
        names = [part.split()[0] for part in re.split(r"[(),\\]", what) if part.split()]
        if dots:
            base = folder
            for _ in dots[1:]:
                base = base.parent
            start = str(base.joinpath(*filter(None, module.split("."))))
            uses.relative |= {start, *(str(PurePosixPath(start, name)) for name in names)}
        else:
            uses.imported |= {module, *(f"{module}.{name}" for name in names)}
    for what in _IMPORT.findall(text):
        for one in what.split(","):
            parts = (one.split() or [""])[0].split(".")
            uses.imported |= {".".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return uses


def _without_suffix(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__")


def _module_name(path: str, below: str) -> str:
    return _without_suffix(path[len(below) :]).replace("/", ".")


def _names(path: str) -> set[str]:
    """Every dotted name by which a module may be imported, whatever folder is on the path."""
    parts = _without_suffix(path).split("/")
    return {".".join(parts[start:]) for start in range(len(parts))}


def _among_tests(path: str) -> bool:
    return any(part.lower() in TEST_FOLDERS for part in PurePosixPath(path).parts[:-1])
