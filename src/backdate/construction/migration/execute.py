"""Steps 2 to 4 of one candidate: set up, both environments, both runs, filters, repeats, evidence, the task.

Every step may exclude the candidate; the first that does is the answer. Finished runs are kept in the
store, so that a job that is started again repeats at most the step that was running.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.dated_project import dated_project, unpinned_project
from backdate.checking.sides import SidePair, collect_notes
from backdate.construction.candidate import Candidate, Exclusion, ExclusionStage
from backdate.construction.fetch import fetch, limits_of
from backdate.construction.migration.culprits import find_culprits
from backdate.construction.migration.evidence import LaterRevisionEvidence, seek_evidence
from backdate.construction.migration.examine import Examined
from backdate.construction.migration.side_filters import new_is_not_red, old_is_not_green
from backdate.construction.migration.sides import (
    JobContext,
    new_key,
    old_key,
    run_new,
    set_up_old,
)
from backdate.construction.migration.task_assembly import TaskParts, make_task
from backdate.construction.trees import fetch_tree
from backdate.diagnosis.diagnose import clusters_of, diagnose
from backdate.diagnosis.result import Cluster
from backdate.environments.environment import Environment
from backdate.errors import InterpreterMissing, SourceError
from backdate.projects.project import Origin, Project
from backdate.projects.sources.tree import safe_name
from backdate.projects.tree import copy_tree, tree_digest
from backdate.projects.unpinning import Unpinning, apply_unpinning, unpin_tree
from backdate.recipes.loosening import requirement_files_of
from backdate.tasks.roles import ProvenRoles, judge_tests, without_flaky
from backdate.tasks.task import KnownCulprit, Task
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Why the new side fails."""

    clusters: tuple[Cluster, ...]
    related: tuple[str, ...]


def execute(candidate: Candidate, examined: Examined, bench: JobContext) -> Task | Exclusion:
    """The task that the candidate makes, or why it makes none."""
    with bench.clock("fetch"):
        tree = _tree(candidate, examined, bench)
    if isinstance(tree, Exclusion):
        return tree
    try:
        sides = _both_sides(candidate, examined, tree, bench)
    except InterpreterMissing as error:
        return Exclusion(
            stage="interpreter", reason="an interpreter is not on this machine", detail=str(error)
        )
    if isinstance(sides, Exclusion):
        return sides
    pair, unpinning = sides
    found = _filter(pair)
    if isinstance(found, Exclusion):
        return found
    proven = _repeat(pair, bench)
    failing = proven.of("fail-to-pass")
    if not failing:
        return Exclusion(stage="flaky", reason="no test fails in every repeat", detail=_flaky(proven))
    return _conclude(candidate, examined, pair, unpinning, found, proven, bench)


def _tree(candidate: Candidate, examined: Examined, bench: JobContext) -> Path | Exclusion:
    """The source tree: from the store, else fetched again."""
    target = bench.scratch / "old"
    limits = limits_of(bench.place)
    if fetch_tree(bench.store, examined.digest, target, bench.scratch, limits):
        return target
    pinned = replace(candidate, revision=examined.revision or candidate.revision)
    try:
        fetched = fetch(pinned, bench.plan, bench.place, bench.scratch)
    except SourceError as error:
        return Exclusion(
            stage="source", reason="its files are gone since they were examined", detail=str(error)
        )
    if tree_digest(fetched.tree) != examined.digest:
        return Exclusion(
            stage="source", reason="its files changed since they were examined", detail=candidate.location
        )
    fetched.tree.rename(target)
    return target


def _both_sides(
    candidate: Candidate, examined: Examined, tree: Path, bench: JobContext
) -> tuple[SidePair, Unpinning] | Exclusion:
    """Both sides, with something broken between them, and their environments on this machine."""
    name = safe_name(candidate.name.rpartition("/")[2])
    origin = Origin(
        kind=candidate.kind,
        location=candidate.location,
        revision=candidate.revision or None,
        version_hint=examined.version_hint,
    )
    project = Project(name=name, root=tree, origin=origin)
    old_project = dated_project(project, examined.old)
    old = set_up_old(bench, old_project)
    gone = old_is_not_green(old)
    if gone is not None or old is None:
        return gone or Exclusion(stage="tests", reason="no recipe runs its tests")
    unpinned = bench.scratch / "new"
    copy_tree(tree, unpinned)
    unpinning = unpin_tree(unpinned, requirements=requirement_files_of([old.recipe]))
    apply_unpinning(unpinning, unpinned)
    if any("\udc80" <= character <= "\udcff" for character in unpinning.patch):
        return Exclusion(stage="encoding", reason="a configuration file that is not UTF-8")
    new_project = unpinned_project(replace(project, root=unpinned), bench.plan.target)
    new = run_new(bench, new_project, old.recipe)
    gone = new_is_not_red(old, new)
    if gone is not None:
        return gone
    old_here = bench.with_environment_here(old_project, old)
    new_here = bench.with_environment_here(new_project, new)
    if old_here is None or new_here is None:
        stage: ExclusionStage = "old-environment" if old_here is None else "new-environment"
        return Exclusion(stage=stage, reason="the environment was built once and does not build again")
    pair = SidePair(
        origin=origin, old_project=old_project, new_project=new_project, old=old_here, new=new_here
    )
    return pair, unpinning


