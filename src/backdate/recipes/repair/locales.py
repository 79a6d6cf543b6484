"""Locales that tests set, and the system does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext
from backdate.sandboxes.services.locales import MOST_LOCALES

_RULE = "a locale"
_UNSUPPORTED = "unsupported locale setting"
_NAMED = re.compile(r"['\"]([a-z]{2}_[A-Z]{2})(?:\.[Uu][Tt][Ff]-?8)?['\"]", re.ASCII)
_USUAL = "en_US"
_MOST_FILES = 20


def wanted_locales(context: RepairContext) -> Iterator[Repair]:
    """The recipe with the usual locale, and those that the files name in which one could not be set."""
    failure, recipe = context.failure, context.recipe
    failed = [one for one in failure.problems if _UNSUPPORTED in one.message]
    if failure.phase != "tests" or not failed or recipe.locales:
        return
    files = [file for one in failed for file in one.files if context.files.has(file)]
    named = [name for file in files[:_MOST_FILES] for name in _NAMED.findall(context.files.text(file) or "")]
    locales = tuple(sorted([*dict.fromkeys((_USUAL, *named))][:MOST_LOCALES]))
    reason = f"{', '.join(locales)}, as it says: {_UNSUPPORTED}"
    yield context.repaired(ErrorClass.TESTS_FAIL, _RULE, reason, replace(recipe, locales=locales))
