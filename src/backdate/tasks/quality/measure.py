"""The quality of one issue task: its text, patches and tests read, and its reference patch tried broken."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from backdate.editing.patch import FilePatch, read_patch
from backdate.tasks.kinds.facts import facts_of
from backdate.tasks.quality.broken_trees import ids_of
from backdate.tasks.quality.implicit import implicit_flags
from backdate.tasks.quality.leaks import (
    RunnerWithResources,
    commits_in,
    fix_releases,
    network_reached,
    own_distributions,
    released_fixes,
)
from backdate.tasks.quality.patch_flags import patch_flags
from backdate.tasks.quality.quoted import names_of_fix, quoted_lines, quoted_share
from backdate.tasks.quality.record import (
    Leaks,
    QualityEvidence,
    QualityFinding,
    QualityFlag,
    TaskQuality,
    TrialOutcome,
    TrialSettings,
    Weakness,
    finding_of,
)
from backdate.tasks.quality.reference_names import reference_names
from backdate.tasks.quality.strictness import strict_places, strictness_of
from backdate.tasks.quality.task_text import TaskText
from backdate.tasks.quality.tests_read import SourcesOfTests
from backdate.tasks.quality.text_flags import text_flags
from backdate.tasks.quality.tree_words import TreeWords, names_in, read_words
from backdate.tasks.quality.weakness import weakness_of
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import IssueFacts, Task
from backdate.version import __version__

MOST_MISSED = 0.5
"""Tests that miss this share of the mutants, or more, are weak. Some mutants nobody can notice."""
_LEAST_MUTANTS = 3
"""Fewer that ran say nothing of a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadTrees:
    """What is read and run: the tree that a solver gets, and the one with both patches."""

    given: Path
    after: Path
    scratch: Path


def quality_of(
    task: Task, task_runner: TaskRunner, *, log_folder: Path, trials: TrialSettings | None = None
) -> TaskQuality:
    """What is found out of ``task``, an issue task whose tests have their roles.

    Its trees come from ``task_runner``. ``trials``: how broken reference patches are run; None: not at all.
    Raises SourceError where there are no trees, UsageError for a task of another kind, MachineError for what
    this machine lacks.
    """
    facts = facts_of(task, IssueFacts, what="an issue")
    with tempfile.TemporaryDirectory(prefix="backdate-task-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the sandbox's user has to enter it
        trees = _ReadTrees(given=folder / "given", after=folder / "after", scratch=folder / "trials")
        task_runner.make_tree(task, trees.given, None)
        task_runner.make_tree(task, trees.after, "reference")
        trees.scratch.mkdir()
        known = _read(task, facts, trees, task_runner, folder)
        if trials is None:
            return known
        weakness = weakness_of(task, task_runner, trials, logs=log_folder, scratch=trees.scratch)
    return replace(known, weakness=weakness, flags=(*known.flags, *weak_flags(weakness)))


def with_quality(task: Task, quality: TaskQuality) -> Task:
    """``task`` with what was found out."""
    facts = facts_of(task, IssueFacts, what="an issue")
    return replace(task, facts=structs.replace(facts, quality=quality))


def with_duplicates(task: Task, evidence: tuple[QualityEvidence, ...]) -> Task:
    """``task``, whose quality is known, with or without the flag of a duplicate."""
    facts = facts_of(task, IssueFacts, what="an issue")
    if facts.quality is None:
        return task
    others = tuple(each for each in facts.quality.flags if each.flag is not QualityFlag.DUPLICATE)
    flags = (*others, *finding_of(QualityFlag.DUPLICATE, evidence))
    return with_quality(task, replace(facts.quality, flags=flags))


def _read(
    task: Task, facts: IssueFacts, trees: _ReadTrees, task_runner: TaskRunner, folder: Path
) -> TaskQuality:
    """What reading alone tells."""
    text = TaskText(facts.title, facts.text)
    base = read_words(trees.given)
    reference = read_patch(task.patches.reference, what="the reference patch")
    test = read_patch(task.patches.test, what="the test patch")
    read, unread = SourcesOfTests(trees.after).read(ids_of(task, "fail-to-pass"))
    invented = reference_names(trees.after, reference, base)
    tested = names_in(trees.given, (test.file for test in read))
    strictness = strictness_of(read, unread, base=base, invented=invented, text=text, tested=tested)
    leaks = _leaks(task, facts, trees, task_runner, folder)
    leaks = replace(leaks, quoted=quoted_share(reference, text, base))
    flags = (
        *text_flags(text, urls=facts.urls),
        *patch_flags(reference, test, read, test_files=task.test_files),
        *implicit_flags(read, invented, text, base),
        *_leak_flags(task, facts, leaks, text, reference, base),
        *finding_of(QualityFlag.STRICT, strict_places(strictness)),
    )
    return TaskQuality(backdate=__version__, flags=flags, leaks=leaks, strictness=strictness)


def _leaks(task: Task, facts: IssueFacts, trees: _ReadTrees, task_runner: TaskRunner, folder: Path) -> Leaks:
    commits = commits_in(trees.given)
    if not isinstance(task_runner, RunnerWithResources):
        return Leaks(commits=commits)
    resources = task_runner.resources
    found = fix_releases(task, facts, own_distributions(task, trees.given), resources.index)
    return Leaks(
        commits=commits,
        network=network_reached(resources.sandbox, folder),
        releases_looked_at=found.looked_at if found is not None else None,
        fix_releases=found.releases if found is not None else (),
    )


def _leak_flags(
    task: Task,
    facts: IssueFacts,
    leaks: Leaks,
    text: TaskText,
    reference: tuple[FilePatch, ...],
    base: TreeWords,
) -> Iterator[QualityFinding]:
    yield from finding_of(QualityFlag.QUOTES_PATCH, quoted_lines(reference, text, base))
    named = names_of_fix(text, repository=task.source.name, urls=facts.urls, base=task.source.revision)
    yield from finding_of(QualityFlag.NAMES_FIX, named)
    yield from finding_of(QualityFlag.FIX_RELEASED, released_fixes(leaks.fix_releases))
    if leaks.commits is not None and leaks.commits > 1:
        words = QualityEvidence(words=f"{leaks.commits:,} commits")
        yield from finding_of(QualityFlag.LATER_HISTORY, [words])
    if leaks.network:
        words = QualityEvidence(words="an interface leads out of the sandbox")
        yield from finding_of(QualityFlag.NETWORK, [words])


def weak_flags(weakness: Weakness) -> Iterator[QualityFinding]:
    """What the trials show: hunks that nobody misses, halves that do, mutants that few tests notice."""
    yield from finding_of(
        QualityFlag.WEAK_HUNK,
        (
            QualityEvidence(file=trial.file, line=trial.line, words=trial.words)
            for trial in weakness.hunks
            if trial.outcome is TrialOutcome.MISSED
        ),
    )
    yield from finding_of(
        QualityFlag.WEAK_HALF,
        (
            QualityEvidence(words=f"the {trial.half} half alone")
            for trial in weakness.halves
            if trial.outcome is TrialOutcome.MISSED
        ),
    )
    noticed = weakness.mutants_noticed
    if noticed.whole >= _LEAST_MUTANTS and 1 - noticed.part / noticed.whole >= MOST_MISSED:
        yield from finding_of(
            QualityFlag.WEAK_MUTANT,
            (
                QualityEvidence(file=trial.file, line=trial.line, words=f"{trial.before} → {trial.after}")
                for trial in weakness.mutants
                if trial.outcome is TrialOutcome.MISSED
            ),
        )