def _filter(pair: SidePair) -> _Found | Exclusion:
    """The four filters after execution (TimeMachine-bench, section 3, step 4), over what failed anew."""
    old, new, old_environment, new_environment = _ran(pair)
    before = {result.id for result in old.results if result.outcome.bad}
    changed = {result.id for result in new.results if result.outcome.bad} - before
    tree = pair.new_project.tree
    diagnosis = diagnose(new, new_environment, tree=tree, before=old_environment, only=changed)
    if diagnosis.filters:
        first = diagnosis.filters[0]
        detail = "\n".join(f"{reason.name.value}: {reason.why}" for reason in diagnosis.filters)
        reasons = {
            "timed-out": "the new run or one of its tests did not end",
            "cause-outside-user-code": "no line of the project is in the traceback of any error",
            "missing-top-level-module": "modules are missing that nothing installs",
            "only-tests-affected": "all failures lie in tests",
        }
        return Exclusion(stage=first.name.value, reason=reasons[first.name.value], detail=detail)
    clusters = clusters_of(old, new, environment=new_environment, before=old_environment, tree=tree)
    return _Found(clusters=clusters, related=diagnosis.related)


def _ran(pair: SidePair) -> tuple[SuiteRun, SuiteRun, Environment, Environment]:
    """The runs and environments of a pair that has them: those of the old side and of the new one."""
    assert pair.old.run is not None
    assert pair.new.run is not None
    assert pair.old.environment is not None
    assert pair.new.environment is not None
    return pair.old.run, pair.new.run, pair.old.environment, pair.new.environment


def _repeat(pair: SidePair, bench: JobContext) -> ProvenRoles:
    """Whole suites again, then what changed again and again: each run in a fresh sandbox."""
    plan = bench.plan
    old_run, new_run, old_environment, new_environment = _ran(pair)
    sides = {
        "old": (old_key(plan, pair.old_project), pair.old_project, old_environment, pair.old),
        "new": (
            new_key(plan, pair.new_project, pair.new.recipe),
            *(pair.new_project, new_environment, pair.new),
        ),
    }

    def again(name: str, number: int, only: tuple[str, ...] | None) -> SuiteRun:
        key, dated, environment, side = sides[name]
        return bench.run_cache.get_or_run(
            (key, only), lambda: bench.run(dated, environment, side.recipe, only=only), repeat=number
        )

    old = [old_run, *(again("old", number, None) for number in range(2, plan.repeats + 1))]
    new = [new_run, *(again("new", number, None) for number in range(2, plan.repeats + 1))]
    proven = judge_tests(old, new)
    changed = proven.of("fail-to-pass")
    more = range(plan.repeats + 1, plan.changed_repeats + 1) if changed else range(0)
    return without_flaky(
        proven,
        old_run,
        [again("old", number, changed) for number in more],
        [again("new", number, changed) for number in more],
    )


def _flaky(proven: ProvenRoles) -> str:
    return "\n".join(test.id for test in proven.tests if test.why == "flaky")[:4000]


def _conclude(
    candidate: Candidate,
    examined: Examined,
    pair: SidePair,
    unpinning: Unpinning,
    found: _Found,
    proven: ProvenRoles,
    bench: JobContext,
) -> Task:
    evidence = LaterRevisionEvidence(solvable=False, note="nobody looked for a later revision")
    if bench.plan.evidence:
        evidence = seek_evidence(
            bench, candidate, examined.revision, proven.of("fail-to-pass"), pair.new.recipe
        )
    culprits: tuple[KnownCulprit, ...] = ()
    notes: tuple[str, ...] = ()
    if bench.plan.culprits:
        with bench.clock("bisect"):
            culprits, notes = find_culprits(pair, proven.of("fail-to-pass"), bench)
    return make_task(
        TaskParts(
            candidate=candidate,
            examined=examined,
            plan=bench.plan,
            old=pair.old,
            new=pair.new,
            unpinning=unpinning.patch,
            proven=proven,
            clusters=found.clusters,
            related=found.related,
            evidence=evidence,
            culprits=culprits,
            notes=(*collect_notes(pair.old, pair.new), *notes),
        )
    )
