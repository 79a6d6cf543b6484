"""Extras of which a part cannot be had: their other requirements are installed by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.index.names import requirement_name
from backdate.recipes.recipe import InstallStep
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, all_matches, because
from backdate.recipes.repair.unsatisfiable import FAILED_BUILD, says_unsatisfiable
from backdate.recipes.required import required

_RULE = "a part of an extra"
_MOST_NAMED = 4
"""Of more requirements none is told apart: the extra as a whole does not fit."""


def part_of_extras(context: RepairContext) -> Iterator[Repair]:
    """The project without its extras, and what they require but for what does not build or fit.

    Of requirements that do not fit together it is those which require the project itself, as tools for tests
    do that were built on an earlier release of it; else each that the resolver names.
    """
    recipe, files = context.recipe, context.files
    extras = [extra for step in recipe.install if step.file == "." for extra in step.extras]
    if context.failure.phase == "tests" or not extras:
        return
    own, with_extras = required(files), required(files, extras)
    if own is None or with_extras is None:
        return
    of_extras = [line for line in with_extras if line not in own]
    for gone in _unfitting(context, [requirement_name(line) or "" for line in of_extras]):
        kept = tuple(line for line in of_extras if requirement_name(line) not in gone)
        if not kept:
            continue  # then it is without the extras, which another rule proposes
        reason = f"the extras {', '.join(extras)} without {', '.join(gone)}"
        steps = [
            replace(step, extras=()) if step.kind == "project" and step.file == "." else step
            for step in recipe.install
        ]
        steps.append(InstallStep(kind="packages", packages=kept, provenance=because(_RULE, reason)))
        changed = replace(recipe, install=tuple(steps))
        yield context.repaired(ErrorClass.UNSATISFIABLE, _RULE, reason, changed)


def _unfitting(context: RepairContext, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Which of ``names`` to do without: the smallest guess first."""
    text = context.failure.text
    unbuilt = {canonicalize_name(match[1].rstrip(".")) for match in all_matches(FAILED_BUILD, text)}
    found = tuple(name for name in dict.fromkeys(names) if name in unbuilt)
    if found:
        yield found
        return
    if not says_unsatisfiable(text):
        return
    text = " ".join(text.split())
    named = tuple(name for name in dict.fromkeys(names) if _is_named(name, text))
    project = canonicalize_name(context.files.declared().name or "")
    requiring = tuple(name for name in named if project and _requires(name, project, text))
    if requiring and len(requiring) < len(named):
        yield requiring
    if 0 < len(named) <= _MOST_NAMED:
        yield named


def _is_named(name: str, text: str) -> bool:
    return bool(name) and re.search(rf"(?<![\w.-]){_pattern(name)}(?![\w-])", text, re.IGNORECASE) is not None


def _requires(name: str, project: str, text: str) -> bool:
    """Whether a resolver says that releases of ``name`` require the project itself."""
    pattern = rf"(?<![\w.-]){_pattern(name)}[^\s\[]{{0,100}} depends on {_pattern(project)}(?![\w-])"
    return re.search(pattern, text, re.IGNORECASE) is not None


def _pattern(name: str) -> str:
    return re.escape(name).replace(r"\-", "[-_.]")
