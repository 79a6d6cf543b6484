"""The rounds of a fix: a solver works on what broke, and all tests run once more with what it made."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.checking.compare import compare_runs
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult, Comparison
from backdate.checking.sides import SidePair
from backdate.diagnosis.diagnose import clusters_of
from backdate.diagnosis.frames import is_test_file
from backdate.diagnosis.result import Cluster
from backdate.editing.apply import apply_patch
from backdate.editing.diff import diff_files
from backdate.editing.patch import changed_paths
from backdate.errors import SourceError
from backdate.fixing.applying import changed_files
from backdate.fixing.further_requirements import FurtherRequirement
from backdate.fixing.held_back import held_back, missing_requirement
from backdate.fixing.mended_build import MendedBuild, edited
from backdate.fixing.outcome import gained_and_lost, outcome_of
from backdate.fixing.project_runner import ProjectRunner, pair_with_further, task_of_check
from backdate.fixing.requirements_patch import requirements_patch
from backdate.fixing.result import FixOutcome, FixResult
from backdate.progress import Activity, Reporter
from backdate.projects.hostile import read_beneath
from backdate.projects.own_modules import top_level_names
from backdate.projects.tree import copy_tree
from backdate.sandboxes.disk_budget import DEFAULT_BUDGET_BYTES
from backdate.solvers.interface import Assignment, Solver, SolverResult
from backdate.solvers.reasons import HunkReason
from backdate.solvers.records import RunSettings, StopReason
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task
from backdate.testing.outcomes import SuiteRun
from backdate.version import __version__

_LARGEST = 16 * 1024 * 1024
_SOLVER_RUNS = 5
"""Test runs of the solver after its first: with that, the check's and the last one there are eight."""

OpenSolver = Callable[[Resources], AbstractContextManager[Solver]]


@dataclass(frozen=True, slots=True, kw_only=True)
class FixOptions:
    """How a project is fixed."""

    solver: str = "rules"
    """As it is recorded."""
    allow_test_edits: bool = False
    calls: int | None = None
    """The most calls of the solver, see ``RunSettings.calls``."""
    tests: int = _SOLVER_RUNS


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedFiles:
    """A fix, and the bytes of the files that it changes."""

    result: FixResult
    before: Mapping[str, bytes] = field(default_factory=dict)
    after: Mapping[str, bytes] = field(default_factory=dict)


def _left(fixed: FixedFiles) -> int:
    """How many tests are still broken."""
    return sum(len(group.tests) for group in fixed.result.remaining)


