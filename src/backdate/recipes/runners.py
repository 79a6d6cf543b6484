"""Test commands, whichever runner they name, as test plans.

Options that only report (coverage, verbosity, files of results), stop early, or spread the tests over
processes are left out: every test's outcome is wanted, and the runner reports in its own way. The command as
it was written stays in the plan's provenance.
"""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.command import ProgramCall, read_options
from backdate.recipes.files import normal_path
from backdate.recipes.nose import NOSE2, pytest_call
from backdate.recipes.other_runners import found_tests, stestr, task_runner, zope_testrunner
from backdate.recipes.own_runners import runs_django_tests, runs_tests, starts_itself, with_path
from backdate.recipes.recipe import NOSE_SETUPS, PROJECT_FOLDER, SkippedInstruction, SuitePlan

_PYTEST_REPORTING = (
    *("-v", "-q", "-s", "-x", "-l", "-r", "-n", "--verbose", "--quiet", "--exitfirst", "--maxfail", "--tb"),
    *(
        "--durations",
        "--durations-min",
        "--color",
        "--capture",
        "--showlocals",
        "--show-capture",
        "--verbosity",
    ),
    *(
        "--cov",
        "--cov-report",
        "--cov-config",
        "--cov-append",
        "--cov-branch",
        "--cov-fail-under",
        "--no-cov",
    ),
    *("--no-cov-on-fail", "--cov-context", "--junitxml", "--junit-xml", "--junit-prefix", "--html", "--css"),
    *("--self-contained-html", "--numprocesses", "--dist", "--maxprocesses", "--timeout", "--timeout-method"),
    *(
        "--lf",
        "--ff",
        "--last-failed",
        "--failed-first",
        "--nf",
        "--sw",
        "--stepwise",
        "--pdb",
        "--full-trace",
    ),
    *(
        "--cache-clear",
        "--flake8",
        "--pylint",
        "--black",
        "--pep8",
        "--isort",
        "--pycodestyle",
        "--codestyle",
    ),
    *("--mypy", "--pyflakes", "--ruff", "--boxed", "--forked", "--no-header", "--no-summary", "--setup-show"),
    *("--reruns", "--reruns-delay", "--splits", "--group", "--durations-path", "--benchmark-disable"),
    *(
        "--benchmark-skip",
        "--benchmark-only",
        "--basetemp",
        "--report-log",
        "--alluredir",
        "--instafail",
        "--debug",
    ),
)
_PYTEST_WITH_VALUE = (
    *("-k", "-m", "-c", "-p", "-o", "-W", "-n", "-r", "--maxfail", "--tb", "--durations", "--durations-min"),
    *("--color", "--capture", "--show-capture", "--verbosity", "--cov-report", "--cov-config", "--cov"),
    *("--cov-fail-under", "--junitxml", "--junit-xml", "--junit-prefix", "--html", "--css", "--numprocesses"),
    *("--dist", "--timeout", "--timeout-method", "--rootdir", "--ignore", "--ignore-glob", "--deselect"),
    *("--confcutdir", "--basetemp", "--import-mode", "--log-level", "--log-cli-level", "--ds", "--dc"),
    *("--override-ini", "--pythonwarnings", "--reruns", "--reruns-delay", "--asyncio-mode", "--doctest-glob"),
    *("--splits", "--group", "--alluredir", "--randomly-seed", "--hypothesis-profile", "--hypothesis-seed"),
)
_PYTEST_CLUSTER = re.compile(r"-[vqsxl]{1,6}\Z|-r[A-Za-z]*\Z|-n(?:\d+|auto|logical)\Z")
_DJANGO_WITH_VALUE = (
    *("-v", "--verbosity", "--settings", "-k", "--tag", "--exclude-tag", "--pythonpath", "-p", "--pattern"),
    *("-t", "--top-level-directory", "--testrunner", "--parallel-processes"),
)
OWN_RUNNER = re.compile(
    r"(?:run[_-]?(?:all[_-]?)?tests?|tests?[_-]?runner|all[_-]?tests|testall|test[_-]?suite)\.py\Z"
)
"""What programs are called that run a project's tests."""
_TEST_FILE = re.compile(r"(?:test.*|.*[_-]tests?|tests?)\.py\Z", re.IGNORECASE)


def variables_of(command: ProgramCall) -> tuple[tuple[str, str], ...]:
    """The variables in front of a command, with the project's folder as seen from where it runs."""
    here = posixpath.relpath(".", command.cwd)
    return tuple((name, value.replace(PROJECT_FOLDER, here)) for name, value in command.variables)


def _plan(
    command: ProgramCall,
    runner: Literal["pytest", "unittest", "django"],
    targets: Iterable[str] = (),
    arguments: Iterable[str] = (),
    *,
    instead: str | None = None,
    cwd: str | None = None,
) -> SuitePlan:
    provenance = command.provenance
    if instead:
        provenance = replace(provenance, rule=f"{provenance.rule}; {instead}")
    return SuitePlan(
        runner=runner,
        targets=tuple(targets),
        arguments=tuple(arguments),
        cwd=cwd or command.cwd,
        environment=variables_of(command),
        provenance=provenance,
    )


