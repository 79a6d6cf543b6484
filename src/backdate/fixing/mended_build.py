"""Mending a project whose own build broke: edits of what the build runs, until there is an environment.

No test runs before that. So the build is the one test of a task of its own, which the rules solver works on;
then the tests run in what was built, and the fix goes on from there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from backdate.advising.project_uses import ProjectUses
from backdate.checking.compare import compare_runs
from backdate.checking.recipe_run import RecipeRun, build, run_tests
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult, Comparison
from backdate.checking.side_runner import side_of
from backdate.checking.sides import SidePair
from backdate.diagnosis.pip_logs import InstallFailureKind, last_chain, read_install_failures
from backdate.editing.apply import apply_patch
from backdate.editing.encodings import decode_source
from backdate.editing.patch import changed_paths
from backdate.environments.environment import BuildFailure
from backdate.fixing.project_runner import task_of_check
from backdate.fixing.result import BUILD
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.progress import NO_PROGRESS, Reporter, StageReporter
from backdate.projects.read import read_bytes
from backdate.projects.tree import copy_tree, tree_digest
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import MIB
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.records import RunSettings, StopReason
from backdate.solvers.rules.applying import merged
from backdate.solvers.rules.gather import with_edits
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.solver import RulesSolver
from backdate.solvers.rules.sources.choose import choose_sources
from backdate.tasks.edit_policy import EditPolicy
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import EnvironmentName, StageName, Task, TaskTest
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun
from backdate.text import end_of_file, minor_version

_BUILDS = 5
"""After the first one."""
_SCRIPT = "setup.py"
_RUNS_SCRIPT = ("setuptools", "build_meta.py")
_SOURCES = "written-rule,mined-rule,message,unused-import"
"""What needs no environment to ask."""
_LARGEST = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class MendedBuild:
    """A new side that builds, and what that took."""

    checked: CheckResult
    """With the new side as it is now; its comparison is what the tests say there."""
    pair: SidePair
    broke: Comparison
    """What broke before: every test that was good."""
    before: Mapping[str, str]
    """The texts of the new side's files that were changed, as they were."""
    after: Mapping[str, str]
    answer: SolverResult


class BuildAssignment(Assignment):
    """The task to make the build work; what it runs may be changed, whatever it declares."""

    def rules_in(self, tree: Path) -> EditPolicy:
        """See ``Assignment``."""
        return replace(super().rules_in(tree), build_scripts=True)


@dataclass(frozen=True, slots=True)
class BuildRunner:
    """Builds the new side of a check as if that were its one test. See ``TaskRunner``."""

    pair: SidePair
    resources: Resources
    progress: Reporter = NO_PROGRESS

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:  # noqa: ARG002
        """A copy of the new side's tree."""
        copy_tree(self.pair.new_project.tree, target)

    def run_tests(
        self,
        task: Task,
        tree: Path,
        environment: EnvironmentName,  # noqa: ARG002
        *,
        log_folder: Path,  # noqa: ARG002
        only: tuple[str, ...] = (),  # noqa: ARG002
    ) -> TaskRunResult:
        """Whether ``tree`` builds, and what its build raises."""
        StageReporter(self.progress, task.instance_id).enter("building")
        dated = replace(self.pair.new_project, tree=tree, digest=tree_digest(tree))
        built = build(self.pair.new.recipe, dated, self.resources, self.pair.new_request.choice)
        if not isinstance(built, BuildFailure):
            return TaskRunResult(solved=True, run=self._run(Outcome.PASSED, ()), reason="", environment=built)
        raised = raised_in_build(built, tree)
        return TaskRunResult(solved=False, run=self._run(Outcome.FAILED, raised), reason=built.message)

    def _run(self, outcome: Outcome, raised: tuple[Raised, ...]) -> SuiteRun:
        old = self.pair.old.run
        assert old is not None
        result = CaseResult(id=BUILD, outcome=outcome, duration_s=0, raised=raised)
        return replace(old, status="completed", results=(result,), raised=(), trouble="")


def builds_no_more(checked: CheckResult) -> bool:
    """Whether the project itself does not build on the new side, and its tests told something on the old."""
    obstacle, run = checked.new.obstacle, checked.old.run
    if obstacle is None or not obstacle.own_build or run is None:
        return False
    return any(result.outcome.good for result in run.results)