@dataclass(slots=True)
class FixRounds:
    """The fix of one project whose tests broke: one round of a solver, or two."""

    resources: Resources
    checked: CheckResult
    pair: SidePair
    options: FixOptions
    folder: Path
    work: Path
    progress: Reporter
    mended: MendedBuild | None = None
    """Where the project did not build before: what the new side is then, and ``checked`` with it."""

    def made(self, opened: OpenSolver) -> FixedFiles:
        """The solver's patch, seen once more by a run of its own.

        What the new side lacks is given to it, once more where that shows only behind the first edits: then
        the rules begin again, and what they come to counts where no fewer tests are good.
        """
        pair, further = self._with_missing(self.pair, self.pair.new.run, ())
        fixed, last = self._round(opened, pair, further, "fix")
        if self.options.solver.partition(":")[0] != "rules":
            return fixed  # a model, alone or behind the rules, would be paid twice
        pair, all_further = self._with_missing(pair, last, further)
        if all_further == further:
            return fixed
        again, _ = self._round(opened, pair, all_further, "fix-again")
        better = again if _left(again) <= _left(fixed) else fixed
        both = replace(
            better.result,
            runs=fixed.result.runs + again.result.runs - 1,  # the check's counts once
            side_runs=fixed.result.side_runs + again.result.side_runs,
            own_s=fixed.result.own_s + again.result.own_s,
        )
        return replace(better, result=both)

    def _with_missing(
        self, pair: SidePair, run: SuiteRun | None, known: tuple[FurtherRequirement, ...]
    ) -> tuple[SidePair, tuple[FurtherRequirement, ...]]:
        """``pair`` with what a run of its new side lacks, and that beside what was ``known`` before."""
        own = top_level_names(self.pair.old_project.tree)
        more, new = pair_with_further(
            self.checked,
            pair,
            self.resources,
            self._clusters(run),
            own,
            known,
            may_edit=lambda file: self.options.allow_test_edits or not is_test_file(file),
        )
        if new:
            names = ", ".join(one.requirement for one in new)
            self.progress.report(Activity(text=f"with what the new side lacks: {names}"))
        return more, (*known, *new)

    def _round(
        self, opened: OpenSolver, pair: SidePair, further: tuple[FurtherRequirement, ...], folder: str
    ) -> tuple[FixedFiles, SuiteRun | None]:
        """What the solver makes of ``pair``, and the last run of all tests. ``folder``: for its logs."""
        task = task_of_check(self.checked, self.pair)
        runner = ProjectRunner(pair, self.resources, progress=self.progress)
        with runner.for_changed_trees(DEFAULT_BUDGET_BYTES) as (changed, scratch):
            self.progress.report(Activity(text=f"fixing with {self.options.solver}"))
            clock = time.monotonic()
            logs = self.folder / folder
            if self.mended is not None and not self._broken_tests():
                answer = SolverResult(ending=StopReason.SOLVED)
            else:
                with opened(self.resources) as solver:
                    answer = solver.attempt(self._assignment(task, changed, scratch / "solver", logs))
            own_s = max(0.0, time.monotonic() - clock - answer.waited_s)
            first = scratch / "first"
            changed.make_tree(task, first)
            before, after = self._files(answer, first, scratch / "after")
            last = self.pair.new.run
            again = bool(after or further)
            if again:
                self.progress.report(Activity(text="running all tests with the patch"))
                (logs / "last").mkdir(parents=True)
                seen = changed.run_tests(
                    task, scratch / "after" if after else first, "target", log_folder=logs / "last"
                )
                last = seen.run
            lost = self._lost_for_nothing(last) if after and not further else 0
            if lost:  # it is no help to anyone
                before, after, last = {}, {}, self.pair.new.run
                dropped = f"a patch that gains no test and loses {lost} is dropped"
                answer = replace(answer, detail="; ".join(filter(None, (answer.detail, dropped))))
            fixed = self._result(answer, last, before, after, further, again=again)
            return replace(fixed, result=replace(fixed.result, own_s=own_s)), last

    def _broken_tests(self) -> tuple[str, ...]:
        """What there is to work on."""
        return self.checked.comparison.broke if self.checked.comparison is not None else ()

    def _first(self) -> Comparison:
        """What broke before anything was changed."""
        first = self.checked.comparison if self.mended is None else self.mended.broke
        assert first is not None
        return first

    def _lost_for_nothing(self, last: SuiteRun | None) -> int:
        """How many tests a patch costs that gains none, by the last run; 0 for another patch."""
        old, first = self.pair.old.run, self._first()
        if old is None or last is None:
            return 0
        gained, lost = gained_and_lost(first, compare_runs(old, last))
        return 0 if gained else len(lost)

    def _assignment(self, task: Task, runner: TaskRunner, scratch: Path, folder: Path) -> Assignment:
        scratch.mkdir()
        logs = folder / "logs" / "solver"
        logs.mkdir(parents=True)
        options = self.options
        return Assignment(
            task=task,
            settings=RunSettings(
                solver=options.solver,
                calls=options.calls,
                tests=options.tests,
                allow_test_edits=options.allow_test_edits,
                both_sides=True,
            ),
            task_runner=runner,
            scratch=scratch,
            logs=logs,
        )

    def _files(
        self, answer: SolverResult, first: Path, target: Path
    ) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """The files that the answer changes, before and after; none where it changes nothing.

        Files are compared with the project's own, not with its unpinned copy.
        """
        built = self._built()
        if not answer.patch.strip():
            if built:
                copy_tree(first, target)
            return {path: before for path, (before, _) in built.items()}, {
                path: after for path, (_, after) in built.items()
            }
        copy_tree(first, target)
        apply_patch(answer.patch, target, what="the solver's patch")
        paths = changed_paths(answer.patch)
        before = {path: read_beneath(self.pair.old_project.tree, path, limit=_LARGEST) for path in paths}
        copied = {path: read_beneath(first, path, limit=_LARGEST) for path in paths}
        after = {path: read_beneath(target, path, limit=_LARGEST) for path in paths}
        if copied != {path: built[path][1] if path in built else data for path, data in before.items()}:
            raise SourceError("the solver changed a file that the new side has in another form")
        for path, (was, now) in built.items():
            before.setdefault(path, was)
            after.setdefault(path, now)
        whole = {path: data for path, data in before.items() if data is not None}
        return whole, {path: data for path, data in after.items() if data is not None and path in whole}

    def _built(self) -> dict[str, tuple[bytes, bytes]]:
        """The project's own files that were changed for its build, before and after."""
        built: dict[str, tuple[bytes, bytes]] = {}
        for path in self.mended.before if self.mended is not None else ():
            data = read_beneath(self.pair.old_project.tree, path, limit=_LARGEST)
            if data is not None and self.mended is not None:
                built[path] = data, edited(self.mended, path, data)
        return built

    def _result(
        self,
        answer: SolverResult,
        last: SuiteRun | None,
        before: dict[str, bytes],
        after: dict[str, bytes],
        further: Sequence[FurtherRequirement],
        *,
        again: bool,
    ) -> FixedFiles:
        old = self.pair.old.run
        assert old is not None
        left = self.checked.comparison if last is None else compare_runs(old, last)
        assert left is not None
        first = self._first()
        gained, lost = gained_and_lost(first, left)
        patch = diff_files(dict(before), dict(after))
        added = tuple(one.requirement for one in further if one.is_needed_by(patch))
        outcome, reason = outcome_of(first, left, changed=bool(after), added=added)
        clusters = self._clusters(last)
        own = top_level_names(self.pair.old_project.tree)
        missing = tuple(
            dict.fromkeys(
                name
                for name in (
                    *(added if outcome is not FixOutcome.NOT_FIXED else ()),
                    *(missing_requirement(cluster.cause, own) for cluster in clusters),
                )
                if name
            )
        )
        pythons = (
            self.pair.old.choice.interpreter.version,
            self.pair.new.choice.interpreter.version,
        )
        result = FixResult(
            backdate=__version__,
            check=self.checked,
            solver=self.options.solver,
            outcome=outcome,
            reason=reason,
            patch=patch,
            reasons=(*self._build_reasons(), *answer.reasons) if after else (),
            undo=diff_files(dict(after), dict(before)),
            files=changed_files(before, after),
            passing=len(gained),
            lost=len(lost),
            elsewhere=answer.elsewhere,
            requirements=requirements_patch(self.pair.old_project.tree, missing),
            missing=missing,
            given=tuple(name for name in missing if name in added),
            remaining=left.breakages,
            caught=answer.caught if left.broke else (),
            held_back=held_back(clusters, self.checked.changes, pythons),
            detail=answer.detail,
            runs=1 + len(answer.runs) + again,
            side_runs=answer.side_runs,
            usage=answer.usage,
        )
        return FixedFiles(result=result, before=before, after=after)

    def _build_reasons(self) -> tuple[HunkReason, ...]:
        return self.mended.answer.reasons if self.mended is not None else ()

    def _clusters(self, run: SuiteRun | None) -> tuple[Cluster, ...]:
        """What fails in a run of the new side that was good on the old one, by cause."""
        if run is None or self.pair.old.run is None:
            return ()
        return clusters_of(
            self.pair.old.run,
            run,
            environment=self.pair.new.environment,
            before=self.pair.old.environment,
            tree=self.pair.new_project.tree,
        )
