"""Requirements with a typo, and names of others: mended in every file that states them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from packaging.requirements import Requirement

from backdate.index.names import normalise
from backdate.recipes.recipe import InstallStep, Recipe, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    because,
    first_match,
    with_environment,
    with_plans,
)
from backdate.recipes.repair.requirements import RequirementLine, rewritten
from backdate.recipes.required import stated_requirements
from backdate.text import UNREADABLE

_RULE = "misspelt requirement"
_SAYS = re.compile(
    r"Couldn't parse requirement|[Ii]nvalid [Rr]equirement|InvalidRequirement|[Pp]arse error at|"
    r"no such comparison operator|valid project/version requirement|"
    r"Expected (?:end|package name|one of|a valid)|"
    r"Unexpected end of version specifier|RequirementParseError|after (?:name and no|version)"
)
_TAKEN_FOR = re.compile(
    r"`(?P<old>[A-Za-z0-9._-]{1,100})` is often confused for `[A-Za-z0-9._-]{1,100}`\. "
    r"Did you mean to install `(?P<new>[A-Za-z0-9._-]{1,100})` instead\?"
    r"|'(?P<said>[A-Za-z0-9._-]{1,100})' PyPI package is deprecated,? (?:please )?use "
    r"'(?P<now>[A-Za-z0-9._-]{1,100})'"
)
"""What uv, and a distribution that refuses to be built, say of a name that people take for another."""
_UNBUILT = re.compile(r"Failed to build `([A-Za-z0-9._-]{1,100})==")
"""How uv begins to tell of a release that does not build, before what the build says itself."""
_RENAMED = "misnamed requirement"
_COMPILES = re.compile(r"ext_modules|cffi_modules|rust_extensions|mypycify")
_SLIPS = (
    (re.compile(r"=\s?>"), ">="),
    (re.compile(r"=\s?<"), "<="),
    (re.compile(r"([<>!~=])\s+="), r"\1="),
    (re.compile(r"(?<![=<>!~])=(?!=)"), "=="),
    (re.compile(r"(?<=[\w*])\s*(?=(?:[<>!~]=?|==)\s?\d)"), ","),
    (re.compile(r"\A([A-Za-z0-9._-]{1,100}(?:\[[^\]]{0,100}\])?)\s*,"), r"\1"),
    (re.compile(r"((?:[<>]=?|~=)\s?\d[\d.]{0,20})\.\*"), r"\1"),
    (re.compile(r"[\s,.;]+\Z"), ""),
)
"""What people write in the place of a specifier, and what they mean."""


def corrected(text: str) -> str | None:
    """``text`` with the slips of its specifier mended; None where it is valid, or means nothing even so."""
    try:
        Requirement(text)
    except UNREADABLE:
        pass
    else:
        return None
    requirement, semicolon, marker = text.partition(";")
    mended = requirement
    for pattern, instead in _SLIPS:
        mended = pattern.sub(instead, mended)
    try:
        return str(Requirement(f"{mended}{semicolon}{marker}" if marker.strip() else mended))
    except UNREADABLE:
        return None


def misspelt_requirements(context: RepairContext) -> Iterator[Repair]:
    """Requirements whose specifier has a slip (``six=1.16``), in the recipe's files and the project's own."""
    match = None if context.failure.phase == "tests" else first_match(_SAYS, context.failure.text)
    if match is None:
        return
    mended: dict[str, str] = {}

    def change(line: RequirementLine) -> str:
        text = None if "://" in line.text or line.text.startswith((".", "/")) else corrected(line.text)
        if text is not None:
            mended[line.text] = text
        return text or line.text

    changed = everywhere(context, context.recipe, change, _RULE, match[0])
    if changed != context.recipe:
        reason = "; ".join(f"{written} is meant as {text}" for written, text in mended.items())
        yield context.repaired(ErrorClass.BROKEN_REQUIREMENT, _RULE, reason, changed)


def says_misnamed(text: str) -> bool:
    """Whether a log says that a requirement names another distribution than is meant."""
    return first_match(_TAKEN_FOR, text) is not None


def misnamed_requirements(context: RepairContext) -> Iterator[Repair]:
    """The distribution that is meant, where one that is only called like its module refuses to be built:
    ``sklearn`` for ``scikit-learn``, since 2023-12-01. The old name's releases say nothing of the new one's.
    """
    text = context.failure.text
    match = None if context.failure.phase == "tests" else first_match(_TAKEN_FOR, text)
    if match is None:
        return
    old, new = match["old"] or match["said"], match["new"] or match["now"]
    unbuilt = first_match(_UNBUILT, text)
    if unbuilt is None or normalise(unbuilt[1]) != normalise(old):  # a build may say anything of others
        return

    def change(line: RequirementLine) -> str:
        try:
            requirement = Requirement(line.text)
        except UNREADABLE:
            return line.text
        if normalise(requirement.name) != normalise(old):
            return line.text
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        return f"{new}{extras}{f'; {requirement.marker}' if requirement.marker else ''}"

    changed = everywhere(context, context.recipe, change, _RENAMED, match[0])
    if changed != context.recipe:
        reason = f"{old} is meant as {new}"
        yield context.repaired(ErrorClass.BROKEN_REQUIREMENT, _RENAMED, reason, changed)


def everywhere(
    context: RepairContext,
    recipe: Recipe,
    change: Callable[[RequirementLine], str | None],
    rule: str,
    evidence: str,
    *,
    own: Callable[[RequirementLine], str | None] | None = None,
) -> Recipe:
    """``recipe`` with requirements changed in its files and steps, and in the project's own metadata.

    Where those state one that is changed, the project itself is not built: what it requires is installed, and
    its folder is on the path. Not where it compiles something. ``own``: what is changed in its
    metadata, where that is not the same as elsewhere.
    """
    changed = rewritten(recipe, context.files, change, rule, evidence)
    steps = [step for step in changed.install if step.kind == "project" and step.file == "."]
    extras = [extra for step in steps for extra in step.extras]
    stated = stated_requirements(context.files, extras) if steps else None
    if not stated or _COMPILES.search(context.files.text("setup.py") or ""):
        return changed
    of_own = own or change
    after = [of_own(RequirementLine(text=text, file="setup.py", line=0)) for text in stated]
    if after == list(stated):
        return changed
    packages = tuple(dict.fromkeys(text for text in after if text is not None))
    instead = InstallStep(kind="packages", packages=packages, provenance=because(rule, evidence))
    kept = tuple(step for step in changed.install if step not in steps)
    folder = "src" if "src" in context.files.folders(".") else "."
    changed = replace(changed, install=(*((instead,) if packages else ()), *kept))
    return with_plans(changed, lambda plan: _on_path(plan, folder))


def _on_path(plan: SuitePlan, folder: str) -> SuitePlan:
    known = [part for part in dict(plan.environment).get("PYTHONPATH", "").split(":") if part]
    own = posixpath.relpath(folder, plan.cwd)
    return with_environment(plan, {"PYTHONPATH": ":".join(dict.fromkeys((own, *known)))})
