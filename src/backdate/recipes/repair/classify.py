"""The class of an error. What the rules of repair know is imported where the signs do not tell it."""

from __future__ import annotations

from backdate.knowledge.changes import library_changes_for
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.incompatible import wanted_minor
from backdate.recipes.repair.repair_context import all_matches, failure_text
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.recipes.repair.signs import clones_elsewhere, signed

_BY_STATUS = {
    "timeout": ErrorClass.TIMEOUT,
    "oom": ErrorClass.MEMORY,
    "disk": ErrorClass.DISK,
    "disk-limit": ErrorClass.DISK,
}


def classify(failure: SetupFailure) -> ErrorClass:
    """The class of the error that matters most. Never raises, whatever the log holds."""
    if failure.status in _BY_STATUS:
        return _BY_STATUS[failure.status]
    if failure.wants_absent_files:
        return ErrorClass.MISSING_DATA
    text = failure_text(failure)
    if failure.few_tests:
        return ErrorClass.FEW_TESTS
    if failure.phase == "tests":
        return _class_of_tests(failure, text)
    return _class_of_build(failure, text)


def _class_of_tests(failure: SetupFailure, text: str) -> ErrorClass:
    stopped = sum(
        problem.count
        for problem in failure.problems
        if problem.type.endswith(("ImportError", "NotFoundError"))
    )
    few = failure.ran == 0 or 2 * stopped >= failure.ran - failure.passed
    if failure.missing_modules and few and not _wants_python(failure):
        return ErrorClass.MISSING_MODULE
    if _wants_python(failure):
        return ErrorClass.WRONG_INTERPRETER
    named = signed("tests", text)
    if named is ErrorClass.WRONG_FOLDER and failure.tests_want_absent_files:
        return ErrorClass.MISSING_DATA
    if named in (None, ErrorClass.WRONG_FOLDER) and _says_dropped(text):
        return ErrorClass.INCOMPATIBLE_RELEASE
    if named is not None:
        return named
    if failure.missing_modules:
        return ErrorClass.MISSING_MODULE
    few_pass = not failure.ran or 2 * failure.passed < failure.ran
    if few_pass and _lacks_of_system(text):
        return ErrorClass.MISSING_HEADER
    if failure.status == "no-tests":
        return ErrorClass.NO_TESTS
    return ErrorClass.TESTS_FAIL if failure.ran else ErrorClass.UNKNOWN


def _lacks_of_system(text: str) -> bool:
    from backdate.recipes.repair.builds import system_names

    return bool(system_names(text))


def _says_dropped(text: str) -> bool:
    """Whether a known change of a library is met."""
    return any(
        (pattern := change.pattern_for(text)) is not None and all_matches(pattern, text, 1)
        for change in library_changes_for(text)
    )


def _class_of_build(failure: SetupFailure, text: str) -> ErrorClass:
    named = signed("build", text)
    if named is not None:
        return named
    if clones_elsewhere(text) is not None:
        return ErrorClass.NEEDS_NETWORK
    from backdate.recipes.repair import (  # with their rules: few errors need it
        builds,
        failing_setuptools,
        misspelt,
        own_build,
        unsatisfiable,
    )

    if misspelt.says_misnamed(text):
        return ErrorClass.BROKEN_REQUIREMENT
    if builds.tool_limits(text)[0]:
        return ErrorClass.BUILD_TOOL
    if _wants_python(failure):
        return ErrorClass.WRONG_INTERPRETER
    if builds.system_names(text):
        return ErrorClass.MISSING_HEADER
    if failure.missing_modules:
        return ErrorClass.MISSING_BUILD_DEPENDENCY
    if own_build.says_incomplete(text):
        return ErrorClass.INCOMPLETE_SDIST
    if unsatisfiable.says_unfetchable(text):
        return ErrorClass.UNAVAILABLE_SOURCE
    if unsatisfiable.says_unsatisfiable(text):
        return ErrorClass.UNSATISFIABLE
    if failure.refused:
        return ErrorClass.NEEDS_NETWORK
    return ErrorClass.BUILD_TOOL if failing_setuptools.raised_inside(text) else ErrorClass.UNKNOWN


def _wants_python(failure: SetupFailure) -> bool:
    return wanted_minor(failure) is not None
