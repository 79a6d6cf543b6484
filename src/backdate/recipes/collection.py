"""Which files a test runner collects, by its own rules and the project's configuration; nothing is run.

pytest takes ``python_files`` below ``testpaths``, or below what its command names, but for ``norecursedirs``
and ``--ignore``; unittest and Django's runner take modules named ``test*.py``. So ``contest.py`` is code.
"""

from __future__ import annotations

import fnmatch
import posixpath
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.toml import parse_toml
from backdate.recipes.recipe import SuitePlan

PYTEST_FILES = ("test_*.py", "*_test.py")
_UNITTEST_FILES = ("test*.py",)
_NOT_ENTERED = (".*", "*.egg", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}")
"""pytest's default; no runner collects anything there."""
_CONFIGURATION = (
    ("pytest.toml", ("pytest",)),
    (".pytest.toml", ("pytest",)),
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("pyproject.toml", ("tool", "pytest")),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
"""Where pytest looks, in its order, and the table's name there."""

TextOf = Callable[[str], str | None]
"""The text of a file of the tree, by its path from the root; None when there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionRules:
    """What a runner collects of a tree, by names and places alone."""

    patterns: tuple[str, ...]
    """Of file names; of the ends of paths where they hold a slash."""
    below: tuple[str, ...] = ()
    """The folders and files that it starts from; none: the whole tree."""
    not_entered: tuple[str, ...] = _NOT_ENTERED
    """Patterns of folders."""
    ignored: tuple[str, ...] = ()
    """Paths and patterns of paths that its command leaves out."""
    doctests: bool = False
    """It collects the examples in the docstrings of every module."""
    by_name: bool = False
    """It may be told of modules one by one, and so of any in a folder of tests that defines unittest's cases,
    whatever it is called: ``python -m unittest pkg.tests.smoke``."""

    def matches_name(self, path: str) -> bool:
        """Whether a file at ``path`` is named as tests are."""
        name = posixpath.basename(path)
        return path.endswith(".py") and any(
            fnmatch.fnmatchcase(f"/{path}", f"*/{pattern}")
            if "/" in pattern
            else fnmatch.fnmatchcase(name, pattern)
            for pattern in self.patterns
        )

    def collects(self, path: str) -> bool:
        """Whether the runner opens the file at ``path`` to look for tests."""
        if path in self.below:
            return path.endswith(".py")
        folders = path.split("/")[:-1]
        return (
            self.matches_name(path)
            and (not self.below or any(_is_below(path, folder) for folder in self.below))
            and not any(fnmatch.fnmatchcase(part, shape) for part in folders for shape in self.not_entered)
            and not any(_is_below(path, shape) or fnmatch.fnmatchcase(path, shape) for shape in self.ignored)
        )


def collection_rules(text_of: TextOf, suite: SuitePlan | None = None) -> CollectionRules:
    """What is collected of the tree that ``text_of`` reads, by the runner of ``suite``.

    Without a suite: by pytest where the tree configures it, else by what any runner would take.
    """
    cwd = "" if suite is None or suite.cwd in ("", ".") else posixpath.normpath(suite.cwd)
    if suite is not None and suite.runner != "pytest":
        pattern = _option_values(suite.arguments, "-p", "--pattern")
        named = [_module_path(target, cwd) for target in suite.targets] if suite.runner == "unittest" else []
        patterns = tuple(pattern) or tuple(dict.fromkeys((*_UNITTEST_FILES, *PYTEST_FILES, *named)))
        return CollectionRules(patterns=patterns, by_name=suite.runner == "unittest")
    settings = _pytest_settings(text_of, cwd)
    if suite is None and settings is None:
        return CollectionRules(patterns=tuple(dict.fromkeys((*_UNITTEST_FILES, *PYTEST_FILES))), by_name=True)
    return _pytest_rules(dict(settings or {}), suite, cwd)


def _pytest_rules(settings: dict[str, Any], suite: SuitePlan | None, cwd: str) -> CollectionRules:
    arguments = [*_words(settings.get("addopts")), *(suite.arguments if suite else ())]
    for override in _option_values(arguments, "-o", "--override-ini"):
        name, _, value = override.partition("=")
        settings[name] = value
    targets = [target.partition("::")[0] for target in suite.targets] if suite else []
    ignored = (*_option_values(arguments, "--ignore"), *_option_values(arguments, "--ignore-glob"))
    return CollectionRules(
        patterns=tuple(_words(settings.get("python_files"))) or PYTEST_FILES,
        below=tuple(_from_root(targets or _words(settings.get("testpaths")) or ["."], cwd)),
        not_entered=tuple(_words(settings.get("norecursedirs"))) or _NOT_ENTERED,
        ignored=tuple(_from_root(ignored, cwd)),
        doctests="--doctest-modules" in arguments,
    )


def _pytest_settings(text_of: TextOf, cwd: str) -> Mapping[str, Any] | None:
    """The settings of the first file that configures pytest, from ``cwd`` upwards; None when none does."""
    folder = cwd
    while True:
        for name, table in _CONFIGURATION:
            text = text_of(posixpath.join(folder, name))
            if text is None:
                continue
            found = _table(name, text, table)
            if found is not None or name in ("pytest.ini", ".pytest.ini"):
                return found or {}
        if not folder:
            return None
        folder = posixpath.dirname(folder)


def _table(name: str, text: str, table: tuple[str, ...]) -> Mapping[str, Any] | None:
    try:
        if not name.endswith(".toml"):
            return parse_ini(text).get(table[0])
        found: Any = parse_toml(text)
    except ConfigurationError:  # pytest would end with an error: nothing of it is known
        return None
    for key in table:
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, dict):
        return None
    options = found.get("ini_options")
    return options if isinstance(options, dict) else found


def _words(value: object) -> list[str]:
    """A setting's value as pytest's "args" type reads it."""
    if isinstance(value, list):
        return [str(word) for word in value]
    try:
        return shlex.split(str(value), comments=True) if value else []
    except ValueError:  # quotes that are not closed
        return str(value).split()


def _option_values(arguments: Iterable[str], *names: str) -> Iterator[str]:
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option in names and equals:
            yield value
        elif word in names:
            yield next(words, "")


def _from_root(paths: Iterable[str], cwd: str) -> Iterator[str]:
    """``paths`` as seen from the tree's root; nothing for the root itself, below which everything lies."""
    for path in paths:
        normal = posixpath.normpath(posixpath.join(cwd, path))
        if normal != ".":
            yield normal


def _module_path(module: str, cwd: str) -> str:
    return posixpath.join(cwd, f"{module.replace('.', '/')}.py")


def _is_below(path: str, folder: str) -> bool:
    """``testpaths`` may hold patterns, so a folder's parts are compared as such."""
    parts, wanted = path.split("/"), folder.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
