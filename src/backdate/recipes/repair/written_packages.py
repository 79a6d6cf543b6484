"""Tests that write into the folder of the project's own package: what is installed cannot be written.

On a machine of its own a project's tests may write beside the modules that they import. Here environments are
shared, so nothing can be written there; the project's tree can.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.missing_modules import ON_PATH, own_folder, with_own_folders
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, with_plans

_WRITTEN = re.compile(
    r"Read-only file system: b?['\"][^'\"\n]{1,500}/site-packages/([A-Za-z_]\w{0,80})/", re.ASCII
)
_MOST_PROBLEMS = 200


def written_packages(context: RepairContext) -> Iterator[Repair]:
    """The folders of the packages that tests write into on the path: they come before what is installed."""
    if context.failure.phase != "tests":
        return
    folders: dict[str, str] = {}
    for problem in context.failure.problems[:_MOST_PROBLEMS]:
        for package in dict.fromkeys(_WRITTEN.findall(problem.message)):
            folder = own_folder(context.files, package)
            if folder is not None:
                folders.setdefault(folder, package)
    changed = with_plans(context.recipe, lambda plan: with_own_folders(plan, folders))
    if folders and changed != context.recipe:
        reason = ", ".join(
            f"tests write into {package}, which lies in {folder}" for folder, package in folders.items()
        )
        yield context.repaired(ErrorClass.TESTS_FAIL, ON_PATH, reason, changed)
