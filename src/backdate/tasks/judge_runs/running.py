"""What judge runs need of a task runner, and where sound changes apply in a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from backdate.tasks.judge_record import SoundChange
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import EnvironmentName, Task
from backdate.testing.changed_tests.candidates import PossibleChange
from backdate.testing.changed_tests.changed_tree import ChangedRunLimits, candidates_in


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
        limits: ChangedRunLimits,
        only: tuple[str, ...] = (),
    ) -> TaskRunResult:
        """Run the tests of the tree ``changed`` in the environment that ``built_for`` has.

        It is ended as ``limits`` say, or at the usual limit of a suite when that is earlier.
        """
        ...


def find_candidates(tree: Path, sound: Sequence[SoundChange]) -> Mapping[SoundChange, PossibleChange]:
    """Where each sound change applies in ``tree``.

    One whose function is another by now is left out, as is one that an honest solution may never come to.
    """
    by_file = {
        file: {
            (candidate.function, candidate.kind): candidate for candidate in candidates_in(tree, file) or ()
        }
        for file in dict.fromkeys(change.file for change in sound)
    }
    changes = ((change, by_file[change.file].get((change.function, change.kind))) for change in sound)
    return {change: candidate for change, candidate in changes if candidate and not candidate.may_be_skirted}
