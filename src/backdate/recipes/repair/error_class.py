"""What kind of error kept a set-up from succeeding."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType


class ErrorGroup(StrEnum):
    """The four classes of SetupAgent (arXiv 2503.07701)."""

    PYTHON = "PYTHON"
    """The interpreter is the wrong one."""
    INSTALLATION = "INSTALLATION"
    """Something is missing, or does not install."""
    TESTING = "TESTING"
    """The environment is right; the way in which the tests are run is not."""
    UNDECIDABLE = "UNDECIDABLE"
    """The log does not tell, or no recipe could help."""


class ErrorClass(StrEnum):
    """The class of an error, as precise as a log allows; ``group`` is its class in SetupAgent."""

    WRONG_INTERPRETER = "wrong-interpreter"
    """Another Python is asked for, or the code's syntax or standard library is another Python's."""
    MISSING_MODULE = "missing-module"
    """A module that the tests or the project import is not installed."""
    MISSING_HEADER = "missing-header"
    """A header, a library, a compiler or a ``*-config`` program of the system is missing."""
    BUILD_TOOL = "build-tool"
    """An isolated build fails under a setuptools, a Cython or a NumPy that is too new."""
    MISSING_BUILD_DEPENDENCY = "missing-build-dependency"
    """setup.py imports what its build does not declare."""
    USE_2TO3 = "use-2to3"
    """setup.py asks for ``use_2to3``, which setuptools dropped in 58."""
    MISSING_TEST_PLUGIN = "missing-test-plugin"
    """A fixture, an option or a marker of a plugin of pytest that is not installed."""
    UNSATISFIABLE = "unsatisfiable"
    """No set of releases as of the instant satisfies all requirements."""
    UNAVAILABLE_SOURCE = "unavailable-source"
    """A requirement from a private index, a repository or an address that cannot be fetched."""
    UNKNOWN_VERSION = "unknown-version"
    """A build that asks version control for the version, and there is none."""
    INCOMPLETE_SDIST = "incomplete-sdist"
    """A build opens a file that is not there: its sdist does not hold it."""
    UNKNOWN_EXTRA = "unknown-extra"
    """An extra that does not exist or does not install."""
    BROKEN_REQUIREMENT = "broken-requirement"
    """A line or a file of requirements that installers reject."""
    INCOMPATIBLE_RELEASE = "incompatible-release"
    """What is installed does not work together: the project's requirements lack an upper limit."""
    NOT_IMPORTABLE = "not-importable"
    """The project itself, or the helpers of its tests, cannot be imported."""
    WRONG_FOLDER = "wrong-folder"
    """The tests, or files that they open, are looked for in the wrong folder."""
    DJANGO_SETTINGS = "django-settings"
    """Django has no settings module."""
    WRONG_RUNNER = "wrong-runner"
    """The suite is for another runner, or for other arguments."""
    NO_TESTS = "no-tests"
    """The runner ended and found no test."""
    FEW_TESTS = "few-tests"
    """What ran passes, but less than half of the tests that the project defines ran."""
    NEEDS_SERVICE = "needs-service"
    """A database, a broker or another service is expected."""
    NEEDS_SECRET = "needs-secret"  # noqa: S105 - the name of a class of errors
    """A key, a token or a variable that only the project's maintainers have."""
    NEEDS_DISPLAY = "needs-display"
    """A display is expected."""
    NEEDS_NETWORK = "needs-network"
    """Tests need the network."""
    MISSING_DATA = "missing-data"
    """Tests read files that the source lacks: of Git LFS, of an empty submodule, left out of an sdist."""
    TIMEOUT = "time-out"
    MEMORY = "memory"
    DISK = "disk"
    TESTS_FAIL = "tests-fail"
    """The suite runs, and too many tests fail for reasons that no rule knows."""
    UNKNOWN = "unknown"

    @property
    def group(self) -> ErrorGroup:
        """The class of SetupAgent."""
        return _GROUPS.get(self, ErrorGroup.INSTALLATION)

    @property
    def outside(self) -> bool:
        """Whether it is for want of something that no environment holds: the network, a service, data."""
        return self in (ErrorClass.NEEDS_NETWORK, ErrorClass.NEEDS_SERVICE, ErrorClass.MISSING_DATA)


_GROUPS = MappingProxyType(
    {
        ErrorClass.WRONG_INTERPRETER: ErrorGroup.PYTHON,
        **dict.fromkeys(
            (
                ErrorClass.NOT_IMPORTABLE,
                ErrorClass.WRONG_FOLDER,
                ErrorClass.DJANGO_SETTINGS,
                ErrorClass.WRONG_RUNNER,
                ErrorClass.NO_TESTS,
                ErrorClass.FEW_TESTS,
                ErrorClass.TESTS_FAIL,
            ),
            ErrorGroup.TESTING,
        ),
        **dict.fromkeys(
            (
                ErrorClass.NEEDS_SERVICE,
                ErrorClass.NEEDS_SECRET,
                ErrorClass.NEEDS_DISPLAY,
                ErrorClass.NEEDS_NETWORK,
                ErrorClass.MISSING_DATA,
                ErrorClass.TIMEOUT,
                ErrorClass.MEMORY,
                ErrorClass.DISK,
                ErrorClass.UNKNOWN,
            ),
            ErrorGroup.UNDECIDABLE,
        ),
    }
)
"""All others belong to INSTALLATION."""
