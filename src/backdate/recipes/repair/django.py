"""Suites of Django: the settings module that they want, its own runner, and the database that tests make."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from backdate.recipes.collection import PYTEST_FILES, collection_rules
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.recipes.repair.django_settings import stand_in_variables
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    failure_text,
    first_match,
    with_environment,
    with_packages,
    with_plans,
    with_variables,
)

_RULE = "Django settings"
_SETTINGS = re.compile(
    r"settings are not configured|DJANGO_SETTINGS_MODULE|ImproperlyConfigured: (?:Requested setting|"
    r"The SECRET_KEY)|"
    r"AppRegistryNotReady|No Django settings"
)
_NAMED = re.compile(
    r"(?:DJANGO_SETTINGS_MODULE['\"]?\s{0,4}[,=:]{1,2}\s{0,4}|--(?:ds|settings)[= ])['\"]?"
    r"([A-Za-z_][\w.]{1,100})"
)
_NO_TABLE = re.compile(
    r"(?:no such table: |relation \"\w{1,80}\" does not exist|Table '[\w.]{1,80}' doesn't)"
)
_NAMING = ("pytest.ini", "setup.cfg", "tox.ini", "pyproject.toml", "manage.py", "runtests.py", "conftest.py")
_NAMING_BELOW = ("manage.py", "runtests.py", "conftest.py")
_NAMING_COMMANDS = ("Makefile", ".travis.yml", "setup.py")
_FILES = ("test_settings.py", "settings_test.py", "testsettings.py", "settings.py")
_IS_SETTINGS = re.compile(r"INSTALLED_APPS|SECRET_KEY|(?m:^\s{0,8}from [\w.]{1,100} import \*)")
"""What holds a project's settings; a file with an application's own defaults may be called so, too."""
_DJANGO_FILES = "test*.py"
"""What ``manage.py test`` takes."""
_DEFINES_TEST = re.compile(r"(?m)^(?:    )?(?:async )?def test\w{0,100}\(")
_DEEPEST = 3
_MOST_FOLDERS = 200
_MOST_PROPOSED = 3


@dataclass(frozen=True, slots=True)
class _SettingsModule:
    module: str
    """Dotted."""
    folder: str
    """From which it is imported, relative to the root."""
    where: str
    """The file that names it, or that it is."""


def settings_module(context: RepairContext) -> Iterator[Repair]:
    """The settings that manage.py, a test runner or the configuration name, here or in an example project."""
    failure = context.failure
    match = first_match(_SETTINGS, failure_text(failure)) if failure.phase == "tests" else None
    if match is None:
        return
    where: dict[tuple[str, str], str] = {}
    for found in _settings(context.files):
        where.setdefault((found.module, found.folder), found.where)
    for (module, folder), named in islice(where.items(), _MOST_PROPOSED):
        variables = {"DJANGO_SETTINGS_MODULE": module}
        changed = with_variables(context.recipe, variables, _RULE, f"named in {named}")
        changed = _set_up_first(changed, context.files, match[0])
        if changed != context.recipe:
            reason = f"{module}, as {named} names it"
            changed = _with_folder(changed, folder)
            yield context.repaired(ErrorClass.DJANGO_SETTINGS, _RULE, reason, changed)
    if not where and (variables := stand_in_variables(context.files)):
        said = "no settings here: plain ones stand in"
        changed = with_variables(context.recipe, variables, _RULE, said)
        changed = _set_up_first(changed, context.files, match[0])
        yield context.repaired(ErrorClass.DJANGO_SETTINGS, _RULE, said, changed)
    if "manage.py" in context.files.names(".") and context.recipe.test.runner != "django":
        plan = SuitePlan(
            runner="django",
            environment=context.recipe.test.environment,
            provenance=replace(context.recipe.test.provenance, rule="repair: Django's own runner"),
        )
        changed = replace(context.recipe, test=plan, further_tests=())
        reason = f"manage.py test, as it says: {match[0]}"
        yield context.repaired(ErrorClass.WRONG_RUNNER, "Django's own runner", reason, changed)


def own_database(context: RepairContext) -> Iterator[Repair]:
    """Tests of Django that pytest runs without the plugin that makes their database."""
    failure, recipe = context.failure, context.recipe
    match = first_match(_NO_TABLE, failure_text(failure)) if failure.phase == "tests" else None
    by_django = any(problem.type.startswith("django.db.") for problem in failure.problems)
    if match is None or not by_django or recipe.test.runner != "pytest":
        return
    changed = with_packages(recipe, ("pytest-django",), "Django's test database", match[0])
    if changed != recipe:
        reason = f"pytest-django, which makes it, as it says: {match[0]}"
        yield context.repaired(ErrorClass.MISSING_TEST_PLUGIN, "Django's test database", reason, changed)


def _set_up_first(recipe: Recipe, files: Files, said: str) -> Recipe:
    """``recipe`` with Django set up before tests are imported: by its own runner, or by pytest's plugin."""
    changed = _with_django_names(with_plans(recipe, _by_django), files)
    if not any(plan.runner == "pytest" for plan in (changed.test, *changed.further_tests)):
        return changed
    return with_packages(changed, ("pytest-django",), _RULE, said)


