"""What a person can do about each class of error that rules do not repair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.signs import NO_SOURCE

_REMEDIES: Mapping[ErrorClass, str] = MappingProxyType(
    {
        ErrorClass.WRONG_INTERPRETER: "run with --python X.Y, with an interpreter that it names, installed",
        ErrorClass.MISSING_MODULE: "add the distribution that holds the module to the project's requirements",
        ErrorClass.MISSING_HEADER: "run with --apt as root, or install what is missing",
        ErrorClass.BUILD_TOOL: "limit the build's tools in [build-system] requires",
        ErrorClass.MISSING_BUILD_DEPENDENCY: "name what setup.py imports in [build-system] requires",
        ErrorClass.USE_2TO3: "limit setuptools in [build-system] requires: setuptools<58",
        ErrorClass.MISSING_TEST_PLUGIN: "add the plugin of pytest to the project's requirements for tests",
        ErrorClass.UNSATISFIABLE: "set up as of another instant (--at), at which those releases are there",
        ErrorClass.UNAVAILABLE_SOURCE: "make the address reachable, or require a release of the index",
        ErrorClass.UNKNOWN_VERSION: "set up from a clone with its tags, which tell the version",
        ErrorClass.INCOMPLETE_SDIST: "set up from the project's repository, which holds the file",
        ErrorClass.UNKNOWN_EXTRA: "leave the extra out, or name one that the project has",
        ErrorClass.BROKEN_REQUIREMENT: "correct the requirement in the project's files",
        ErrorClass.INCOMPATIBLE_RELEASE: "limit the distribution in the project's requirements",
        ErrorClass.NOT_IMPORTABLE: "install the project, or put its folder on PYTHONPATH",
        ErrorClass.WRONG_FOLDER: "say in the project's files in which folder its tests are started",
        ErrorClass.DJANGO_SETTINGS: "name the settings: DJANGO_SETTINGS_MODULE in pytest.ini or manage.py",
        ErrorClass.WRONG_RUNNER: "say in the project's files how its tests are run",
        ErrorClass.NO_TESTS: "say in the project's files where its tests are",
        ErrorClass.FEW_TESTS: "say in the project's files how the other tests are run",
        ErrorClass.NEEDS_SERVICE: "start the service that is named, where the tests look for it",
        ErrorClass.NEEDS_SECRET: "set the variable to a value for tests, in the project's .env.example",
        ErrorClass.NEEDS_DISPLAY: "run under Xvfb, or with a back-end that needs no display",
        ErrorClass.NEEDS_NETWORK: "nothing: tests never reach the internet here; they count as failed",
        ErrorClass.MISSING_DATA: (
            "set up from a whole clone of its repository: git lfs pull, git submodule update --init"
        ),
        ErrorClass.TIMEOUT: "give more time: --timeout SECONDS",
        ErrorClass.MEMORY: "give more memory: --memory MIB",
        ErrorClass.DISK: "free some space, or let the tests write less",
        ErrorClass.TESTS_FAIL: "read the log: the tests ran, and what they check is not so",
        ErrorClass.UNKNOWN: "read the log",
    }
)


def what_helps(
    error: ErrorClass,
    text: str,
    *,
    of_build: bool,
    apt: bool,
    named: Sequence[str] = (),
    refused: Sequence[str] = (),
) -> str:
    """One sentence of what would help against an error.

    ``text``: what was said. ``of_build``: it kept an environment from being built. ``apt``: whether Debian
    packages are applied already. ``named``: those that the recipe names for what is missing. ``refused``: the
    hosts and ports that a build wanted and was not let through to.
    """
    if error is ErrorClass.NEEDS_NETWORK and of_build and refused:
        return f"run with --build-network: the build wants {', '.join(refused[:3])}"
    if error is ErrorClass.NEEDS_NETWORK and of_build:
        return "run with --build-network: the build fetches something that is not on the package index"
    if error is ErrorClass.INCOMPLETE_SDIST and (lacking := NO_SOURCE.search(text)):
        return f"write {lacking[1] or lacking[2]} first, as the project's own steps do: the tree lacks it"
    if error is ErrorClass.NEEDS_SERVICE:
        from backdate.recipes.repair.services import help_of  # with its rules, as below: few errors need them

        return help_of(text) or _REMEDIES[error]
    if error is ErrorClass.MISSING_HEADER:
        from backdate.recipes.repair.builds import system_names

        known = {package for names in system_names(text).values() for package in names}
        packages = sorted(known | set(named))
        if packages and not apt:
            return f"run with --apt as root: {', '.join(packages)}"
        if packages:
            return f"make these Debian packages available: {', '.join(packages)}"
    return _REMEDIES[error]
