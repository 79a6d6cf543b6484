"""Optional requirements: what a project's code uses where it is there, and its tests take for granted."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.index.names import requirement_name
from backdate.recipes.files import Files
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, with_packages
from backdate.recipes.required import released_extras, required

_RULE = "optional requirements"
_DEEPEST, _MOST_FOLDERS, _MOST_FILES = 3, 100, 400


def optional_requirements(context: RepairContext) -> Iterator[Repair]:
    """What extras require and the project imports in a ``try``, where tests fail by no reason that is known.

    Tests of what such a module adds fail by an assertion, as nothing raises without it.
    """
    failure, files = context.failure, context.files
    if failure.phase != "tests" or not failure.passed or classify(failure) is not ErrorClass.TESTS_FAIL:
        return
    extras = dict.fromkeys((*(name for name, _ in files.declared().extras), *released_extras(files)))
    with_extras = required(files, extras) if extras else None
    if not with_extras:
        return
    tried = frozenset(_tried_imports(files))
    own = {requirement_name(line) for line in required(files) or ()}
    own |= {requirement_name(line) for step in context.recipe.install for line in step.packages}
    wanted = [
        line
        for line in with_extras
        if (name := requirement_name(line)) is not None
        and name not in own
        and name.replace("-", "_") in tried
    ]
    changed = with_packages(context.recipe, wanted, _RULE, "imported where they are there")
    if changed != context.recipe:
        yield context.repaired(ErrorClass.MISSING_MODULE, _RULE, ", ".join(wanted), changed)


def _tried_imports(files: Files) -> Iterator[str]:
    """The modules that files below the root import in a ``try``, in lower case."""
    left = _MOST_FILES
    for folder in (".", *files.folders_below(depth=_DEEPEST, most=_MOST_FOLDERS)):
        for name in files.names(folder):
            if not name.endswith(".py") or left <= 0:
                continue
            left -= 1
            text = files.text(posixpath.normpath(posixpath.join(folder, name))) or ""
            tree = parsed_or_none(text) if "try:" in text else None
            for node in ast.walk(tree) if tree is not None else ():
                yield from _imported(node.body) if isinstance(node, ast.Try) else ()


def _imported(body: list[ast.stmt]) -> Iterator[str]:
    for one in body:
        names = [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
        names += [one.module or ""] if isinstance(one, ast.ImportFrom) and not one.level else []
        yield from (name.partition(".")[0].lower() for name in names)
