"""Weak tests: whether the tests that count notice a reference patch with something wrong in it.

Each hunk is left out in turn, each half stands alone, and some of the added lines are mutated. Every broken
tree gets an environment as an answer does, without network, and its tests run in a fresh sandbox: the
fail-to-pass tests first, the others where these notice nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, get_args, runtime_checkable

from backdate.editing.apply import apply_files, apply_patch
from backdate.editing.encodings import NotText, decode_source
from backdate.editing.patch import FilePatch, join_hunks, read_patch, split_hunks
from backdate.editing.spans import apply_edits
from backdate.errors import ConfigurationError, SourceError
from backdate.projects.hostile import read_beneath, replace_beneath
from backdate.sandboxes.disk_budget import DEFAULT_BUDGET_BYTES
from backdate.tasks.judge_runs.running import ChangedTreeRunner
from backdate.tasks.quality.broken_trees import Judge, copy_of, ids_of
from backdate.tasks.quality.halves import files_at, half_of
from backdate.tasks.quality.meaning import same_program
from backdate.tasks.quality.mutants import Mutant, choose, mutants_of
from backdate.tasks.quality.patch_lines import first_changed, starts
from backdate.tasks.quality.record import (
    CountingRole,
    HalfName,
    HalfTrial,
    HunkTrial,
    MutantTrial,
    TrialOutcome,
    TrialSettings,
    Weakness,
)
from backdate.tasks.quality.reference_names import placed_lines
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task

_CODE = (".py", ".pyx", ".pxd", ".c", ".h", ".cpp", ".rs", ".js", ".ts", ".html", ".jinja", ".jinja2", ".j2")
"""Files of which a test may be expected to notice a change."""
_LARGEST_FILE = 4 * 1024 * 1024


@runtime_checkable
class ChangedTreesRunner(Protocol):
    """A task runner that can make another one for trees that nobody vouches for."""

    def for_changed_trees(self, budget_bytes: int) -> AbstractContextManager[tuple[ChangedTreeRunner, Path]]:
        """That runner, and a folder for such trees."""
        ...


def weakness_of(
    task: Task, task_runner: TaskRunner, settings: TrialSettings, *, logs: Path, scratch: Path
) -> Weakness:
    """What the tests of ``task`` notice. ``scratch``: a folder for trees where the runner has none.

    Raises SourceError where there are no trees, MachineError for what this machine lacks.
    """
    if not ids_of(task, "fail-to-pass") or not task.has_reference:
        return Weakness(asked=settings, problem="it has no reference patch, or no fail-to-pass test")
    with ExitStack() as stack:
        if isinstance(task_runner, ChangedTreesRunner):
            changed = task_runner.for_changed_trees(DEFAULT_BUDGET_BYTES)
            runner, scratch = stack.enter_context(changed)
        elif isinstance(task_runner, ChangedTreeRunner):
            runner = task_runner
        else:
            return Weakness(asked=settings, problem="the task runner runs no changed trees")
        base, after = scratch / "base", scratch / "after"
        task_runner.make_tree(task, base, None)
        task_runner.make_tree(task, after, "reference")
        judge = Judge(task, runner, logs, time.monotonic() + settings.seconds)
        problem = judge.learn(after)
        if problem:
            return Weakness(asked=settings, problem=problem)
        return _BrokenSolutions(task, read_patch(task.patches.reference), judge, base, after).run(settings)


@dataclass(frozen=True, slots=True)
class _BrokenSolutions:
    """Broken solutions of one task, made and run one after the other."""

    task: Task
    reference: Sequence[FilePatch]
    judge: Judge
    base: Path
    after: Path
    """With both patches."""

    def run(self, settings: TrialSettings) -> Weakness:
        """All trials that were asked for, as far as the time goes; the two halves first."""
        halves = tuple(self._halves())
        hunks, possible_hunks = self._hunks(settings.most_hunks)
        possible = [_mutants_in(self.after, file) for file in self.reference]
        chosen = choose(possible, settings.most_mutants, settings.seed)
        return Weakness(
            hunks=hunks,
            possible_hunks=possible_hunks,
            halves=halves,
            mutants=tuple(
                self._with_mutant(file.path, mutant)
                for file, group in zip(self.reference, chosen, strict=True)
                for mutant in group
            ),
            possible_mutants=sum(map(len, possible)),
            asked=settings,
        )

    def _hunks(self, most: int) -> tuple[tuple[HunkTrial, ...], int]:
        """The trials of hunks, and how many hunks may be missed.

        Each look at one costs a copy of the tree, so that those beyond the limits are counted as they are.
        """
        parts = split_hunks(self.reference)
        trials: list[HunkTrial] = []
        possible = 0
        for part in parts:
            looks = len(trials) < most and not self.judge.is_late
            if part.path.endswith(_CODE) and (not looks or self._matters(part, parts)):
                possible += 1
                trials += [self._without(part, parts)] if len(trials) < most else []
        return tuple(trials), possible

    def _matters(self, left_out: FilePatch, parts: Sequence[FilePatch]) -> bool:
        """Whether it is more than comments, docstrings, annotations. One that nothing applies without is."""
        with copy_of(self.base) as tree:
            made = self._apply([part for part in parts if part is not left_out], tree)
            return not made or _differs(tree, self.after, left_out.path)

    def _without(self, left_out: FilePatch, parts: Sequence[FilePatch]) -> HunkTrial:
        outcome, by = self._tried([part for part in parts if part is not left_out])
        first = first_changed(left_out.hunks[0]) if left_out.hunks else None
        return HunkTrial(
            file=left_out.path,
            line=starts(left_out.hunks[0])[0] if left_out.hunks else 0,
            words=first.text.strip() if first else "an empty file",
            outcome=outcome,
            by=by,
        )

    def _halves(self) -> Iterator[HalfTrial]:
        paths = [file.path for file in self.reference]
        with copy_of(self.base) as whole:
            apply_files(self.reference, whole, what="the reference patch")
            try:
                before, after = files_at(self.base, paths), files_at(whole, paths)
            except ConfigurationError:  # one is a link, or too large to be cut
                yield from (HalfTrial(half=h, outcome=TrialOutcome.UNBUILT) for h in get_args(HalfName))
                return
        for half in get_args(HalfName):
            patch = half_of(before, after, half)
            if patch is not None:
                outcome, by = self._tried(read_patch(patch))
                yield HalfTrial(half=half, outcome=outcome, by=by)

    def _with_mutant(self, path: str, mutant: Mutant) -> MutantTrial:
        outcome, by = TrialOutcome.NOT_RUN, None
        if not self.judge.is_late:
            with copy_of(self.after) as tree:
                data = read_beneath(tree, path, limit=_LARGEST_FILE)
                assert data is not None
                source = decode_source(data, is_python=True)
                replace_beneath(tree, path, source.encode(apply_edits(source.content, [mutant.edit])))
                outcome, by = self.judge.judge(tree)
        return MutantTrial(
            file=path,
            line=mutant.line,
            kind=mutant.kind,
            before=mutant.before,
            after=mutant.after,
            outcome=outcome,
            by=by,
        )

    def _tried(self, parts: Sequence[FilePatch]) -> tuple[TrialOutcome, CountingRole | None]:
        """What the tests make of the base with these parts of a solution."""
        if self.judge.is_late:
            return TrialOutcome.NOT_RUN, None
        with copy_of(self.base) as tree:
            return self.judge.judge(tree) if self._apply(parts, tree) else (TrialOutcome.UNBUILT, None)

    def _apply(self, parts: Sequence[FilePatch], tree: Path) -> bool:
        """Whether these parts and the test patch can be applied to ``tree``, which is the base."""
        try:
            apply_files(join_hunks(parts), tree, what="a part of the reference patch")
            apply_patch(self.task.patches.test, tree, what="the test patch")
        except SourceError:
            return False
        return True


def _mutants_in(after: Path, file: FilePatch) -> tuple[Mutant, ...]:
    if not file.path.endswith(".py") or file.kind == "delete":
        return ()
    return mutants_of(_text(after, file.path), {line.number for line in placed_lines(after, file)})


def _differs(tree: Path, after: Path, path: str) -> bool:
    """Whether leaving out a hunk changes what a program does, as far as its syntax tells."""
    ours, theirs = _text(tree, path), _text(after, path)
    if not path.endswith(".py"):
        return ours != theirs
    return not same_program(ours, theirs, exports=PurePosixPath(path).name == "__init__.py")


def _text(tree: Path, path: str) -> str:
    try:
        data = read_beneath(tree, path, limit=_LARGEST_FILE)
        return decode_source(data, is_python=path.endswith(".py")).content if data is not None else ""
    except (ConfigurationError, NotText):
        return ""