def _by_django(plan: SuitePlan) -> SuitePlan:
    """What unittest runs, run by Django, which sets itself up before it imports tests.

    What unittest is told besides the tests' names means something else to Django.
    """
    return replace(plan, runner="django") if plan.runner == "unittest" and not plan.arguments else plan


def _with_django_names(recipe: Recipe, files: Files) -> Recipe:
    """``recipe`` with which pytest looks for tests in the files that Django's own runner takes as well,
    "tests.py", where there are such files and the project does not name others.
    """
    folders = (".", *files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS))
    paths = [
        posixpath.normpath(posixpath.join(folder, name))
        for folder in folders
        for name in files.names(folder)
        if fnmatch.fnmatchcase(name, _DJANGO_FILES)
    ]

    def found(plan: SuitePlan) -> SuitePlan:
        rules = collection_rules(files.text, plan)
        if plan.runner != "pytest" or plan.targets or rules.patterns != PYTEST_FILES:
            return plan
        left = [path for path in paths if not rules.collects(path)]
        if not any(_DEFINES_TEST.search(files.text(path) or "") for path in left):
            return plan
        names = " ".join(dict.fromkeys((_DJANGO_FILES, *PYTEST_FILES)))
        return replace(plan, arguments=(*plan.arguments, "-o", f"python_files={names}"))

    return with_plans(recipe, found)


def _with_folder(recipe: Recipe, folder: str) -> Recipe:
    """``recipe`` with ``folder`` and the root on the path of every suite, where it is not the root itself."""

    def on_path(plan: SuitePlan) -> SuitePlan:
        known = [part for part in dict(plan.environment).get("PYTHONPATH", "").split(":") if part]
        own = [posixpath.relpath(part, plan.cwd) for part in (folder, ".")]
        return with_environment(plan, {"PYTHONPATH": ":".join(dict.fromkeys((*own, *known)))})

    return recipe if folder == "." else with_plans(recipe, on_path)


def _settings(files: Files) -> Iterator[_SettingsModule]:
    """What may be the settings, the likeliest first; one may come more than once."""
    folders = list(files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS))
    yield from _named_in(files, ".", _NAMING)
    for folder in folders:
        yield from _named_in(files, folder, _NAMING_BELOW)
    yield from _named_in(files, ".", _NAMING_COMMANDS)
    for name in _FILES:
        for folder in (".", *folders):
            path = posixpath.normpath(posixpath.join(folder, name))
            if name in files.names(folder) and _IS_SETTINGS.search(files.text(path) or ""):
                yield _of_file(files, path)
    for folder in folders:
        if posixpath.basename(folder) in ("settings", "test_settings") and "__init__.py" in files.names(
            folder
        ):
            yield _of_file(files, f"{folder}/__init__.py")


def _named_in(files: Files, folder: str, names: tuple[str, ...]) -> Iterator[_SettingsModule]:
    """What files in ``folder`` name: imported from there, from the root or from ``src``, where it lies there.

    What lies nowhere in the tree may be another distribution's.
    """
    for name in names:
        path = posixpath.normpath(posixpath.join(folder, name))
        match = _NAMED.search(files.text(path) or "") if name in files.names(folder) else None
        if match is None:
            continue
        starts = [start for start in (".", "src", folder) if _is_module(files, start, match[1])]
        if starts or folder == ".":
            yield _SettingsModule(match[1], next(iter(starts), "."), path)


def _is_module(files: Files, folder: str, module: str) -> bool:
    path = posixpath.normpath(posixpath.join(folder, module.replace(".", "/")))
    parent, name = posixpath.split(path)
    return f"{name}.py" in files.names(parent or ".") or "__init__.py" in files.names(path)


def _of_file(files: Files, path: str) -> _SettingsModule:
    """The module that a file is: dotted from the topmost package that holds it, else from the root.

    Folders at the root that are no packages can be imported from it all the same.
    """
    module = path.removesuffix(".py").removesuffix("/__init__")
    folder = posixpath.dirname(path.removesuffix("/__init__.py")) or "."
    while folder != "." and "__init__.py" in files.names(folder):
        folder = posixpath.dirname(folder) or "."
    if "/" not in folder and posixpath.dirname(module) == folder:
        folder = "."
    dotted = posixpath.relpath(module, folder).replace("/", ".")
    return _SettingsModule(dotted, folder, path)
