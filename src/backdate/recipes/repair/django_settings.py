"""Applications of Django whose project holds no settings: plain ones, which backdate brings, stand in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from backdate.recipes.files import Files
from backdate.recipes.recipe import STAND_IN_APPS, STAND_IN_SETTINGS, STAND_IN_URLS
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, failure_text, first_match, with_variables

_MADE_OF = frozenset({"apps.py", "models.py", "admin.py", "migrations", "management", "templatetags"})
"""What an application of Django has, one or the other of it."""
_NO_APPLICATION = re.compile(
    r"Model class ([\w.]{1,200})\.models\b[\w.]{1,200} doesn't declare an explicit app_label"
)
_NO_PACKAGES = frozenset({"docs", "build", "dist"})
_DEEPEST, _MOST_FOLDERS = 3, 200
_RULE = "applications of Django"


def stand_in_variables(files: Files) -> dict[str, str]:
    """What names the settings, the project's applications and its addresses; empty where it has neither."""
    apps = dict(_applications(files))
    if not apps:
        return {}
    variables = {"DJANGO_SETTINGS_MODULE": STAND_IN_SETTINGS, STAND_IN_APPS: ",".join(apps)}
    addresses = next(_addresses(files, list(apps.values())), "")
    return {**variables, STAND_IN_URLS: addresses} if addresses else variables


def further_applications(context: RepairContext) -> Iterator[Repair]:
    """The applications of models that a run misses among those that the settings of ours name."""
    failure, recipe = context.failure, context.recipe
    known = dict(recipe.test.environment)
    if known.get("DJANGO_SETTINGS_MODULE") != STAND_IN_SETTINGS or failure.phase != "tests":
        return
    match = first_match(_NO_APPLICATION, failure_text(failure))
    apps = known.get(STAND_IN_APPS, "").split(",")
    if match is not None and match[1] not in apps:
        variables = {STAND_IN_APPS: ",".join((match[1], *apps))}
        changed = with_variables(recipe, variables, _RULE, match[0])
        yield context.repaired(ErrorClass.DJANGO_SETTINGS, _RULE, f"{match[1]} as well", changed)


def _applications(files: Files) -> Iterator[tuple[str, str]]:
    """The dotted name and the folder of each; of those with one label the uppermost, as Django takes one."""
    labels: set[str] = set()
    for folder in files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS):
        inside = {*files.names(folder), *files.folders(folder)}
        label = posixpath.basename(folder)
        if "__init__.py" not in inside or not inside & _MADE_OF or _NO_PACKAGES & {*folder.split("/")}:
            continue
        if label not in labels:
            labels.add(label)
            yield _dotted(files, folder), folder


def _dotted(files: Files, folder: str) -> str:
    """The name by which a package is imported: from the topmost package around it."""
    parts = folder.split("/")
    top = len(parts) - 1
    while top and "__init__.py" in files.names("/".join(parts[:top])):
        top -= 1
    return ".".join(parts[top:])


def _addresses(files: Files, folders: list[str]) -> Iterator[str]:
    """Modules of addresses, those of tests first."""
    tests = [f"{folder}/tests" for folder in folders]
    for folder in ("tests", *tests, *folders):
        if "urls.py" in files.names(folder):
            yield f"{_dotted(files, folder)}.urls"
