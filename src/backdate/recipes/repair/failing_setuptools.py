"""Builds that fail inside of setuptools: an older one is tried, as the project was made with one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.version import Version

from backdate.index.names import requirement_name
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, with_build_constraints
from backdate.text import UNREADABLE

_FRAME = re.compile(r"\A\s*File \"[^\"]{1,400}/site-packages/(\w{1,80})/[^\"]{1,300}\", line \d{1,7}, in ")
_ANY_FRAME = re.compile(r"\A\s*File \"[^\"]{1,700}\", line \d{1,7}")
_RAISED = re.compile(r"\A\s*([A-Za-z_][\w.]{0,100}(?:Error|Exception|InvalidVersion))(?::|\Z)")
_LONGEST_LINE = 1000
_SETUPTOOLS = "setuptools"
_STEPS = (1, 8)
"""How many series older, one try after the other: a fault of the last one, and a stricter check."""
_RULE = "setuptools that fails itself"


def older_setuptools(context: RepairContext) -> Iterator[Repair]:
    """A limit for isolated builds: the series before the newest of the instant, then a much older one.

    None where the traceback ends in the project's own code, or builds are limited already.
    """
    said = "" if context.failure.phase == "tests" else raised_inside(context.failure.text)
    limited = {requirement_name(one.requirement) for one in context.recipe.build_constraints}
    if not said or _SETUPTOOLS in limited:
        return
    series = sorted(set(map(_series, context.index_facts.versions(_SETUPTOOLS, context.failure.instant))))
    for step in _STEPS:
        if len(series) <= step:
            return
        limit = f"{_SETUPTOOLS}<{series[-step]}"
        changed = with_build_constraints(context.recipe, (limit,), _RULE, said)
        yield context.repaired(
            ErrorClass.BUILD_TOOL, _RULE, f"{limit} for builds, as it says: {said}", changed
        )


def _series(version: str) -> int:
    try:
        return Version(version).major
    except UNREADABLE:
        return 0


def raised_inside(text: str) -> str:
    """The line of an error that setuptools raises itself; "" where the innermost frame is another's."""
    inside = ""
    for line in text.splitlines():
        short = line[:_LONGEST_LINE]
        if _ANY_FRAME.match(short):
            frame = _FRAME.match(short)
            inside = frame[1] if frame is not None else ""
        elif inside and _RAISED.match(short):
            if inside == _SETUPTOOLS:
                return " ".join(short.split())
            inside = ""
    return ""
