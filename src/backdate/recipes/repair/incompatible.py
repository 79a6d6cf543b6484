"""Releases that do not work together, and interpreters that lack what the code uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.index.names import normalise, requirement_name
from backdate.knowledge.changes import library_changes, python_changes
from backdate.knowledge.modules import in_standard_library
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair, RepairKind
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    failure_text,
    nearest_python,
    with_interpreter,
    with_packages,
)
from backdate.recipes.repair.setup_failure import SetupFailure

_SYNTAX = re.compile(r"SyntaxError: ")
_RANGE = re.compile(
    r"(?:requires a different Python: \S+ not in|does not satisfy Python|Requires-Python|"
    r"requires Python|python_requires|Python requirement|requires-python:?)\s{0,3}['\"(]?"
    r"((?:[<>=!~]=?=?\s?\d[\d.*]{0,12},?\s?){1,6})"
)
_LACKS = re.compile(
    r"AttributeError: module '([a-z_]\w{0,40}(?:\.\w{1,40}){0,3})' has no attribute '\w{1,60}'"
)
_UV_RANGE = re.compile(r"\(\d[\d.]{1,12}\) does not satisfy Python([<>=!~]{1,2}[\d.,<>=!*]{1,60})")


def dropped_features(context: RepairContext) -> Iterator[Repair]:
    """Limits for distributions whose newest release dropped what is used, all at once.

    What would have to be compiled for the interpreter is left out: releases that are older than it take many
    minutes, and mostly do not build on it. So is what is not installed: what is missing is no release that
    dropped anything (a fixture of a plugin that is not there). So is a limit that holds already: what a
    release warns of has the words of the later one's error.
    """
    text = failure_text(context.failure)
    installed = context.failure.installed
    limits: dict[str, tuple[str, str]] = {}
    for change in library_changes():
        wording = change.pattern_for(text)
        matches = () if wording is None else all_matches(wording, text, 1)
        name = requirement_name(change.pin)
        if installed is not None and name and not _goes_beyond(change.pin, installed.get(normalise(name))):
            continue
        if matches and name and (name not in limits or _stricter(change.pin, limits[name][0])):
            limits[name] = (change.pin, matches[0][0])
    seen = {limit: sign for limit, sign in limits.values() if not _wants_compiling(context, limit)}
    changed = with_packages(context.recipe, seen, "release that dropped what is used", text_of(seen))
    if changed != context.recipe:
        yield context.repaired(
            ErrorClass.INCOMPATIBLE_RELEASE, "release that dropped what is used", text_of(seen), changed
        )


def _goes_beyond(limit: str, installed: str | None) -> bool:
    return installed is not None and not Requirement(limit).specifier.contains(installed, prereleases=True)


def _wants_compiling(context: RepairContext, limit: str) -> bool:
    requirement, failure = Requirement(limit), context.failure
    return context.index_facts.wants_compiling(
        requirement.name, str(requirement.specifier), failure.python, failure.instant
    )


def text_of(signs: dict[str, str]) -> str:
    """``{limit: sign}`` as one line."""
    return ", ".join(f"{limit} as it says: {sign[:120]}" for limit, sign in signs.items())


def _stricter(limit: str, known: str) -> bool:
    first, second = (Version(next(iter(Requirement(text).specifier)).version) for text in (limit, known))
    return first < second


def another_interpreter(context: RepairContext) -> Iterator[Repair]:
    """The nearest interpreter that installers accept, or that has what the code uses."""
    wanted = wanted_minor(context.failure)
    if wanted is None:
        return
    allowed, sign = wanted
    minor = nearest_python(context.failure, allowed)
    if minor is not None:
        changed = with_interpreter(context.recipe, minor, "wrong interpreter", sign)
        reason = f"Python {minor} instead of {context.failure.python}, as it says: {sign}"
        repair = context.repaired(ErrorClass.WRONG_INTERPRETER, "wrong interpreter", reason, changed, minor)
        yield replace(repair, kind=RepairKind.ASKED_INTERPRETER)


def wanted_minor(failure: SetupFailure) -> tuple[Callable[[tuple[int, int]], bool], str] | None:
    """Which interpreters fit, and the line of the log that tells it; None when no line does."""
    text = failure_text(failure)
    for pattern in (_UV_RANGE, _RANGE):
        for match in all_matches(pattern, text):
            specifier = _specifier(match[1])
            if specifier is not None and not specifier.contains(failure.python):
                return _installable(specifier), match[0]
    syntax_error = bool(all_matches(_SYNTAX, text, 1))
    for change in python_changes():
        if change.row.kind == "syntax" and not syntax_error:
            continue
        wording = change.pattern_for(text)
        matches = () if wording is None else all_matches(wording, text, 1)
        if matches and not change.releases.contains(f"{failure.minor[0]}.{failure.minor[1]}"):
            at = matches[0][0]
            is_source = change.row.kind == "syntax" and not at.startswith("SyntaxError")
            return _in_releases(change.releases), f"SyntaxError at {at}" if is_source else at
    for match in all_matches(_LACKS, text):
        if in_standard_library(match[1]):  # a private name, mostly: an older interpreter may have it
            return lambda minor: minor < failure.minor, match[0]
    return None


def _installable(specifier: SpecifierSet) -> Callable[[tuple[int, int]], bool]:
    return lambda minor: specifier.contains(f"{minor[0]}.{minor[1]}.99")


def _in_releases(releases: SpecifierSet) -> Callable[[tuple[int, int]], bool]:
    return lambda minor: releases.contains(f"{minor[0]}.{minor[1]}")


def _specifier(text: str) -> SpecifierSet | None:
    try:
        return SpecifierSet(text.strip().strip(",").replace(" ", ""))
    except ValueError:
        return None
