"""A repair rule: a test that needs a locale gets one that every system has."""

import re

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair_context import RepairRule, first_match, with_variables

_UNSUPPORTED = re.compile(r"locale\.Error: unsupported locale setting")


def set_locale(context):
    """LC_ALL=C.UTF-8 where the log says that a locale is missing."""
    match = first_match(_UNSUPPORTED, context.failure.text)
    if match is not None:
        recipe = with_variables(context.recipe, {"LC_ALL": "C.UTF-8"}, "locale", match[0])
        yield context.repaired(ErrorClass.TESTS_FAIL, "locale", f"LC_ALL=C.UTF-8: {match[0]}", recipe)


RULE = RepairRule(propose=set_locale)
