"""A command of nose as one of pytest: where it works and looks, and the doctests that it was told to run.

nose takes its options from ``[nosetests]`` in setup.cfg as well, and from files that ``-c`` names. With
``with-doctest`` it reads the modules of packages, and files with the extensions that ``doctest-extension``
names: of some projects those are all tests. Its other options report, measure, or choose by patterns that
pytest has no counterpart of.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from backdate.recipes.command import ParsedOptions, ProgramCall, read_options
from backdate.recipes.files import Files, normal_path
from backdate.recipes.ini import read_ini

_WITH_VALUE = (
    *("-w", "--where", "-c", "--config", "-m", "--match", "-e", "--exclude", "-a", "--attr", "-l", "-i"),
    *("--cover-package", "--cover-min-percentage", "--cover-html-dir", "--cover-xml-file", "--processes"),
    *("--xunit-file", "--verbosity", "--start-dir", "--pattern", "--ignore-files", "--tests"),
    *("--doctest-extension", "--doctest-options", "--doctest-result-variable", "--doctest-fixtures"),
    *("--logging-level", "--logging-format", "--logging-datefmt", "--logging-filter", "--logging-config"),
    *("--debug", "--debug-log", "--process-timeout", "--id-file", "--py3where", "--eval-attr", "-A", "-I"),
    *("--include", "--cover-config-file", "--xunit-testsuite-name", "--profile-sort", "--profile-stats-file"),
    *("--profile-restrict", "--timer-top-n", "--timer-ok", "--timer-warning", "--timer-filter", "--tc"),
    *("--tc-file", "--html-file", "--html-report-template", "--json-file", "--plugin", "-t", "-N"),
)
_CONFIGURATION = "setup.cfg"
_SECTION = "nosetests"
NOSE2 = "nose2"
_ON = ("1", "true", "yes", "on")
_OPTION_FLAG = re.compile(r"[A-Z][A-Z0-9_]{2,60}\Z")
_TEST_FOLDER = re.compile(r"(?:^|[\b_.-])[Tt]est")
"""nose's own pattern of names: a folder that is no package is looked into where it fits."""
_SOURCES = ("lib", "src")
"""Folders that are no packages which nose looks into all the same."""


def pytest_call(command: ProgramCall) -> ProgramCall:
    """The call of pytest that runs what ``command``, of nose or nose2, runs."""
    second = command.words[0] == NOSE2
    options = read_options(command.arguments, (*_WITH_VALUE, "-s") if second else _WITH_VALUE)
    settings = {} if second else _settings(command, options)
    where = options.all("-w", "--where") or _listed(settings, "where")
    called, further = (command, options.all("-s", "--start-dir")) if second else _moved(command, where)
    named = options.positional or options.all("--tests") or _listed(settings, "tests")
    words = [*further, *map(_node_id, named)]
    paths = [word if "/" in word or called.files.has(word) else _as_path(called, word) for word in words]
    doctests = _doctests(options, settings)
    if "--doctest-modules" in doctests and not paths:
        paths = list(_looked_into(called.files, called.cwd))
    return called.having(("pytest", *doctests, *_module_names(options, settings), *paths))


def _node_id(name: str) -> str:
    """``package.module:Class.test`` as pytest names it."""
    module, colon, test = name.partition(":")
    return f"{module}::{test.replace('.', '::')}" if colon else module


def _moved(command: ProgramCall, where: list[str]) -> tuple[ProgramCall, list[str]]:
    """``command`` in the first of the folders that it is told to look into, where nose works from then on
    (``nose.config.Config.configureWhere`` of 1.3.7), and the others, which it takes for names of tests.
    """
    folder = normal_path(command.cwd, where[0]) if where else None
    if folder is None or not (command.files.names(folder) or command.files.folders(folder)):
        return command, where
    return replace(command, cwd=folder), where[1:]


def _module_names(options: ParsedOptions, settings: Mapping[str, str]) -> tuple[str, ...]:
    """What has pytest look into all modules, where nose is told to do so, whatever they are called."""
    asked = options.has("--all-modules") or _is_on(settings, "all-modules")
    return ("-o", "python_files=*.py") if asked else ()


def _settings(command: ProgramCall, options: ParsedOptions) -> Mapping[str, str]:
    """The configuration that is in force: the root's, and that of the files which the command names."""
    found = dict(_section(command.files, posixpath.normpath(posixpath.join(command.cwd, _CONFIGURATION))))
    for name in options.all("-c", "--config"):
        path = normal_path(command.cwd, name)
        if path is not None:
            found.update(_section(command.files, path))
    return found


def _section(files: Files, path: str) -> Mapping[str, str]:
    """nose's section of one file: keys as its long options, values with commas between their lines."""
    if posixpath.basename(path) not in files.names(posixpath.dirname(path) or "."):
        return MappingProxyType({})
    section = read_ini(files.text(path) or "").get(_SECTION, {})
    return {key: ",".join(text for _, text in lines) for key, lines in section.items()}


def _is_on(settings: Mapping[str, str], key: str) -> bool:
    return settings.get(key, "").lower() in _ON


def _listed(settings: Mapping[str, str], key: str) -> list[str]:
    return [part for part in re.split(r"[,\s]+", settings.get(key, "")) if part]


def _doctests(options: ParsedOptions, settings: Mapping[str, str]) -> list[str]:
    """What has pytest run the doctests that nose is told to run; nothing where it is told of none."""
    if not (options.has("--with-doctest") or _is_on(settings, "with-doctest")):
        return []
    extensions = options.all("--doctest-extension") or _listed(settings, "doctest-extension")
    flags = options.all("--doctest-options") or _listed(settings, "doctest-options")
    flags = [flag.removeprefix("+") for flag in flags if not flag.startswith("-")]
    flags = [flag for flag in flags if _OPTION_FLAG.match(flag)]
    words = ["--doctest-modules", *(f"--doctest-glob=*{extension}" for extension in extensions)]
    return [*words, *(("-o", f"doctest_optionflags={' '.join(flags)}") if flags else ())]


def _looked_into(files: Files, cwd: str) -> Iterator[str]:
    """The folders that nose looks into where no target is named: modules beside them are not imported."""
    for name in files.folders(cwd):
        is_package = "__init__.py" in files.names(posixpath.normpath(posixpath.join(cwd, name)))
        if is_package or name in _SOURCES or _TEST_FOLDER.search(name):
            yield name


def _as_path(command: ProgramCall, word: str) -> str:
    """A dotted module as the file or folder that it is, where there is one."""
    name, colons, rest = word.partition("::")
    path = name.replace(".", "/")
    for file in (f"{path}.py", path):
        if command.files.has(posixpath.join(command.cwd, file)):
            return file + colons + rest
    return word
