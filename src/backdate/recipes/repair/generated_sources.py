"""A source file that a project's own steps generate before they build, and that its tree does not hold.

A ``setup.py`` that uses Cython where it is installed, and the generated C otherwise, builds from a clone with
Cython alone. Where it names the generated file in any case, no recipe helps: something has to write it first.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.recipes.recipe import BuildRequirement
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, because, first_match
from backdate.recipes.repair.signs import NO_SOURCE

_RULE = "generated source"
_TOOL = "Cython"


def generated_by_cython(context: RepairContext) -> Iterator[Repair]:
    """Cython for the project's own build, where a source is missing that it would write."""
    match = first_match(NO_SOURCE, context.failure.text) if context.failure.phase != "tests" else None
    name, files = context.files.declared().name, context.files
    if match is None or not name or "setup.py" not in files.names("."):
        return
    missing = match[1] or match[2]
    stem, _ = posixpath.splitext(posixpath.normpath(missing))
    if not files.has(f"{stem}.pyx") or _TOOL not in (files.text("setup.py") or ""):
        return
    reason = f"{missing} is written by Cython from {stem}.pyx"
    asked = BuildRequirement(
        distribution=canonicalize_name(name), requirement=_TOOL, provenance=because(_RULE, match[0])
    )
    known = {(known.distribution, known.requirement) for known in context.recipe.build_requirements}
    if (asked.distribution, asked.requirement) not in known:
        changed = replace(context.recipe, build_requirements=(*context.recipe.build_requirements, asked))
        yield context.repaired(ErrorClass.MISSING_BUILD_DEPENDENCY, _RULE, reason, changed)
