"""Runners of other names whose suites are unittest's: stestr and its kin, zope.testrunner, Django's own."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.command import ProgramCall, read_options
from backdate.recipes.files import Files, normal_path
from backdate.recipes.own_runners import with_path
from backdate.recipes.recipe import SuitePlan

_DISCOVER = re.compile(
    r"discover\s+(?:-t\s+(?P<top>\S+)\s+)?(?:-s\s+)?(?P<path>\$\{?\w+(?::-(?P<default>[^}\s]+)\})?|[^\s$-]\S*)"
)
_STESTR_VALUES = (
    *("-t", "--test-path", "--test_path", "--top-dir", "--top_dir", "-c", "--config", "--concurrency"),
    *("--blacklist-file", "--exclude-list", "-e", "--black-regex", "--exclude-regex", "-E", "--worker-file"),
    *("--whitelist-file", "--include-list", "-i", "--load-list", "-g", "--group-regex", "--until-failure"),
    *("-n", "--no-discover", "--random", "--parallel-class", "-r", "--repo-type", "-u", "--repo-url"),
)
_ZOPE_VALUES = (
    *("--test-path", "--path", "-s", "--package", "-m", "--module", "-t", "--test", "-u", "--layer"),
    *("--tests-pattern", "--suite-name", "--test-file-pattern", "--package-path", "-j", "-a", "--at-level"),
)
_SETTING = re.compile(r"(?m)^(test_path|top_dir)[ \t]{0,9}=[ \t]{0,9}(\S{1,300})")
_SUITE = re.compile(r"(?m)^def test_suite\(")
_CASES = re.compile(r"TestCase\b")
_MOST_FOLDERS = 600
_TESTING = re.compile(r"(?:unit)?-?tests?(?:[-_:.]\w+)?\Z|check\Z", re.IGNORECASE)


def _unittest_plan(
    command: ProgramCall, targets: tuple[str, ...], arguments: tuple[str, ...], path: str | None = None
) -> SuitePlan:
    here = posixpath.relpath(".", command.cwd)
    variables = tuple((name, value.replace("/PROJECT", here)) for name, value in command.variables)
    return SuitePlan(
        runner="unittest",
        targets=targets,
        arguments=arguments,
        cwd=command.cwd,
        environment=with_path(variables, path) if path is not None else variables,
        provenance=command.provenance,
    )


def stestr(command: ProgramCall) -> Iterator[Action]:
    """``stestr run``, ``ostestr`` and ``testr``: unittest's discovery in the folder that is configured."""
    program = posixpath.basename(command.words[0])
    options = read_options(command.arguments, _STESTR_VALUES)
    if program in ("stestr", "testr") and options.positional[:1] != ("run",):
        yield command.skipped(f"{program} runs no test here")
        return
    path, top = _configured(command)
    path = (options.all("-t", "--test-path", "--test_path") or [path])[-1]
    top = (options.all("--top-dir", "--top_dir") or [top])[-1]
    if normal_path(command.cwd, path) is None or normal_path(command.cwd, top) is None:
        yield command.skipped("the tests lie outside the project")
        return
    yield _unittest_plan(command, (), ("discover", "-s", path, "-t", top))


def _configured(command: ProgramCall) -> tuple[str, str]:
    """The folder that is looked into, and the one that modules are named from."""
    files, cwd = command.files, command.cwd
    known = {**command.known, **dict(command.variables)}
    text = files.text(posixpath.normpath(posixpath.join(cwd, ".stestr.conf"))) or ""
    section = dict(_SETTING.findall(text))
    path, top = section.get("test_path", ""), section.get("top_dir", "./")
    if not path:
        old = files.text(posixpath.normpath(posixpath.join(cwd, ".testr.conf"))) or ""
        match = _DISCOVER.search(old)
        if match:
            path = known.get("OS_TEST_PATH") or match["default"] or match["path"]
            top = match["top"] or "."
    default = re.match(r"\$\{?(\w+)(?::-([^}]+)\})?", path)
    if default:
        path = known.get(default[1]) or default[2] or "."
    return path or ".", top or "."


def zope_testrunner(command: ProgramCall) -> Iterator[Action]:
    """``zope-testrunner``: its modules and their ``test_suite`` functions, one by one, with unittest."""
    options = read_options(command.arguments, _ZOPE_VALUES)
    path = (options.all("--test-path", "--path") or ["src" if command.files.has("src") else "."])[-1]
    start = normal_path(command.cwd, path)
    if start is None or not command.files.has(start):
        yield command.skipped(f"there is no folder {path[:100]} in the project")
        return
    targets = tuple(_modules_of_tests(command.files, start))
    if not targets:
        yield command.skipped("there are no modules of tests that it would find")
        return
    yield _unittest_plan(command, targets, (), posixpath.relpath(start, command.cwd))


def _modules_of_tests(files: Files, start: str) -> Iterator[str]:
    """What zope.testrunner finds by its defaults: modules ``tests``, and ``test…`` in packages ``tests``."""
    waiting = [""]
    for _ in range(_MOST_FOLDERS):
        if not waiting:
            return
        package = waiting.pop(0)
        folder = posixpath.normpath(posixpath.join(start, package.replace(".", "/")))
        inside = package.rpartition(".")[2] in ("tests", "ftests")
        for name in files.names(folder):
            module, is_python, _ = name.partition(".py")
            wanted = module in ("tests", "ftests") or (inside and module.startswith("test"))
            if is_python and name.endswith(".py") and wanted:
                text = files.text(posixpath.normpath(posixpath.join(folder, name))) or ""
                dotted = f"{package}.{module}".lstrip(".")
                if _SUITE.search(text):
                    yield f"{dotted}.test_suite"
                elif _CASES.search(text):
                    yield dotted
        waiting += [f"{package}.{name}".lstrip(".") for name in files.folders(folder) if name.isidentifier()]


def found_tests(command: ProgramCall) -> Iterator[Action]:
    """A runner of unittest's suites (trial, green): whatever tests are found; what was installed is kept."""
    yield Delegation(to="suite", cwd=command.cwd, variables=command.variables, provenance=command.provenance)


def task_runner(command: ProgramCall) -> Iterator[Action]:
    """A runner of tasks (invoke, just): whatever tests are found, where its task is named for testing."""
    if any(_TESTING.match(word) for word in command.arguments):
        yield from found_tests(command)
    else:
        yield command.skipped(f"{command.words[0]} runs no task that is named for testing")
