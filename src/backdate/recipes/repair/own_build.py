"""A project whose own build cannot work: installs its requirements and imports its code from the tree.

That is a build which needs the network, one that opens a file which its sdist does not hold, and one that
asks version control for the version and takes no other word for it. A build that fails for another reason is
not gone around: where an update broke it, that has to be seen.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, SuitePlan
from backdate.recipes.repair.builds import NO_VERSION, asks_nobody_else
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    because,
    first_match,
    with_environment,
    with_plans,
)
from backdate.recipes.repair.signs import REACHED_OUT, clones_elsewhere
from backdate.recipes.required import released_requirements, required

_RULE = "without the project's own build"
_OWN = re.compile(
    r"(?:[Ff]ailed to (?:build|download and build)|Failed building wheel for|Building wheel for) "
    r"[`']?([A-Za-z0-9][\w.-]{0,100}?)(?: @ file:|[`' =]|$)"
)
_RELEASE = re.compile(r"[\w.-]{1,100}==([\w.!+-]{1,60})")
_NO_FILE = re.compile(
    r"(?:FileNotFoundError|IOError|OSError): \[Errno 2\] No such file or directory: "
    r"'([^'\n]{0,400}?(?:\w\.\w{1,8}|[A-Z]{4,20}))'"
)
_COMPILES = re.compile(r"ext_modules|cffi_modules|rust_extensions|mypycify")
_LONGEST = 160
_SETUP_FAILED = re.compile(r"python setup\.py egg_info|get_requires_for_build_\w+`? failed")


def without_own_build(context: RepairContext) -> Iterator[Repair]:
    """The project's requirements instead of the project, and its folder on the path.

    Where its build wants the network and it is released as a wheel, first that release, which holds what the
    build would have fetched, and names the project's entry points; the tree's code goes before it.
    """
    failure, recipe = context.failure, context.recipe
    steps = [step for step in recipe.install if step.kind == "project" and step.file == "."]
    if failure.phase == "tests" or not steps:
        return
    error, evidence = _own_build_failed(context)
    if not evidence or _COMPILES.search(context.files.text("setup.py") or ""):
        return
    extras = [extra for step in steps for extra in step.extras]
    folder = "src" if "src" in context.files.folders(".") else "."

    def instead(packages: tuple[str, ...], what: str) -> Repair:
        step = InstallStep(kind="packages", packages=packages, provenance=because(_RULE, evidence))
        kept = [step for step in recipe.install if step not in steps]
        changed = replace(recipe, install=(*((step,) if packages else ()), *kept))
        changed = with_plans(changed, lambda plan: _with_path(plan, folder))
        reason = f"{what}, and {folder} on the path, as its own build fails: {evidence}"
        return context.repaired(error, _RULE, reason, changed)

    name = context.files.declared().name
    if error is ErrorClass.NEEDS_NETWORK and name and context.index_facts.has_wheels(name, failure.instant):
        asked = f"[{','.join(dict.fromkeys(extras))}]" if extras else ""
        yield instead((f"{name}{asked}",), "what the project's own release holds")
    needed = required(context.files, extras) if error is not ErrorClass.INCOMPLETE_SDIST else None
    if needed is None:  # the maintainer's own build wrote it into sdists, whatever setup.py reads
        needed = released_requirements(context.files, extras)
    if needed is not None:
        yield instead(needed, "what the project requires")


def own_build_failed(text: str, name: str) -> bool:
    """Whether what a build's log says did not build is the project ``name``, and none of its requirements."""
    matches = list(all_matches(_OWN, text))
    if not matches:
        return first_match(_SETUP_FAILED, text) is not None
    return any(_is_own(match, name) for match in matches)


def unbuilt_requirement(text: str, name: str) -> str:
    """What a build's log says did not build, as it names it (``lxml 4.2.0``): the first requirement of the
    project ``name``; "" where it names none, or the project itself."""
    matches = list(all_matches(_OWN, text))
    if not matches or any(_is_own(match, name) for match in matches):
        return ""
    released = _RELEASE.match(matches[0].string, matches[0].start(1))
    return " ".join(part for part in (matches[0][1], released and released[1]) if part)


def _is_own(match: re.Match[str], name: str) -> bool:
    return canonicalize_name(match[1]) == canonicalize_name(name) or match[0].endswith("@ file:")


def says_incomplete(text: str) -> bool:
    """Whether a build opened a file that is not there."""
    return first_match(_NO_FILE, text) is not None


def _own_build_failed(context: RepairContext) -> tuple[ErrorClass, str]:
    """Why the project's own build cannot work, and the line of the log that tells; "" where none does."""
    text = context.failure.text
    error, script = ErrorClass.NEEDS_NETWORK, first_match(REACHED_OUT, text)
    line = script.string if script is not None else clones_elsewhere(text)
    if line is None:
        missing = (match.string for match in all_matches(_NO_FILE, text) if _lacks(context.files, match[1]))
        error, line = ErrorClass.INCOMPLETE_SDIST, next(missing, None)
    if line is None:
        error, line = ErrorClass.UNKNOWN_VERSION, _asks_for_the_version(context)
    own = canonicalize_name(context.files.declared().name or "")
    named = [match for match in all_matches(_OWN, text) if canonicalize_name(match[1]) == own]
    others = [match for match in all_matches(_OWN, text) if canonicalize_name(match[1]) != own]
    if line is None or not (named or (not others and first_match(_SETUP_FAILED, text))):
        return error, ""
    return error, line.strip()[:_LONGEST]


def _asks_for_the_version(context: RepairContext) -> str | None:
    """The line of a build that asks version control for the version, and that no variable told it."""
    match = first_match(NO_VERSION, context.failure.text)
    told = any(variable.name == "PBR_VERSION" for variable in context.recipe.variables)
    return match.string if match is not None and (told or asks_nobody_else(match.string)) else None


def _lacks(files: Files, path: str) -> bool:
    """Whether the tree holds no file of that name where the build looks for it, and setup.py names it."""
    name = posixpath.basename(path)
    ends = path.strip("/").split("/")
    there = any(files.has("/".join(ends[-length:])) for length in range(1, min(len(ends), 4) + 1))
    return not there and name in (files.text("setup.py") or "" if "setup.py" in files.names(".") else "")


def _with_path(plan: SuitePlan, folder: str) -> SuitePlan:
    known = [part for part in dict(plan.environment).get("PYTHONPATH", "").split(":") if part]
    own = posixpath.relpath(folder, plan.cwd)
    return with_environment(plan, {"PYTHONPATH": ":".join(dict.fromkeys((own, *known)))})