def _pytest(command: ProgramCall, *, instead: str | None = None) -> Iterator[Action]:
    options = read_options(command.arguments, _PYTEST_WITH_VALUE)
    if options.has("--version", "--help", "-h", "--collect-only", "--co", "--fixtures"):
        yield command.skipped("pytest runs no test here")
        return
    arguments: list[str] = []
    for name, value in options.values:
        if (
            name in _PYTEST_REPORTING
            or _PYTEST_CLUSTER.match(name)
            or name.startswith(("--cov", "--benchmark"))
        ):
            continue
        if not value:
            arguments.append(name)
        elif name.startswith("--"):
            arguments.append(f"{name}={value}")
        else:
            arguments += [name, value]
    targets, problems = _targets(command, options.positional)
    yield from problems
    if options.positional and not targets:
        return
    yield _plan(command, "pytest", targets, arguments, instead=instead)


def _targets(command: ProgramCall, words: Iterable[str]) -> tuple[list[str], list[SkippedInstruction]]:
    """Files and folders as seen from the command's folder, patterns replaced by what they match."""
    targets: list[str] = []
    problems: list[SkippedInstruction] = []
    for word in words:
        file, colons, rest = word.partition("::")
        path = normal_path(command.cwd, file)
        if path is None:
            problems.append(command.skipped(f"{word[:100]} leads out of the project"))
        elif "*" in file or "?" in file:
            folder, pattern = posixpath.split(path)
            names = fnmatch.filter(command.files.names(folder or "."), pattern)
            matched = [posixpath.relpath(posixpath.join(folder, name), command.cwd) for name in names]
            targets += matched
            if not matched:
                problems.append(command.skipped(f"{word[:100]} matches no file"))
        else:
            targets.append(posixpath.relpath(path, command.cwd) + colons + rest)
    return targets, problems


def _unittest(command: ProgramCall) -> Iterator[Action]:
    arguments = [
        word for word in command.arguments if word not in ("-f", "--failfast", "--verbose", "--quiet")
    ]
    arguments = [word for word in arguments if not re.fullmatch(r"-[vq]+", word)]
    if any(word.startswith(("/", "~", "../")) for word in arguments):
        yield command.skipped("the tests lie outside the project")
    elif not arguments or arguments[0] == "discover":
        yield _plan(command, "unittest", arguments=arguments or ["discover"])
    else:
        options = [word for word in arguments if word.startswith("-")]
        named = [word for word in arguments if not word.startswith("-")]
        yield _plan(command, "unittest", [_module(word) for word in named], options)


def _module(word: str) -> str:
    """A file as the module that it is; a dotted name stays."""
    if not word.endswith(".py"):
        return word
    return posixpath.normpath(word).removesuffix(".py").replace("/", ".")


def _nose(command: ProgramCall) -> Iterator[Action]:
    instead = f"{command.words[0]}, run with pytest"
    called = pytest_call(command)
    if command.words[0] != NOSE2:
        called = replace(called, variables=(*called.variables, (NOSE_SETUPS, "1")))
    yield from _pytest(called, instead=instead)


def _tox(command: ProgramCall) -> Iterator[Action]:
    arguments = command.arguments
    if arguments[:1] in (("run",), ("r",), ("run-parallel",), ("p",)):
        arguments = arguments[1:]
    options = read_options(
        arguments[: arguments.index("--")] if "--" in arguments else arguments,
        ("-e", "-c", "--workdir", "-p", "--parallel", "-f", "--result-json", "--conf", "-x", "-m"),
    )
    if options.has("-l", "--listenvs", "--version", "--notest", "-a", "--showconfig", "-h"):
        yield command.skipped("tox runs no test here")
        return
    yield Delegation(
        to="tox",
        arguments=tuple(options.all("-e")),
        cwd=command.cwd,
        variables=command.variables,
        provenance=command.provenance,
    )


def _nox(command: ProgramCall) -> Iterator[Action]:
    end = command.arguments.index("--") if "--" in command.arguments else len(command.arguments)
    options = command.arguments[1:end]
    sessions: list[str] = []
    taking = False
    for word in command.arguments[:end]:
        if word in ("-s", "-e", "--session", "--sessions"):
            taking = True
        elif word.startswith(("--session=", "--sessions=")):
            sessions.append(word.partition("=")[2])
        elif word.startswith("-"):
            taking = False
        elif taking:
            sessions.append(word)
    if "--list" in options or "-l" in options:
        yield command.skipped("nox runs no test here")
        return
    yield Delegation(
        to="nox",
        arguments=tuple(sessions),
        cwd=command.cwd,
        variables=command.variables,
        provenance=command.provenance,
    )


