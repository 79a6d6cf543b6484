"""A package whose source folder hides what its build made: the suite runs against what is installed.

A build compiles extension modules, or writes modules such as ``_version.py``, into what is installed. Where
the package's folder lies at the root of the tree, a runner that is started there imports the folder, which
lacks them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.missing_modules import own_folder
from backdate.recipes.repair.repair import Repair, RepairKind
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    failure_text,
    marked,
    with_environment,
    with_packages,
    with_plans,
)

_RULE = "what is installed, not the source folder"
_FROM = re.compile(
    r"cannot import name '?(\w{1,80})'?(?: from (?:partially initialized module )?'([\w.]{1,200})')?"
)
_IN_PLACE = re.compile(
    r"build_ext (?:--inplace|-i)\b|from (?:its|the) source (?:directory|tree)|"
    r"[Cc] extensions?:? .{0,80}not (?:been )?(?:built|compiled)"
)
_BUILD_FILES = ("setup.py", "pyproject.toml", "setup.cfg")
_COMPILED_FROM = (".pyx", ".c", ".cpp", ".cc", ".cxx", ".pyi", ".pxd", ".rs", ".f", ".f90")
_MODES = ("append", "importlib")
_NOT_ON_THE_PATH = {
    "PYTHONSAFEPATH": "1",  # the folder that the runner is started in is not on the path
    "PY_IGNORE_IMPORTMISMATCH": "1",  # pytest takes the installed module of a test file that is installed too
}


def installed_modules(context: RepairContext) -> Iterator[Repair]:
    """Modules of the project that its build makes: the installed package goes before its source folder."""
    if context.failure.phase != "tests" or not any(s.kind == "project" for s in context.recipe.install):
        return
    evidence = next(_made_by_the_build(context), None)
    if evidence is None:
        return
    for mode in _MODES:
        changed = _against_installed(context.recipe, mode)
        if changed != context.recipe:
            reason = f"import mode {mode} and the root off the path, as it says: {evidence}"
            repair = context.repaired(ErrorClass.NOT_IMPORTABLE, _RULE, reason, changed)
            yield replace(repair, kind=RepairKind.BUILT_MODULES)


def _made_by_the_build(context: RepairContext) -> Iterator[str]:
    """Signs that a package at the root of the tree lacks a module that its installed copy has."""
    files, text = context.files, failure_text(context.failure)
    for module in context.failure.missing_modules:
        package, _, name = module.rpartition(".")
        if package and _lacks(files, package, name):
            yield f"No module named '{module}'"
    for match in all_matches(_FROM, text):
        name, package = match[1], match[2]
        stated = any(re.search(rf"\b{name}\b", files.text(file) or "") for file in _build_files(files))
        if package is not None and _lacks(files, package, name):
            if stated or _sources(files, package, name):
                yield match[0]
        elif package is None and stated and own_folder(files, name) is None:
            yield match[0]
    for match in all_matches(_IN_PLACE, text, 1):
        if "ext_modules" in (files.text("setup.py") or "" if "setup.py" in files.names(".") else ""):
            yield match[0]


def _build_files(files: Files) -> Iterator[str]:
    names = files.names(".")
    return (name for name in _BUILD_FILES if name in names)


def _lacks(files: Files, package: str, name: str) -> bool:
    """Whether ``package`` lies at the root of the tree, and no module ``name`` in it."""
    folder = package.replace(".", "/")
    if "__init__.py" not in files.names(package.partition(".")[0]) or not files.has(folder):
        return False
    return f"{name}.py" not in files.names(folder) and name not in files.folders(folder)


def _sources(files: Files, package: str, name: str) -> bool:
    names = files.names(package.replace(".", "/"))
    return any(f"{name}{suffix}" in names for suffix in _COMPILED_FROM)


def _against_installed(recipe: Recipe, mode: str) -> Recipe:
    """``recipe`` with every suite of pytest or unittest run by pytest, the root of the tree off the path."""

    def changed(plan: SuitePlan) -> SuitePlan:
        if plan.runner not in ("pytest", "unittest"):
            return plan
        arguments = () if plan.runner == "unittest" else plan.arguments
        kept = tuple(argument for argument in arguments if not argument.startswith("--import-mode"))
        path = [part for part in dict(plan.environment).get("PYTHONPATH", "").split(":") if part]
        path = [part for part in path if posixpath.normpath(posixpath.join(plan.cwd, part)) != "."]
        variables = {**_NOT_ON_THE_PATH, **({"PYTHONPATH": ":".join(path)} if path else {})}
        others = tuple(pair for pair in plan.environment if pair[0] != "PYTHONPATH")
        moved = replace(
            plan,
            runner="pytest",
            targets=plan.targets if plan.runner == "pytest" else tuple(map(_as_path, plan.targets)),
            arguments=(*kept, f"--import-mode={mode}"),
            environment=others,
        )
        return marked(with_environment(moved, variables), _RULE)

    by_pytest = with_plans(recipe, changed)
    if any(plan.runner == "pytest" for plan in (by_pytest.test, *by_pytest.further_tests)):
        return with_packages(by_pytest, ("pytest",), _RULE, "the runner")
    return recipe


def _as_path(module: str) -> str:
    """The file of a dotted module, as pytest is told it."""
    return f"{module.replace('.', '/')}.py"
