"""Modules that tests or the project import and that are not installed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.index.names import requirement_name
from backdate.knowledge import modules
from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    because,
    with_environment,
    with_packages,
    with_plans,
)
from backdate.recipes.repair.requirements import all_lines
from backdate.recipes.required import required

ON_PATH = "own modules on the path"
"""The repair by which folders of the tree come first on the path."""
_MOST_MODULES = 12
_MOST_NAMED = 4
_MOST_BESIDE = 5
"""Of a larger extra no more than the missing distribution is taken: it is no single feature."""
_DEEPEST = 3


def missing_distributions(context: RepairContext) -> Iterator[Repair]:
    """All missing modules of which a distribution as of the instant is known to hold them, at once."""
    modules_by_requirement: dict[str, str] = {}
    for module in _wanted(context):
        requirement = _provider(context, module)
        if requirement is not None:
            modules_by_requirement.setdefault(requirement, module)
    beside = _beside_in_extras(context, modules_by_requirement)
    changed = with_packages(
        context.recipe,
        (*modules_by_requirement, *beside),
        "missing module",
        f"No module named {', '.join(modules_by_requirement.values())}",
    )
    if changed != context.recipe:
        reason = ", ".join(
            f"{module} is in {requirement}" for requirement, module in modules_by_requirement.items()
        )
        reason += f"; its extra also requires {', '.join(beside)}" if beside else ""
        yield context.repaired(ErrorClass.MISSING_MODULE, "missing module", reason, changed)


def own_modules(context: RepairContext) -> Iterator[Repair]:
    """Modules of the project's own tree: the folder that holds them on the path, or the project installed."""
    folders: dict[str, str] = {}
    of_extras = _of_extras(context)
    for module in context.failure.missing_modules[:_MOST_MODULES]:
        folder = own_folder(context.files, module)
        if folder is not None and _in_extra(module, of_extras) is None:
            folders.setdefault(folder, module)
    if not folders:
        return
    reason = ", ".join(f"{module} lies in {folder}" for folder, module in folders.items())

    changed = with_plans(context.recipe, lambda plan: with_own_folders(plan, folders))
    if changed != context.recipe:
        yield context.repaired(ErrorClass.NOT_IMPORTABLE, ON_PATH, reason, changed)
    installed = any(step.kind == "project" for step in context.recipe.install)
    if not installed and context.files.declared().installable:
        step = InstallStep(kind="project", file=".", provenance=because("project not importable", reason))
        install = (*context.recipe.install, step)
        yield context.repaired(
            ErrorClass.NOT_IMPORTABLE,
            "project installed",
            reason,
            replace(context.recipe, install=install),
        )


def with_own_folders(plan: SuitePlan, folders: Iterable[str]) -> SuitePlan:
    """The plan with folders of the tree on the path, before those that it has there."""
    known = [part for part in dict(plan.environment).get("PYTHONPATH", "").split(":") if part]
    own = [posixpath.relpath(folder, plan.cwd) for folder in folders]
    path = ":".join(dict.fromkeys((*own, *known)))
    return with_environment(plan, {"PYTHONPATH": path})


def own_folder(files: Files, module: str) -> str | None:
    """The folder, relative to the root, from which the project's own ``module`` can be imported.

    The whole dotted name has to be there: a folder that is called like a namespace holds none of its parts.
    One without ``__init__.py`` that is called like a package of Python (``test``) gives way to that, wherever
    it is on the path.
    """
    *packages, last = module.split(".")
    hidden = bool(packages) and _of_python(packages[0])
    above = "/".join(packages)
    level = ["."]
    for _ in range(_DEEPEST):
        below: list[str] = []
        for folder in level:
            inside = posixpath.normpath(posixpath.join(folder, above))
            module_there = f"{last}.py" in files.names(inside) and (
                bool(packages) or _stands_alone(files, folder, last)
            )
            is_there = module_there or _is_package(files, posixpath.join(inside, last))
            top = posixpath.normpath(posixpath.join(folder, packages[0])) if hidden else ""
            if is_there and (not top or "__init__.py" in files.names(top)):
                return folder
            below += [
                posixpath.normpath(posixpath.join(folder, name))
                for name in files.folders(folder)
                if not name.startswith((".", "_")) and name not in ("node_modules", "venv", "env")
            ]
        level = below[:200]
    return None


def _stands_alone(files: Files, folder: str, name: str) -> bool:
    """Whether a module can be imported by its name alone. One of a package that imports from there, or a
    module of its own name, adapts another distribution's (``pkg/colander.py``)."""
    if "__init__.py" not in files.names(folder):
        return True
    text = files.text(posixpath.normpath(posixpath.join(folder, f"{name}.py"))) or ""
    word = re.escape(name)
    return (
        re.search(rf"^[ \t]*(?:from[ \t]+(?:\.|{word}\b)|import[ \t]+{word}\b)", text, re.MULTILINE) is None
    )


