"""Which files of a task's tree an answer may change; the same policy for every solver.

Protected are the files that judge the answer (tests, their configuration, the scripts that run them) and
those that declare which distributions are installed: otherwise pinning would solve any task. Gold patches of
TimeMachine-bench change none of these. Names are compared in one folded spelling, because file systems may
take different spellings for the same file.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from dataclasses import dataclass
from pathlib import PurePosixPath

from backdate.tasks.task import Task

_TEST_CONFIGURATION = (
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "tox.ini",
    "noxfile.py",
    "sitecustomize.py",
)
_TEST_CONFIGURATION_PATTERNS = ("*.pth", "usercustomize.py")
_DECLARATIONS = (
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "pipfile",
    "pipfile.lock",
    "poetry.lock",
    "uv.lock",
)
_DECLARATION_PATTERNS = ("*requirements*.txt", "*requirements*.in", "*constraints*.txt", "environment*.y*ml")
_TEST_PATTERNS = ("test_*.py", "*_test.py", "tests.py", "test.py")
_TEST_FOLDERS = ("test", "tests", "testing")


@dataclass(frozen=True, slots=True)
class EditPolicy:
    """The protected files, in folded spelling."""

    tests: frozenset[str]
    scripts: frozenset[str]
    by_name: bool
    """The test files are not listed: recognise them by their names."""
    allow_test_edits: bool
    whole_files: bool = False
    """Files may be added and removed."""
    only: frozenset[str] | None = None
    """Only these files may be changed; None: all that no other rule protects."""

    def why_not(self, path: str) -> str:
        """Why the file at ``path`` (relative, with forward slashes) may not be changed; empty when it may."""
        folded = fold(path)
        pure = PurePosixPath(folded)
        if any(part in (".git", "..") for part in pure.parts) or pure.is_absolute():
            return "it is not part of the project's files"
        if folded in self.scripts:
            return "it runs the tests"
        if self.only is not None and folded not in self.only:
            return "the task asks for a change of another file"
        if not self.allow_test_edits and (folded in self.tests or (self.by_name and _is_test(pure))):
            return "it is a test file, and tests must stay as they are"
        if pure.name in _TEST_CONFIGURATION or _any(pure.name, _TEST_CONFIGURATION_PATTERNS):
            if self.allow_test_edits and pure.name == "conftest.py":
                return ""
            return "it configures how the tests run"
        if pure.name in _DECLARATIONS or _any(pure.name, _DECLARATION_PATTERNS):
            return "it declares dependencies, and the environment is given: change the code instead"
        if pure.parent.name == "requirements" and pure.suffix in (".txt", ".in"):
            return "it declares dependencies, and the environment is given: change the code instead"
        return ""

    def is_hidden(self, path: str) -> bool:
        """Whether listings omit the file: the published scripts."""
        return fold(path) in self.scripts


def protected_files(task: Task, *, allow_test_edits: bool = False) -> EditPolicy:
    """What every kind of task protects: its tests, scripts and declarations of dependencies.

    ``kinds.choose.edit_policy_of`` gives the whole policy of a task.
    """
    scripts = (task.scripts.setup, task.scripts.test) if task.scripts else ()
    tests = {fold(path) for path in task.test_files}
    return EditPolicy(
        tests=frozenset(tests),
        scripts=frozenset(fold(path) for path in scripts),
        by_name=not tests,
        allow_test_edits=allow_test_edits,
    )


def fold(path: str) -> str:
    """One spelling for all names that a file system may take as the same (case, composed characters)."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
    return str(PurePosixPath(text))


def _is_test(path: PurePosixPath) -> bool:
    return _any(path.name, _TEST_PATTERNS) or any(part in _TEST_FOLDERS for part in path.parts[:-1])


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
