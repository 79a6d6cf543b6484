"""A tree in which some tests are changed, and telling whether each of them failed for its own reason.

A project's code runs in the interpreter that runs its tests, so it can imitate any outcome of one run. It
does not know which tests should fail in a run whose test files were changed in secret.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import NotText, decode_source
from backdate.editing.spans import apply_edits
from backdate.errors import ConfigurationError
from backdate.projects.hostile import read_beneath, replace_beneath
from backdate.projects.tree import copy_tree
from backdate.testing.changed_tests.candidates import PossibleChange, candidates_of
from backdate.testing.outcomes import CaseResult, Outcome, Raised, SuiteRun

LEAST_WALL_S = 60.0
"""Seconds that a run of changed tests always has."""
LEAST_CASE_WALL_S = 20.0
"""Seconds that a test of such a run may always be silent."""
SLOWER = 3.0
"""How many times longer than with unchanged tests such a run, and a test in it, may take."""
_HANGING = 3
"""Tests that may use up their time before the run has used up its own."""
_SECRET_BITS = 64
_LARGEST_FILE = 16 * 1024 * 1024
"""Bytes of a test file that is changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRunLimits:
    """The time limits of a run of changed tests. One of these may hang, in a loop that never ends."""

    wall_s: float
    case_wall_s: float
    """For each test; the rest of the suite then goes on in another process."""


def limits_of(run: SuiteRun) -> ChangedRunLimits:
    """The limits of a run of changed tests, from the run of the unchanged ones."""
    longest = max((result.duration_s for result in run.results), default=0.0)
    return limits_by(longest, run.duration_s)


def limits_by(longest_s: float, all_s: float) -> ChangedRunLimits:
    """The same, where the longest test took ``longest_s`` and all of them ``all_s``."""
    case_wall_s = max(LEAST_CASE_WALL_S, SLOWER * longest_s)
    wall_s = max(LEAST_WALL_S, SLOWER * all_s) + _HANGING * case_wall_s
    return ChangedRunLimits(wall_s=wall_s, case_wall_s=case_wall_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretChange:
    """A change as it is made for one run."""

    file: str
    candidate: PossibleChange
    secret: str

    def caused(self, result: CaseResult) -> bool:
        """Whether ``result`` is a failure by this change: its secret, raised in its function."""
        return result.outcome is Outcome.FAILED and any(map(self._raised, result.raised))

    def _raised(self, raised: Raised) -> bool:
        if raised.type.rpartition(".")[2] not in ("AssertionError", "failureException"):
            return False
        name = self.candidate.function.rpartition(".")[2]
        own = [frame for frame in raised.frames if frame.file == self.file and frame.function == name]
        # unittest puts the message last, and of long ones that end is not kept; the line says it too
        return any(self.secret in raised.message or self.secret in frame.source for frame in own)

    def concerns(self, result: CaseResult) -> bool:
        """Whether the id of ``result`` names the changed function."""
        function = self.candidate.function
        if "::" in result.id:
            file, _, rest = result.id.partition("::")
            return file == self.file and rest.partition("[")[0] == function.replace(".", "::")
        module = self.file.removesuffix(".py").replace("/", ".")
        if result.file is not None and result.file != self.file:
            return False
        names = result.id.partition("#")[0]
        return f".{module}".endswith("." + names.removesuffix(f".{function}")) and names.endswith(
            f".{function}"
        )


def make_change(file: str, candidate: PossibleChange, random_source: random.Random) -> SecretChange:
    """A change with a secret of its own."""
    secret = f"{random_source.getrandbits(_SECRET_BITS):016x}"
    return SecretChange(file=file, candidate=candidate, secret=secret)


def files_of_tests(run: SuiteRun, tree: Path) -> tuple[str, ...]:
    """The Python files of ``tree`` that the tests of ``run`` are in, sorted."""
    names = {result.file or result.id.partition("::")[0] for result in run.results}
    return tuple(
        sorted(
            name
            for name in names
            if name.endswith(".py")
            and not PurePosixPath(name).is_absolute()
            and ".." not in PurePosixPath(name).parts
            and (tree / name).is_file()
        )
    )


def candidates_in(tree: Path, file: str) -> tuple[PossibleChange, ...] | None:
    """The possible changes of a test file, none behind a link; None for one that is not current Python."""
    data = _read(tree, file)
    if data is None:
        return ()
    try:
        return candidates_of(decode_source(data, is_python=True).content)
    except NotText:
        return None


def _read(tree: Path, file: str) -> bytes | None:
    """A test file; None for what is reached by a link, which may lead out of the tree: it is not changed."""
    try:
        return read_beneath(tree, file, limit=_LARGEST_FILE)
    except ConfigurationError:
        return None


def write_changed(tree: Path, target: Path, changes: Iterable[SecretChange]) -> None:
    """A copy of ``tree`` at ``target`` in which ``changes`` are made.

    Raises ConfigurationError for a file that lies behind a link; ``candidates_in`` names no change of such.
    """
    shutil.rmtree(target, ignore_errors=True)
    copy_tree(tree, target)
    by_file: dict[str, list[SecretChange]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    for file, ones in by_file.items():
        data = _read(target, file)
        if data is None:
            raise ConfigurationError(f"{file} is no file of {tree}; it is not changed")
        text = decode_source(data, is_python=True)
        edited = apply_edits(text.content, [one.candidate.edit_with(one.secret) for one in ones])
        replace_beneath(target, file, text.encode(edited))