def _is_own(files: Files, module: str) -> bool:
    """Whether the project holds ``module``, or would: a part of its own package that a build makes."""
    if own_folder(files, module) is not None:
        return True
    top = module.partition(".")[0]
    folder = own_folder(files, top)
    return folder is not None and "__init__.py" in files.names(
        posixpath.normpath(posixpath.join(folder, top))
    )


def _of_extras(context: RepairContext) -> dict[str, str]:
    """What the project's extras require, by normalised name."""
    extras = [name for name, _ in context.files.declared().extras]
    with_extras = required(context.files, extras) or () if extras else ()
    return {name: text for text in with_extras if (name := requirement_name(text)) is not None}


def _beside_in_extras(context: RepairContext, requirements: Collection[str]) -> tuple[str, ...]:
    """What the smallest extra of each of ``requirements`` requires beside it.

    A feature's distributions are used together: the one that is imported may need the other at run time.
    """
    own = set(required(context.files) or ())
    extras = [
        [text for text in required(context.files, [name]) or () if text not in own]
        for name, _ in context.files.declared().extras
    ]
    found: dict[str, None] = {}
    for requirement in requirements:
        smallest = min((extra for extra in extras if requirement in extra), key=len, default=[])
        if len(smallest) <= _MOST_BESIDE + 1:
            found.update(dict.fromkeys(text for text in smallest if text not in requirements))
    return tuple(found)


def _in_extra(module: str, of_extras: dict[str, str]) -> str | None:
    """The requirement of an extra that is likely to hold ``module``; the index confirms it."""
    names = (canonicalize_name(name) for name in candidates_for(module))
    return next((of_extras[name] for name in names if name in of_extras), None)


def _is_package(files: Files, folder: str) -> bool:
    path = posixpath.normpath(folder)
    names = files.names(path)
    return "__init__.py" in names or any(name.endswith(".py") for name in names)


def _of_python(top: str) -> bool:
    """Whether Python has a module of that name, its own tests among them, or had one."""
    return top == "test" or modules.in_standard_library(top)


def _wanted(context: RepairContext) -> list[str]:
    """Missing modules that a distribution may hold."""
    wanted: list[str] = []
    failure, of_extras = context.failure, _of_extras(context)
    text = "\n".join((failure.text, *(problem.message[:20_000] for problem in failure.problems[:50])))
    for module in context.failure.missing_modules[:_MOST_MODULES]:
        top = module.partition(".")[0]
        standard = _of_python(top) and modules.requirement_without_index(top) is None
        if standard or (_is_own(context.files, module) and _in_extra(module, of_extras) is None):
            continue
        wanted += _deeper(module, text) if module in modules.namespaces() else [module]
    return list(dict.fromkeys(wanted))


def _deeper(namespace: str, text: str) -> list[str]:
    """What is imported from a namespace of which nothing is installed: the deepest names first."""
    imported = []
    for match in all_matches(
        re.compile(rf"\b(?:from|import) ({namespace}(?:\.\w{{1,60}}){{0,5}})(?: import (\w+))?"), text
    ):
        imported += [f"{match[1]}.{match[2]}"] if match[2] else []
        imported += [match[1]] if "." in match[1] else []
    return imported[:_MOST_MODULES]


def _provider(context: RepairContext, module: str) -> str | None:
    """The requirement that provides ``module`` according to the index as of the instant."""
    top = module.partition(".")[0]
    named = {line.name: line for line in all_lines(context.files) if line.requirement is not None}
    failure = context.failure
    known = modules.requirement_without_index(module)
    if known is not None:
        return known
    candidates = candidates_for(module)
    of_extras = _of_extras(context)
    near = [name for name in named if name and _alike(name, top)]
    order = [
        *(
            candidate
            for candidate in candidates
            if canonicalize_name(candidate) in named or canonicalize_name(candidate) in of_extras
        ),
        *near[:_MOST_NAMED],
        *candidates,
    ]
    for name in context.index_facts.providers(module, order, failure.instant):
        line = named.get(canonicalize_name(name))
        if line is not None and line.requirement is not None and not line.requirement.url:
            return line.text
        return of_extras.get(canonicalize_name(name), name)
    return None


def candidates_for(module: str) -> tuple[str, ...]:
    """Possible names of a distribution with ``module``, the likeliest first; the index confirms them."""
    parts = module.split(".")
    top = parts[0]
    row = modules.row_of(module)
    names = [modules.to_install(module), *row.distributions] if row else []
    plain = top.strip("_").replace("_", "-")
    names += [plain, *("-".join(parts[:length]).replace("_", "-") for length in range(len(parts), 1, -1))]
    names += [f"python-{plain}", f"py{plain}", f"{plain}-python", f"py-{plain}", f"django-{plain}"]
    names += [f"{plain}-client", f"{plain}2", plain.removeprefix("py")]
    return tuple(dict.fromkeys(name for name in names if name))


def _alike(name: str, top: str) -> bool:
    plain, wanted = name.replace("-", ""), top.lower().replace("_", "")
    return len(wanted) > 2 and (wanted in plain or plain in wanted)
