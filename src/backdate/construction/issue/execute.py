"""Running one change: its base set up, its tests before and after its code, the task or why there is none.

Proving is what ``bench verify`` does, by the same function: each side three times, each run in a fresh
sandbox, every test's outcome compared.
"""

from __future__ import annotations

from backdate.changes.split import NotSplit, SplitChange, split_change
from backdate.checking.dated_project import dated_project
from backdate.checking.sides import collect_notes
from backdate.checking.starting_recipes import StartingRecipe
from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.fetch import Fetched, fetch, repository
from backdate.construction.issue.base_environment import runs_few_tests, seed_of, set_up_base
from backdate.construction.issue.examine import ExaminedChange, change_of
from backdate.construction.issue.judging_recipe import judging_recipe
from backdate.construction.issue.patched_runner import PatchedBaseRunner
from backdate.construction.issue.reasons import IssueReason, exclusion
from backdate.construction.issue.task_assembly import ChangeParts, proven_task, unproven_task
from backdate.construction.job_context import JobContext
from backdate.construction.kinds.interface import BuiltTask
from backdate.construction.setup_step import SetUp
from backdate.errors import InterpreterMissing, SourceError
from backdate.projects.project import Project
from backdate.projects.sources.tree import safe_name
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.task import Task
from backdate.tasks.trees import sources_of
from backdate.tasks.verify_task import StageResult, Verification, verify_task

_FEW_TESTS = "less than half of the tests that the base's files define ran in its set-up"


def execute(
    candidate: Candidate, examined: ExaminedChange, seeds: tuple[StartingRecipe, ...], context: JobContext
) -> BuiltTask:
    """The task that the change makes, or why it makes none, and what it was set up by."""
    try:
        with context.clock("fetch"):
            fetched, split = _files(candidate, context)
    except SourceError as error:
        return BuiltTask(result=exclusion(IssueReason.FILES_GONE, str(error)[:2000]))
    if isinstance(split, NotSplit):
        return BuiltTask(result=exclusion(IssueReason.FILES_GONE, split.detail[:2000]))
    name = safe_name(candidate.name.rpartition("/")[2])
    project = Project(name=name, root=fetched.tree, origin=fetched.origin)
    try:
        done = set_up_base(context, dated_project(project, examined.instant), seeds)
    except InterpreterMissing as error:
        return BuiltTask(result=exclusion(IssueReason.INTERPRETER_MISSING, str(error)))
    if isinstance(done, Exclusion):
        return BuiltTask(result=done)
    split = _as_run(candidate, split, done, context)
    return BuiltTask(result=_proven(candidate, examined, fetched, split, done, context), recipe=seed_of(done))


def _files(candidate: Candidate, context: JobContext) -> tuple[Fetched, SplitChange | NotSplit]:
    """The base's tree, and the change as patches on it."""
    fetched = fetch(candidate, context.plan, context.config, context.scratch)
    with repository(candidate, context.config, context.scratch) as git_dir:
        return fetched, split_change(git_dir, change_of(candidate))


def _as_run(candidate: Candidate, split: SplitChange, done: SetUp, context: JobContext) -> SplitChange:
    """The change split by what the recipe's runner collects, now that there is one.

    A recipe that names what it runs one by one collects none of the files that the change adds beside them:
    these are run too (``judging_recipe``), and the tree's own configuration tells which they are.
    """
    with repository(candidate, context.config, context.scratch) as git_dir:
        found = split_change(git_dir, change_of(candidate), suite=done.side.recipe.test)
    if isinstance(found, NotSplit) or set(found.test_files) < set(split.test_files):
        return split
    return found if found.test_files and found.code_files else split


def _proven(
    candidate: Candidate,
    examined: ExaminedChange,
    fetched: Fetched,
    split: SplitChange,
    done: SetUp,
    context: JobContext,
) -> Task | Exclusion:
    recipe, narrowed = judging_recipe(done.side, split, context.plan.issue.whole_suite_s)
    parts = ChangeParts(
        candidate=candidate,
        change=change_of(candidate),
        examined=examined,
        split=split,
        tree=fetched.tree,
        version=fetched.origin.version_hint,
        side=done.side,
        recipe=recipe,
    )
    settings = context.resources.settings
    runner = PatchedBaseRunner(
        context=context,
        local=LocalRunner(settings, sources_of(settings), resources=context.resources),
        base=fetched.tree,
    )
    unproven = unproven_task(parts)
    runner.build_ahead(unproven)
    verification, task = verify_task(
        unproven, runner, log_folder=context.log_folder(), repeats=context.plan.repeats
    )
    if not verification.verified:
        return _why_not(verification, task)
    notes = [*collect_notes(done.side, done.side), *([narrowed] if narrowed else [])]
    if runs_few_tests(done, fetched.tree):
        notes.append(_FEW_TESTS)
    if fetched.origin.missing:
        notes.append(f"not in the source: {', '.join(fetched.origin.missing[:20])}")
    return proven_task(task, parts, tuple(dict.fromkeys(notes)))


def _why_not(verification: Verification, task: Task) -> Exclusion:
    """Why the runs before and after the change prove no task."""
    start, after = verification.stage("start"), verification.stage("reference")
    for stage, unbuilt in ((start, IssueReason.BEFORE_NOT_BUILT), (after, IssueReason.AFTER_NOT_BUILT)):
        if stage is not None and stage.state == "unavailable":
            return exclusion(IssueReason.PATCH_DOES_NOT_APPLY, stage.reason)
        if stage is not None and stage.state == "unbuilt":
            return exclusion(unbuilt, stage.reason)
    for stage, badly in ((after, IssueReason.AFTER_ENDED_BADLY), (start, IssueReason.BEFORE_ENDED_BADLY)):
        if stage is not None and _ended_badly(stage):
            return exclusion(badly, stage.reason)
    if any(test.role == "fail-to-pass" for test in task.tests):
        return exclusion(IssueReason.NOT_VERIFIED, verification.reason)
    flaky = [f"{test.id}: {test.why}" for test in task.tests if test.why.startswith("flaky")]
    if flaky:
        return exclusion(IssueReason.FLAKY, "\n".join(flaky[:50]))
    return exclusion(IssueReason.NOTHING_FIXED, verification.reason)


def _ended_badly(stage: StageResult) -> bool:
    """Whether a run of the stage did not come to its end, or collected nothing."""
    return any(run.status not in ("completed", "no-tests") for run in stage.runs)
