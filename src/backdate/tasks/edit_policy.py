"""Which files of a task's tree an answer may change; the same policy for every solver.

Protected are the files that judge the answer (tests, what only they use, their configuration, the scripts
that run them) and those that declare which distributions are installed: otherwise pinning would solve any
task. Gold patches of TimeMachine-bench change none of these. Names are compared in one folded spelling,
because file systems may take different spellings for the same file.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from backdate.editing.patch import changed_paths
from backdate.tasks.judging_files import (
    NO_JUDGING_FILES,
    TEST_FOLDERS,
    JudgingFiles,
    find_judging_files,
)
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
_RUNNERS = ("pytest", "_pytest", "py", "pluggy", "unittest", "django", "nose", "xdist", "pytest_cov")
"""Modules that run tests: one of that name at the root of a tree takes their place."""


@dataclass(frozen=True, slots=True)
class EditPolicy:
    """The protected files, in folded spelling."""

    tests: frozenset[str]
    scripts: frozenset[str]
    by_name: bool
    """The test files are not listed: recognise them by their names."""
    allow_test_edits: bool
    build_scripts: bool = False
    """How the project is built is what is to be mended: set-up scripts may be changed."""
    whole_files: bool = False
    """Files may be added and removed."""
    only: frozenset[str] | None = None
    """Only these files may be changed; None: all that no other rule protects."""
    judging: JudgingFiles = NO_JUDGING_FILES
    """What else judges, in folded spelling; nothing where the tree is not known."""

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
        if not self.allow_test_edits and folded in self.judging.files:
            return "only tests use it, and what judges must stay as it is"
        if pure.name in _TEST_CONFIGURATION or _any(pure.name, _TEST_CONFIGURATION_PATTERNS):
            if self.allow_test_edits and pure.name == "conftest.py":
                return ""
            return "it configures how the tests run"
        if self.build_scripts and pure.name == "setup.py":
            return ""
        if pure.name in _DECLARATIONS or _any(pure.name, _DECLARATION_PATTERNS):
            return "it declares dependencies, and the environment is given: change the code instead"
        if pure.parent.name == "requirements" and pure.suffix in (".txt", ".in"):
            return "it declares dependencies, and the environment is given: change the code instead"
        return ""

    def why_not_new(self, path: str) -> str:
        """Why no new file may be at ``path``, which ``why_not`` allows; empty when one may."""
        if not self.whole_files:
            return "new files are not part of an answer"
        folded = fold(path)
        if not self.allow_test_edits and any(
            folded.startswith(f"{folder}/") for folder in self.judging.folders
        ):
            return "it lies among the tests, which must stay as they are"
        parts = PurePosixPath(folded).parts
        below = parts[1:] if parts[0] in ("src", "lib") else parts
        if PurePosixPath(below[0] if below else "").stem in _RUNNERS:
            return "it would take the place of what runs the tests"
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


def with_judging_files(policy: EditPolicy, task: Task, tree: Path) -> EditPolicy:
    """``policy`` with what judges in ``tree``, which is the one that an answer to ``task`` is applied to."""
    solution = None
    if task.has_reference:
        solution = changed_paths(task.patches.reference, what=f"the gold patch of {task.instance_id}")
    judging = find_judging_files(tree, task.test_files, solution, is_test=_looks_like_test)
    return replace(
        policy,
        judging=JudgingFiles(
            files=frozenset(map(fold, judging.files)), folders=frozenset(map(fold, judging.folders))
        ),
    )


def _looks_like_test(path: str) -> bool:
    return _any(PurePosixPath(fold(path)).name, _TEST_PATTERNS)


def fold(path: str) -> str:
    """One spelling for all names that a file system may take as the same (case, composed characters)."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())
    return str(PurePosixPath(text))


def _is_test(path: PurePosixPath) -> bool:
    return _any(path.name, _TEST_PATTERNS) or any(part in TEST_FOLDERS for part in path.parts[:-1])


def _any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
