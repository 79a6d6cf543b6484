"""Running changed tests, and telling whether each failed for its own reason.

A project's code runs in the interpreter that runs its tests, so it can imitate any outcome of one run. It
does not know which tests should fail in a second run whose test files were changed in secret.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from backdate.editing.encodings import NotText, decode_source
from backdate.editing.spans import apply_edits
from backdate.projects.tree import copy_tree
from backdate.tasks.judge_record import SoundChange
from backdate.tasks.judge_runs.candidates import PossibleChange, candidates_of
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import EnvironmentName, Task
from backdate.testing.outcomes import CaseResult, Outcome

_SECRET_BITS = 64


@runtime_checkable
class ChangedTreeRunner(Protocol):
    """A task runner that can also run changed tests in the environment of the unchanged tree."""

    def run_changed(
        self,
        task: Task,
        changed: Path,
        *,
        environment: EnvironmentName,
        built_for: Path,
        log_folder: Path,
        wall_s: float,
        only: tuple[str, ...] = (),
    ) -> TaskRunResult:
        """Run the tests of the tree ``changed`` in the environment that ``built_for`` has.

        It is ended after ``wall_s`` seconds, or at the usual limit when that is less.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretChange:
    """A change as it is made for one run."""

    file: str
    candidate: PossibleChange
    secret: str

    def caused(self, result: CaseResult) -> bool:
        """Whether ``result`` is a failure by this change: its secret, raised in its function."""
        name = self.candidate.function.rpartition(".")[2]
        return result.outcome is Outcome.FAILED and any(
            raised.type.rpartition(".")[2] in ("AssertionError", "failureException")
            and self.secret in raised.message
            and any(frame.file == self.file and frame.function == name for frame in raised.frames)
            for raised in result.raised
        )


def make_change(file: str, candidate: PossibleChange, random_source: random.Random) -> SecretChange:
    """A change with a secret of its own."""
    secret = f"{random_source.getrandbits(_SECRET_BITS):016x}"
    return SecretChange(file=file, candidate=candidate, secret=secret)


def candidates_in(tree: Path, file: str) -> tuple[PossibleChange, ...] | None:
    """The possible changes of a test file; None for one that cannot be read as current Python."""
    path = tree / file
    if not path.is_file() or path.is_symlink():
        return ()
    try:
        return candidates_of(decode_source(path.read_bytes(), is_python=True).content)
    except NotText:
        return None


def write_changed(tree: Path, target: Path, changes: Iterable[SecretChange]) -> None:
    """A copy of ``tree`` at ``target`` in which ``changes`` are made."""
    shutil.rmtree(target, ignore_errors=True)
    copy_tree(tree, target)
    by_file: dict[str, list[SecretChange]] = {}
    for change in changes:
        by_file.setdefault(change.file, []).append(change)
    for file, ones in by_file.items():
        path = target / file
        text = decode_source(path.read_bytes(), is_python=True)
        edited = apply_edits(text.content, [one.candidate.edit_with(one.secret) for one in ones])
        path.write_bytes(text.encode(edited))


def find_candidates(tree: Path, sound: Sequence[SoundChange]) -> Mapping[SoundChange, PossibleChange]:
    """Where each sound change applies in ``tree``; one whose function is another by now is left out."""
    by_file = {
        file: {(one.function, one.kind): one for one in candidates_in(tree, file) or ()}
        for file in dict.fromkeys(change.file for change in sound)
    }
    found = ((change, by_file[change.file].get((change.function, change.kind))) for change in sound)
    return {change: candidate for change, candidate in found if candidate is not None}
