"""Suites that are started with the wrong runner, folder, settings or options."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.errors import ConfigurationError
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.installed_tests import installed_copy
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    failure_text,
    first_match,
    marked,
    with_packages,
    with_plans,
    with_variables,
)
from backdate.recipes.suite import plan_tests

_NOT_FOUND = re.compile(
    r"(?:No such file or directory|does not exist|not found): '?\"?([\w./ -]{2,200}\.\w{1,8})'?\"?"
)
_NO_TARGET = re.compile(r"(?:file or directory not found|file not found): (\S{1,300})")
_DISPLAY = re.compile(
    r"no display name and no \$DISPLAY|[Cc]ould not connect to display|cannot connect to X server|"
    r"no Qt platform plugin could be initialized|couldn't connect to display|Invalid DISPLAY|headless|"
    r"No available video device"
)
_MISMATCH = re.compile(r"import file mismatch|ImportPathMismatchError")
_WARNING = re.compile(r"^(?:\w+\.)*\w*(?:Warning|RemovedIn\w+): ")
_DEFINES_TEST = re.compile(r"(?m)^(?:    )?(?:async )?def test\w{0,100}\(")
_MOST_UNUSUAL = 200
_DEEPEST = 4
"""Levels of folders in which such files are looked for: "src/zope/thing/tests"."""
_MOST_FOLDERS = 300
_NO_TESTS_IN = frozenset({"build", "dist", "docs", "doc", "node_modules", "site-packages", "__pycache__"})
_MOST_WARNINGS = 0.2
"""Part of what fails; below, ignoring warnings would not help much."""


def missing_targets(context: RepairContext) -> Iterator[Repair]:
    """Files and folders of tests that are not there: left out."""
    gone = {match[1] for match in all_matches(_NO_TARGET, failure_text(context.failure))}
    if not gone or context.failure.phase != "tests":
        return

    def without(plan: SuitePlan) -> SuitePlan:
        kept = tuple(target for target in plan.targets if target not in gone)
        return plan if kept == plan.targets else marked(replace(plan, targets=kept), "target not found")

    changed = with_plans(context.recipe, without)
    if changed != context.recipe:
        reason = f"without {', '.join(sorted(gone))}, which is not there"
        yield context.repaired(ErrorClass.WRONG_FOLDER, "target not found", reason, changed)


def missing_folder(context: RepairContext) -> Iterator[Repair]:
    """A folder to start in that is not there, such as one that tox would have made: the root instead."""
    files = context.files
    if context.failure.phase != "tests":
        return

    def at_root(plan: SuitePlan) -> SuitePlan:
        return plan if files.has(plan.cwd) else marked(_moved(plan, "."), "folder not found")

    changed = with_plans(context.recipe, at_root)
    if changed != context.recipe:
        reason = f"started in the root, as {context.recipe.test.cwd} is not there"
        yield context.repaired(ErrorClass.WRONG_FOLDER, "folder not found", reason, changed)


def _unusual_files(files: Files) -> tuple[str, ...]:
    """Files with tests whose names pytest does not look for."""
    unusual: list[str] = []
    for folder in _folders_looked_in(files):
        usual = posixpath.basename(folder) in ("tests", "test", "testing")
        for name in files.names(folder):
            path = posixpath.normpath(posixpath.join(folder, name))
            known = name.startswith("test_") or name.endswith("_test.py")
            wanted = name.endswith(".py") and not known and (usual or name in ("tests.py", "test.py"))
            if wanted and len(unusual) < _MOST_UNUSUAL and _DEFINES_TEST.search(files.text(path) or ""):
                unusual.append(path)
    return tuple(unusual)


def _folders_looked_in(files: Files) -> list[str]:
    """The root and what is below it, the nearest first: the tests of a package may lie within it."""
    folders, level = ["."], ["."]
    for _ in range(_DEEPEST):
        level = [
            posixpath.normpath(posixpath.join(folder, name))
            for folder in level[:_MOST_FOLDERS]
            for name in files.folders(folder)
            if not name.startswith(".") and name not in _NO_TESTS_IN
        ]
        folders += level
    return folders[:_MOST_FOLDERS]


def other_runner(context: RepairContext) -> Iterator[Repair]:
    """Where the runner found no test, or crashed: the runner that the files suggest, pytest on all."""
    failure = context.failure
    found_none = failure.status in ("no-tests", "broken") or failure.ran == 0
    if failure.phase != "tests" or not (found_none or failure.few_tests):
        return
    environment = context.recipe.test.environment
    try:
        seen = plan_tests(context.files.root)
    except ConfigurationError:
        seen = None
    plans = [seen] if seen is not None else []
    if context.recipe.test.runner != "pytest":
        plans.append(SuitePlan(runner="pytest", provenance=context.recipe.test.provenance))
    unusual = _unusual_files(context.files)
    if unusual:
        targets = (".", *unusual) if failure.few_tests else unusual
        source = context.recipe.test.provenance
        plans.insert(0, SuitePlan(runner="pytest", targets=targets, provenance=source))
    plans.append(replace(context.recipe.test, targets=(), arguments=(), cwd="."))
    for plan in plans:
        new = marked(replace(plan, environment=(*environment, *plan.environment)), "another way to run")
        changed = replace(context.recipe, test=new, further_tests=())
        if new.runner == "pytest":
            changed = with_packages(changed, ("pytest",), "another way to run", "the runner")
        if _differs(changed, context.recipe):
            why = "as few of the tests ran" if failure.few_tests else f"as the status is {failure.status}"
            reason = f"{plan.runner} {' '.join(plan.targets)}".strip() + f", {why}"
            error = ErrorClass.NO_TESTS if failure.status == "no-tests" else ErrorClass.WRONG_RUNNER
            error = ErrorClass.FEW_TESTS if failure.few_tests else error
            yield context.repaired(error, "another way to run", reason, changed)


def _differs(recipe: Recipe, other: Recipe) -> bool:
    keys = [
        [(p.runner, p.targets, p.arguments, p.cwd) for p in (r.test, *r.further_tests)]
        for r in (recipe, other)
    ]
    return keys[0] != keys[1]


def working_folder(context: RepairContext) -> Iterator[Repair]:
    """Files that tests open by relative paths: starts the runner in the folder that holds them."""
    if context.failure.phase != "tests":
        return
    paths = [
        match[1]
        for match in all_matches(_NOT_FOUND, failure_text(context.failure))
        if not match[1].startswith("/")
    ]
    plan = context.recipe.test
    for path in dict.fromkeys(paths):
        for folder in (".", *plan.targets, *context.files.folders(".")):
            normal = posixpath.normpath(folder)
            if (
                normal == plan.cwd
                or normal.startswith("..")
                or not context.files.has(posixpath.join(normal, path))
            ):
                continue
            moved = marked(_moved(plan, normal), "working folder")
            reason = f"started in {normal}, where {path} lies"
            changed = replace(context.recipe, test=moved)
            yield context.repaired(ErrorClass.WRONG_FOLDER, "working folder", reason, changed)
            return


def _moved(plan: SuitePlan, folder: str) -> SuitePlan:
    """The plan, started in another folder; the old folder stays on ``PYTHONPATH``."""
    targets = plan.targets
    if plan.runner == "pytest":
        started = targets or (".",)
        targets = tuple(posixpath.relpath(posixpath.join(plan.cwd, target), folder) for target in started)
    own = dict(plan.environment)
    path = [posixpath.relpath(plan.cwd, folder), *filter(None, own.get("PYTHONPATH", "").split(":"))]
    own["PYTHONPATH"] = ":".join(dict.fromkeys(path))
    return replace(plan, cwd=folder, targets=targets, environment=tuple(own.items()))


def display(context: RepairContext) -> Iterator[Repair]:
    """Back-ends that need no display."""
    match = first_match(_DISPLAY, failure_text(context.failure)) if context.failure.phase == "tests" else None
    if match is None:
        return
    variables = {"MPLBACKEND": "Agg", "QT_QPA_PLATFORM": "offscreen", "SDL_VIDEODRIVER": "dummy"}
    changed = with_variables(context.recipe, variables, "no display", match[0])
    if changed != context.recipe:
        reason = f"back-ends without a display, as it says: {match[0]}"
        yield context.repaired(ErrorClass.NEEDS_DISPLAY, "no display", reason, changed)


def import_mode(context: RepairContext) -> Iterator[Repair]:
    """Test files of one name in several folders."""
    text = failure_text(context.failure) if context.failure.phase == "tests" else ""
    match = first_match(_MISMATCH, text)
    if match is not None and installed_copy(text) is None:
        yield from _with_arguments(
            context, ("--import-mode=importlib",), ErrorClass.WRONG_RUNNER, "import mode", match[0]
        )


def ignored_warnings(context: RepairContext) -> Iterator[Repair]:
    """Warnings of libraries that the project's configuration turns into errors."""
    failure = context.failure
    count = sum(p.count for p in failure.problems if _WARNING.match(f"{p.type}: "))
    first = next((p for p in failure.problems if _WARNING.match(f"{p.type}: ")), None)
    if (
        failure.phase == "tests"
        and first is not None
        and count >= _MOST_WARNINGS * max(1, failure.ran - failure.passed)
    ):
        yield from _with_arguments(
            context,
            ("-W", "ignore"),
            ErrorClass.INCOMPATIBLE_RELEASE,
            "warnings as errors",
            f"{first.type}: {first.message}",
        )


def _with_arguments(
    context: RepairContext, arguments: tuple[str, ...], error: ErrorClass, rule: str, evidence: str
) -> Iterator[Repair]:
    def longer(plan: SuitePlan) -> SuitePlan:
        if plan.runner != "pytest" or arguments[0] in plan.arguments:
            return plan
        return marked(replace(plan, arguments=(*plan.arguments, *arguments)), rule)

    changed = with_plans(context.recipe, longer)
    if changed != context.recipe:
        yield context.repaired(error, rule, f"{' '.join(arguments)}, as it says: {evidence}", changed)
