"""Requirements that cannot be satisfied as of the instant, or cannot be fetched at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.recipes.recipe import LaterCut, Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.misspelt import everywhere
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, all_matches, because
from backdate.recipes.repair.requirements import RequirementLine, rewritten
from backdate.text import UNREADABLE

LATEST = timedelta(days=30)
"""How long after the instant a pinned release may be uploaded: clocks of commits are not exact."""
_MOST_ASKED = 100
"""Names that the index is asked about because one of them is not there."""
_NAME = r"([A-Za-z0-9][A-Za-z0-9._-]{0,100})"
_NO_VERSION = tuple(
    re.compile(sign)
    for sign in (
        (
            rf"[Nn]o versions? of {_NAME}(?:\[[\w,. "
            rf"-]{{0,100}}\])?\s?((?:[<>=!~]=?=?[\w.*+!-]{{1,40}},?){{0,4}})"
        ),
        rf"no version of {_NAME}==([\w.+!-]{{1,40}})",
        (
            rf"(?:distribution found for|satisfies the requirement) {_NAME}(?:\[[\w,. -]{{0,100}}\])?"
            r"\s?((?:[<>=!~]=?=?\s?[\w.*+!-]{1,40},?\s?){0,4})"
        ),
        rf"{_NAME} was not found in the (?:package registry|provided package locations)()",
        rf"you require {_NAME}(==[\w.+!-]{{1,40}}), we can conclude",
    )
)
_CONFLICT = re.compile(rf"(?:you require|depends on|and) {_NAME}((?:[<>=!~]=?=?[\w.*+!-]{{1,40}},?){{1,4}})")
_FETCH = re.compile(
    r"Git operation failed|failed to (?:clone|fetch)|Failed to (?:clone|fetch|download)|"
    r"git clone .{0,300}(?:exit|did not run)|Cannot find command 'git'|could not read Username|"
    r"Host key verification failed|HTTP (?:error|status client error)|"
    r"Could not install requirement .{1,300}HTTP|"
    r"Could not (?:fetch|resolve)|does not (?:look like|appear to be) a|Distribution not found at|"
    r"No such file or directory.{0,120}(?:file://|\.whl)|Invalid requirement|Couldn't parse requirement|"
    r"Unsupported (?:URL|scheme)|Expected (?:package name|one of|a valid)"
)

FAILED_BUILD = re.compile(
    rf"(?:[Ff]ailed to (?:build|download and build)|Failed building wheel for) [`']?{_NAME}"
)
"""A distribution whose build failed, as uv and pip report it."""


def says_unfetchable(text: str) -> bool:
    """Whether something could not be fetched or read."""
    return bool(all_matches(_FETCH, text, 1))


def says_unsatisfiable(text: str) -> bool:
    """Whether a resolver found no release, or no consistent set of releases."""
    return next(_unmet(text), None) is not None or "No solution found" in text


def extra_cutoff_overrides(context: RepairContext) -> Iterator[Repair]:
    """A later cutoff for releases uploaded shortly after the instant, and names uploaded again."""
    failure = context.failure
    if failure.phase == "tests":
        return
    cuts: dict[str, LaterCut] = {}  # of two releases of one distribution the later one counts
    reason: list[str] = []
    for name, specifier in _unmet(failure.text):
        exact = next((part.version for part in specifier if part.operator == "=="), None)
        if exact is not None and exact.endswith("*"):
            exact = None
        uploaded = context.index_facts.first_upload(name, exact or str(specifier) or None, failure.instant)
        # What is asked for was there: a name without any file then was deleted and uploaded again.
        deleted = exact is None and not context.index_facts.versions(name, failure.instant)
        if uploaded is None or (uploaded - failure.instant > LATEST and not deleted):
            continue
        until = uploaded.replace(microsecond=0) + timedelta(minutes=10)
        upload = f"{name}{specifier} was uploaded at {uploaded:%Y-%m-%d %H:%M} UTC, after the instant"
        reason.append(upload)
        if name not in cuts or cuts[name].until < until:
            provenance = because("pin to a later release", upload)
            cuts[name] = LaterCut(name=name, until=until, provenance=provenance)
    known = {override.name: override.until for override in context.recipe.extra_cutoff_overrides}
    new = [cut for cut in cuts.values() if known.get(cut.name) != cut.until]
    if new:
        names = {cut.name for cut in new}
        kept = tuple(
            override for override in context.recipe.extra_cutoff_overrides if override.name not in names
        )
        changed = replace(context.recipe, extra_cutoff_overrides=(*kept, *new))
        rule = "pin to a later release"
        yield context.repaired(ErrorClass.UNSATISFIABLE, rule, "; ".join(reason), changed)


def loosened(context: RepairContext) -> Iterator[Repair]:
    """Unavailable requirements: without their pin where other releases exist, else left out."""
    failure = context.failure
    if failure.phase == "tests":
        return
    unmet = dict(_unmet(failure.text))
    gone = [name for name in unmet if not context.index_facts.versions(name, failure.instant)]
    if gone:  # an old pip names one at a time; where one is of another index (conda's), others are
        gone += _also_gone(context, gone)
    conflicting = {m[1] for m in all_matches(_CONFLICT, failure.text)}
    names = {canonicalize_name(name) for name in conflicting} | set(unmet)
    if not names:
        return

    loosened: dict[str, None] = {}
    dropped: dict[str, None] = {}

    def change(line: RequirementLine) -> str | None:
        if line.name in gone:
            dropped[line.name] = None
            return None
        requirement = line.requirement
        pinned = requirement is not None and any(
            s.operator in ("==", "===", "~=", "<", "<=") for s in requirement.specifier
        )
        if requirement is None or line.name not in names or not pinned:
            return line.text
        loosened[requirement.name] = None
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        lower = ",".join(str(s) for s in requirement.specifier if s.operator in (">", ">="))
        marker = f" ; {requirement.marker}" if requirement.marker else ""
        return f"{requirement.name}{extras}{lower}{marker}"

    def without_gone(line: RequirementLine) -> str | None:
        """Limits of the project's own metadata stay: it is installed with them."""
        return change(line) if line.name in gone else line.text

    evidence = ", ".join(sorted(names))[:200]
    changed = everywhere(
        context, context.recipe, change, "unsatisfiable requirement", evidence, own=without_gone
    )
    if changed != context.recipe:
        reason = [f"without limits on {', '.join(loosened)}"] if loosened else []
        reason += [f"without {', '.join(dropped)}, of which nothing was there"] if dropped else []
        rule = "unsatisfiable requirement"
        yield context.repaired(ErrorClass.UNSATISFIABLE, rule, "; ".join(reason), changed)