def _make(command: ProgramCall) -> Iterator[Action]:
    options = read_options(command.arguments, ("-C", "-f", "-j", "-o", "-W", "--directory", "--file"))
    folder = normal_path(command.cwd, (options.all("-C", "--directory") or ["."])[-1])
    if folder is None:
        yield command.skipped("a Makefile outside the project")
        return
    assigned = [word.partition("=") for word in options.positional if "=" in word]
    yield Delegation(
        to="make",
        arguments=tuple(word for word in options.positional if "=" not in word),
        cwd=folder,
        variables=(*command.variables, *((name, value) for name, _, value in assigned)),
        provenance=command.provenance,
    )


def run_file(command: ProgramCall, words: tuple[str, ...]) -> Iterator[Action]:
    """``python FILE …``: Django's manage.py, or a file of tests."""
    path = normal_path(command.cwd, words[0])
    name = posixpath.basename(words[0])
    text = command.files.text(path) or "" if path is not None and command.files.has(path) else ""
    if path is None or not command.files.has(path):
        yield command.skipped(f"there is no file {words[0][:100]} in the project")
    elif name == "manage.py" and "django" in text:
        if words[1:2] == ("test",):
            yield from _django(command, words[2:], posixpath.dirname(path) or ".")
        else:
            yield command.skipped("manage.py runs no test here")
    elif runs_django_tests(text) and starts_itself(text) and words[1:2] != ("runserver",):
        plan = _plan(command, "pytest", [posixpath.relpath(path, command.cwd)], words[1:])
        yield replace(plan, runner="program")
    elif _TEST_FILE.match(name) and len(words) == 1 and _calls_unittest(command, path):
        module = _module(posixpath.relpath(path, command.cwd))
        yield _plan(command, "unittest", [module], instead="a file that runs its own tests")
    elif (OWN_RUNNER.match(name) and re.search(r"pytest|unittest|nose", text)) or (
        runs_tests(text) and starts_itself(text)
    ):
        yield Delegation(
            to="suite", cwd=command.cwd, variables=variables_of(command), provenance=command.provenance
        )
    else:
        yield command.skipped(f"{words[0][:100]} is a program of the project's own; it is not followed")


def _calls_unittest(command: ProgramCall, path: str) -> bool:
    return "unittest" in (command.files.text(path) or "")


def _django(command: ProgramCall, arguments: tuple[str, ...], cwd: str) -> Iterator[Action]:
    """``manage.py test``; ``cwd``: the folder of manage.py. It may be started from another one."""
    options = read_options(arguments, _DJANGO_WITH_VALUE)
    kept = ("--settings", "-k", "--tag", "--exclude-tag", "--keepdb", "--reverse", "--pythonpath")
    written: list[str] = []
    for name, value in options.values:
        if name in kept:
            written += (
                [f"{name}={value}"] if value and name.startswith("--") else [name, *filter(None, [value])]
            )
    plan = _plan(command, "django", options.positional, written, cwd=cwd)
    if posixpath.normpath(cwd) != posixpath.normpath(command.cwd):
        back = posixpath.relpath(command.cwd, cwd)
        labels = [
            posixpath.join(back, label) if command.files.has(posixpath.join(command.cwd, label)) else label
            for label in options.positional or (".",)
        ]
        targets = tuple(posixpath.normpath(label) if "/" in label else label for label in labels)
        plan = replace(plan, targets=targets, environment=with_path(plan.environment, back))
    yield plan


def _django_admin(command: ProgramCall) -> Iterator[Action]:
    """``django-admin test``: Django's own command line, with the settings that it is given."""
    if command.arguments[:1] == ("test",):
        yield from _django(command, command.arguments[1:], command.cwd)
    else:
        yield command.skipped("django-admin runs no test here")


def _not_followed(command: ProgramCall) -> Iterator[Action]:
    yield command.skipped(f"the runner {command.words[0]} is not known here")


RUNNERS: Mapping[str, Callable[[ProgramCall], Iterable[Action]]] = {
    "pytest": _pytest,
    "py.test": _pytest,
    "pytest-3": _pytest,
    "python -m unittest": _unittest,
    "nosetests": _nose,
    "nosetests3": _nose,
    "nose": _nose,
    "nose2": _nose,
    "tox": _tox,
    "nox": _nox,
    "make": _make,
    **dict.fromkeys(("stestr", "ostestr", "testr"), stestr),
    **dict.fromkeys(("zope-testrunner", "zope.testrunner"), zope_testrunner),
    **dict.fromkeys(("django-admin", "django-admin.py", "python -m django"), _django_admin),
    **dict.fromkeys(("trial", "python -m twisted.trial", "green"), found_tests),
    **dict.fromkeys(("invoke", "inv", "fab", "just", "task", "doit"), task_runner),
    **dict.fromkeys(("behave", "ward", "rake", "bazel", "cmake", "ctest"), _not_followed),
}
"""By program name; a module that ``python -m`` runs under its own name, or under the whole call."""