def mend_build(
    checked: CheckResult, pair: SidePair, resources: Resources, folder: Path, progress: Reporter
) -> MendedBuild | None:
    """The new side with edits with which the project builds; None where nothing known makes it build.

    ``folder``: for trees and logs, which stay.
    """
    old = pair.old.run
    assert old is not None
    nothing = replace(old, status="broken", results=(), raised=(), trouble="")
    unbuilt = replace(checked, new=replace(checked.new, run=nothing))
    task = replace(
        task_of_check(unbuilt, replace(pair, new=unbuilt.new)),
        tests=(TaskTest(id=BUILD, role="fail-to-pass", start=Outcome.FAILED),),
    )
    scratch, logs = folder / "build", folder / "build-logs"
    for each in (scratch, logs):
        each.mkdir(parents=True)
    assignment = BuildAssignment(
        task=task,
        settings=RunSettings(solver="rules", tests=_BUILDS),
        task_runner=BuildRunner(pair, resources, progress),
        scratch=scratch,
        logs=logs,
    )
    answer = _solver(pair).attempt(assignment)
    if answer.ending is not StopReason.SOLVED or not answer.patch.strip():
        return None
    tree = folder / "tree"
    copy_tree(pair.new_project.tree, tree)
    apply_patch(answer.patch, tree, what="the patch of the build")
    paths = changed_paths(answer.patch)
    dated = replace(pair.new_project, tree=tree, digest=tree_digest(tree))
    recipe, choice = pair.new.recipe, pair.new_request.choice
    built = build(recipe, dated, resources, choice)
    if isinstance(built, BuildFailure):
        return None
    run = run_tests(
        recipe, dated, resources, built, log_folder=logs, progress=progress, subject=checked.project
    )
    new = side_of(dated, RecipeRun(recipe=recipe, choice=choice, environment=built, run=run))
    assert new.run is not None
    return MendedBuild(
        checked=replace(checked, new=new, comparison=compare_runs(old, new.run, checked.repeated)),
        pair=replace(pair, new=new, new_project=dated),
        broke=compare_runs(old, nothing, checked.repeated),
        before=dict(_texts(pair.new_project.tree, paths)),
        after=dict(_texts(tree, paths)),
        answer=answer,
    )


def _texts(tree: Path, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        data = read_bytes(tree, path, limit=_LARGEST)
        if data is not None:
            yield path, decode_source(data, is_python=True).content


def edited(mended: MendedBuild, path: str, data: bytes) -> bytes:
    """``data``, the project's own file at ``path``, with what was edited in the new side's copy of it."""
    text = decode_source(data, is_python=True)
    return text.encode(merged(mended.before[path], text.content, mended.after[path]))


def raised_in_build(failure: BuildFailure, tree: Path) -> tuple[Raised, ...]:
    """What a build of ``tree`` raised, with its frames in files of the tree named by these; () for another's.

    The set-up script is run as a text, which has no file.
    """
    log = end_of_file(failure.log, MIB) if failure.log is not None else ""
    lines = (log or failure.message).splitlines()
    of_pip = [one.raised for one in read_install_failures(lines) if one.kind is InstallFailureKind.BUILD]
    for chain in (*of_pip, last_chain(lines)):
        raised = tuple(replace(one, frames=tuple(_in_tree(one.frames, tree))) for one in chain)
        if any(not frame.file.startswith(("/", "<")) for one in raised for frame in one.frames):
            return raised
    return ()


def _in_tree(frames: Sequence[Frame], tree: Path) -> Iterator[Frame]:
    runs_script = False
    for frame in frames:
        parts = PurePosixPath(frame.file).parts
        installed = "site-packages" in parts or not frame.file.startswith("/")
        named = "" if installed else _named(parts, tree)
        if frame.file == "<string>" and runs_script and (tree / _SCRIPT).is_file():
            named = _SCRIPT
        runs_script = parts[-2:] == _RUNS_SCRIPT
        yield replace(frame, file=named) if named else frame


def _named(parts: Sequence[str], tree: Path) -> str:
    if ".." in parts:
        return ""  # the log is the build's own word
    ends = ("/".join(parts[first:]) for first in range(1, len(parts)))
    return next((end for end in ends if (tree / end).is_file()), "")


def _solver(pair: SidePair) -> RulesSolver:
    def gather(
        assignment: Assignment, tree: Path, groups: Sequence[FailureGroup], *, log_folder: Path
    ) -> FixEvidence:
        del assignment, log_folder
        return evidence_of_build(pair, tree, {place.file for group in groups for place in group.places})

    return RulesSolver(
        sources=choose_sources(_SOURCES),
        gather=gather,
        follow=with_edits,
        rewrite=lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines),
    )


def evidence_of_build(pair: SidePair, tree: Path, ran: Collection[str] = ()) -> FixEvidence:
    """What is known of a build without an environment: the interpreters, and what the files use of them.

    ``ran``: the files that its tracebacks name. Nothing traces a build, so it may run all of their lines.
    """
    evidence = with_edits(FixEvidence(tree=tree, uses=ProjectUses()), {})
    lines = {
        file: frozenset(range(1, evidence.texts[file].count("\n") + 2))
        for file in (*ran, _SCRIPT)
        if file in evidence.texts
    }
    old, new = (side.choice.interpreter.version for side in (pair.old, pair.new))
    tops = dict.fromkeys(name.partition(".")[0] for name in evidence.uses.names)
    return replace(
        evidence,
        versions={PYTHON: (old, new)} if minor_version(old) != minor_version(new) else {},
        modules={top: PYTHON for top in tops if in_standard_library(top)},
        python=new,
        executed=lines,
    )