def _also_gone(context: RepairContext, known: list[str]) -> Iterator[str]:
    """Further distributions of the recipe that had no file as of the instant."""
    asked: dict[str, None] = {}

    def remember(line: RequirementLine) -> str:
        if line.name is not None and line.requirement is not None and not line.requirement.url:
            asked[line.name] = None
        return line.text

    rewritten(context.recipe, context.files, remember, "", "")
    for name in list(asked)[:_MOST_ASKED]:
        if name not in known and not context.index_facts.versions(name, context.failure.instant):
            yield name


def unfetchable(context: RepairContext) -> Iterator[Repair]:
    """Addresses that cannot be fetched: the distribution of that name from the index, else nothing."""
    failure = context.failure
    matches = all_matches(_FETCH, failure.text, 1) if failure.phase != "tests" else ()
    if not matches:
        return

    def change(line: RequirementLine) -> str | None:
        requirement = line.requirement
        address = requirement.url if requirement is not None else line.text
        if requirement is not None and not requirement.url:
            return line.text
        if address is None or line.text.startswith("."):
            return line.text
        name = line.name
        return name if name and context.index_facts.versions(name, failure.instant) else None

    changed = rewritten(
        context.recipe, context.files, change, "address that cannot be fetched", matches[0][0]
    )
    if changed != context.recipe:
        rule = "address that cannot be fetched"
        reason = f"addresses give way to the index, as it says: {matches[0][0]}"
        yield context.repaired(ErrorClass.UNAVAILABLE_SOURCE, rule, reason, changed)


def without_unbuildable(context: RepairContext) -> Iterator[Repair]:
    """Leaves out a requirement that does not build where a file or a step names it; the others stay."""
    failure = context.failure
    if failure.phase == "tests":
        return
    matches = all_matches(FAILED_BUILD, failure.text)
    names = {canonicalize_name(match[1].rstrip(".")) for match in matches}
    names -= {canonicalize_name(context.files.declared().name or "")}
    changed = rewritten(
        context.recipe,
        context.files,
        lambda line: None if line.name in names else line.text,
        "without what does not build",
        matches[0][0] if matches else "",
    )
    if changed != context.recipe:
        sign = re.sub("[`']", "", matches[0][0])  # the sign ends within what is quoted
        reason = f"without {', '.join(sorted(names))}, as it says: {sign}"
        rule = "without what does not build"
        yield context.repaired(ErrorClass.BROKEN_REQUIREMENT, rule, reason, changed)


def less(context: RepairContext) -> Iterator[Repair]:
    """Leaves something out when the environment does not build: extras, then development files."""
    if context.failure.phase == "tests" or context.failure.status not in ("resolve", "install"):
        return
    recipe = context.recipe
    extras = sorted({extra for step in recipe.install for extra in step.extras})
    if extras:
        changed = replace(recipe, install=tuple(replace(step, extras=()) for step in recipe.install))
        reason = f"without the extras {', '.join(extras)}"
        yield context.repaired(ErrorClass.UNKNOWN_EXTRA, "fewer extras", reason, changed)
    for rule, changed in _without_steps(recipe):
        yield context.repaired(ErrorClass.BROKEN_REQUIREMENT, "fewer steps", rule, changed)


def _without_steps(recipe: Recipe) -> Iterator[tuple[str, Recipe]]:
    files = [step for step in recipe.install if step.kind == "requirements" and step.file]
    develop = [file for file in files if re.search(r"dev|doc|lint|style|ci|optional|all", file.file or "")]
    if develop and len(recipe.install) > len(develop):
        kept = tuple(step for step in recipe.install if step not in develop)
        yield f"without {', '.join(step.file or '' for step in develop)}", replace(recipe, install=kept)
    if files and any(step.kind == "project" for step in recipe.install):
        kept = tuple(step for step in recipe.install if step.kind != "requirements")
        yield "without requirements files, as the project is installed", replace(recipe, install=kept)
        kept = tuple(step for step in recipe.install if step.kind != "project")
        yield "without the project itself, as requirements files are installed", replace(recipe, install=kept)


def _unmet(text: str) -> Iterator[tuple[str, SpecifierSet]]:
    """The requirements for which a resolver found no release, each once."""
    seen: set[str] = set()
    for sign in _NO_VERSION:
        for match in all_matches(sign, text):
            try:
                name = canonicalize_name(match[1].rstrip(".,:"), validate=True)
                specifier = _specifier(match[2])
            except UNREADABLE:
                continue
            key = f"{name}{specifier}"
            if name not in ("python", "the") and key not in seen:
                seen.add(key)
                yield name, specifier


def _specifier(text: str) -> SpecifierSet:
    text = text.strip().strip(",").replace(" ", "")
    try:
        return SpecifierSet(f"=={Version(text)}")
    except UNREADABLE:
        return SpecifierSet(text)
