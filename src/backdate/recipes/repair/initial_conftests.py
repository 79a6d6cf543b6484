"""A ``conftest.py`` below the root that names plugins: pytest wants it to be loaded at the start."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.files import Files
from backdate.recipes.recipe import SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    failure_text,
    first_match,
    marked,
    with_plans,
)
from backdate.recipes.suite import find_suite

_RULE = "conftest that names plugins"
_SIGN = re.compile(r"Defining '?pytest_plugins'? in a non-top-level conftest")
_NAMES_PLUGINS = re.compile(r"(?m)^pytest_plugins\b")
_MOST_FOLDERS = 500
_DEEPEST = 5


def named_folders(context: RepairContext) -> Iterator[Repair]:
    """The folders of such conftests as targets: pytest loads the conftest of a target at the start.

    Failing that, the runner is started in the first folder, where its conftest is the topmost.
    """
    failure = context.failure
    match = first_match(_SIGN, failure_text(failure)) if failure.phase == "tests" else None
    folders = tuple(_folders(context.files)) if match is not None else ()
    if not folders:
        return

    inside = tuple(f"{folder}/" for folder in folders)
    whole = all(file.path.startswith(inside) for file in find_suite(context.files.root))

    def named(plan: SuitePlan) -> SuitePlan:
        if plan.runner != "pytest":
            return plan
        own = [posixpath.relpath(folder, plan.cwd) for folder in folders]
        rest = plan.targets or (() if whole else (".",))
        targets = tuple(dict.fromkeys((*own, *rest)))
        return plan if targets == plan.targets else marked(replace(plan, targets=targets), _RULE)

    def started(plan: SuitePlan) -> SuitePlan:
        if plan.runner != "pytest" or plan.cwd == folders[0]:
            return plan
        own = dict(plan.environment)
        path = [posixpath.relpath(plan.cwd, folders[0]), *filter(None, own.get("PYTHONPATH", "").split(":"))]
        environment = {**own, "PYTHONPATH": ":".join(dict.fromkeys(path))}
        moved = replace(plan, cwd=folders[0], targets=(), environment=tuple(environment.items()))
        return marked(moved, _RULE)

    where = ", ".join(folders)
    for change, reason in (
        (named, f"{where} named as a target, as its conftest.py names plugins"),
        (started, f"started in {folders[0]}, where its conftest.py is the topmost"),
    ):
        changed = with_plans(context.recipe, change)
        if changed != context.recipe:
            yield context.repaired(ErrorClass.WRONG_FOLDER, _RULE, reason, changed)


def _folders(files: Files) -> Iterator[str]:
    """The folders below the root, to a depth, whose conftest.py names plugins."""
    for folder in files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS):
        text = files.text(f"{folder}/conftest.py") if "conftest.py" in files.names(folder) else ""
        if _NAMES_PLUGINS.search(text or ""):
            yield folder
