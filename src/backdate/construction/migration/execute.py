"""Steps 2 to 4 of one candidate: set up, both environments, both runs, filters, repeats, evidence, the task.

Every step may exclude the candidate; the first that does is the answer. Finished runs are kept in the
store, so that a job that is started again repeats at most the step that was running.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from backdate.bisection.at_hand import AtHand
from backdate.checking.loosening import requirement_files_of
from backdate.checking.recipe_run import DatedProject
from backdate.checking.result import Side
from backdate.checking.verdict import collect_notes
from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.fetch import fetch, limits_of
from backdate.construction.migration.culprits import find_culprits
from backdate.construction.migration.evidence import LaterRevisionEvidence, seek_evidence
from backdate.construction.migration.examine import Examined
from backdate.construction.migration.side_filters import new_is_not_red, old_is_not_green
from backdate.construction.migration.sides import (
    JobContext,
    new_ground,
    new_key,
    old_ground,
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
from backdate.projects.project import Origin
from backdate.projects.sources.tree import safe_name
from backdate.projects.tree import copy_tree, tree_digest
from backdate.projects.unpinning import Unpinning, apply_unpinning, unpin_tree
from backdate.serial import digest
from backdate.tasks.roles import ProvenRoles, judge_tests, without_flaky
from backdate.tasks.task import KnownCulprit, MigrationTask
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Both sides, built and run, with something broken between them."""

    old_tree: DatedProject
    new_tree: DatedProject
    unpinning: Unpinning
    old: Side
    new: Side
    old_run: SuiteRun
    new_run: SuiteRun
    old_live: Environment
    new_live: Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Why the new side fails."""

    clusters: tuple[Cluster, ...]
    related: tuple[str, ...]


def execute(candidate: Candidate, examined: Examined, bench: JobContext) -> MigrationTask | Exclusion:
    """The task that the candidate makes, or why it makes none."""
    with bench.clock("fetch"):
        tree = _tree(candidate, examined, bench)
    if isinstance(tree, Exclusion):
        return tree
    try:
        pair = _both_sides(candidate, examined, tree, bench)
    except InterpreterMissing as error:
        return Exclusion(
            stage="interpreter", reason="an interpreter is not on this machine", detail=str(error)
        )
    if isinstance(pair, Exclusion):
        return pair
    found = _filter(pair)
    if isinstance(found, Exclusion):
        return found
    proven = _repeat(pair, bench)
    failing = proven.of("fail-to-pass")
    if not failing:
        return Exclusion(stage="flaky", reason="no test fails in every repeat", detail=_flaky(proven))
    return _conclude(candidate, examined, pair, found, proven, bench)


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


def _both_sides(candidate: Candidate, examined: Examined, tree: Path, bench: JobContext) -> _Pair | Exclusion:
    name = safe_name(candidate.name.rpartition("/")[2])
    old_tree = old_ground(name, tree, examined.old, examined.version_hint)
    old = set_up_old(bench, old_tree)
    gone = old_is_not_green(old)
    if gone is not None or old is None:
        return gone or Exclusion(stage="tests", reason="no recipe runs its tests")
    unpinned = bench.scratch / "new"
    copy_tree(tree, unpinned)
    unpinning = unpin_tree(unpinned, requirements=requirement_files_of([old.recipe]))
    apply_unpinning(unpinning, unpinned)
    if any("\udc80" <= character <= "\udcff" for character in unpinning.patch):
        return Exclusion(stage="encoding", reason="a configuration file that is not UTF-8")
    new_tree = new_ground(name, unpinned, bench.plan.target, examined.version_hint)
    new = run_new(bench, new_tree, old.recipe)
    gone = new_is_not_red(old, new)
    if gone is not None:
        return gone
    old_live, new_live = bench.live(old_tree, old), bench.live(new_tree, new)
    if old_live is None or new_live is None or old.run is None or new.run is None:
        stage = "old-environment" if old_live is None else "new-environment"
        return Exclusion(stage=stage, reason="the environment was built once and does not build again")
    return _Pair(
        old_tree=old_tree,
        new_tree=new_tree,
        unpinning=unpinning,
        old=old,
        new=new,
        old_run=old.run,
        new_run=new.run,
        old_live=old_live,
        new_live=new_live,
    )


def _filter(pair: _Pair) -> _Found | Exclusion:
    """The four filters after execution (TimeMachine-bench, section 3, step 4), over what failed anew."""
    before = {result.id for result in pair.old_run.results if result.outcome.bad}
    changed = {result.id for result in pair.new_run.results if result.outcome.bad} - before
    said = diagnose(pair.new_run, pair.new_live, tree=pair.new_tree.tree, before=pair.old_live, only=changed)
    if said.filters:
        first = said.filters[0]
        detail = "\n".join(f"{one.name.value}: {one.why}" for one in said.filters)
        reasons = {
            "timed-out": "the new run or one of its tests did not end",
            "cause-outside-user-code": "no line of the project is on the way to any error",
            "missing-top-level-module": "modules are missing that nothing installs",
            "only-tests-affected": "all failures lie in tests",
        }
        return Exclusion(stage=first.name.value, reason=reasons[first.name.value], detail=detail)
    clusters = clusters_of(
        pair.old_run, pair.new_run, environment=pair.new_live, before=pair.old_live, tree=pair.new_tree.tree
    )
    return _Found(clusters=clusters, related=said.related)


def _repeat(pair: _Pair, bench: JobContext) -> ProvenRoles:
    """Whole suites again, then what changed again and again: each run in a fresh sandbox."""
    plan = bench.plan
    keys = {
        "old": old_key(plan, pair.old_tree),
        "new": new_key(plan, pair.new_tree, pair.new.recipe),
    }
    sides = {
        "old": (pair.old_tree, pair.old_live, pair.old),
        "new": (pair.new_tree, pair.new_live, pair.new),
    }

    def again(name: str, number: int, only: tuple[str, ...] | None) -> SuiteRun:
        tree, live, side = sides[name]
        key = digest(keys[name], only)
        return bench.kept_run(key, number, lambda: bench.run(tree, live, side.recipe, only=only))

    old = [pair.old_run, *(again("old", number, None) for number in range(2, plan.repeats + 1))]
    new = [pair.new_run, *(again("new", number, None) for number in range(2, plan.repeats + 1))]
    proven = judge_tests(old, new)
    changed = proven.of("fail-to-pass")
    more = range(plan.repeats + 1, plan.changed_repeats + 1) if changed else range(0)
    return without_flaky(
        proven,
        pair.old_run,
        [again("old", number, changed) for number in more],
        [again("new", number, changed) for number in more],
    )


def _flaky(proven: ProvenRoles) -> str:
    return "\n".join(test.id for test in proven.tests if test.why == "flaky")[:4000]


def _at_hand(candidate: Candidate, pair: _Pair) -> AtHand:
    """The two sides for a bisection, with the environments of this machine."""
    return AtHand(
        origin=Origin(kind=candidate.kind, location=candidate.location, revision=candidate.revision or None),
        old=replace(pair.old, environment=pair.old_live, choice=pair.old_live.choice),
        new=replace(pair.new, environment=pair.new_live, choice=pair.new_live.choice),
        old_ground=pair.old_tree,
        new_ground=pair.new_tree,
    )


def _conclude(
    candidate: Candidate,
    examined: Examined,
    pair: _Pair,
    found: _Found,
    proven: ProvenRoles,
    bench: JobContext,
) -> MigrationTask:
    evidence = LaterRevisionEvidence(solvable=False, note="nobody looked for a later revision")
    if bench.plan.evidence:
        evidence = seek_evidence(
            bench, candidate, examined.revision, proven.of("fail-to-pass"), pair.new.recipe
        )
    culprits: tuple[KnownCulprit, ...] = ()
    notes: tuple[str, ...] = ()
    if bench.plan.culprits:
        with bench.clock("bisect"):
            culprits, notes = find_culprits(_at_hand(candidate, pair), proven.of("fail-to-pass"), bench)
    return make_task(
        TaskParts(
            candidate=candidate,
            examined=examined,
            plan=bench.plan,
            old=pair.old,
            new=pair.new,
            unpinning=pair.unpinning.patch,
            proven=proven,
            clusters=found.clusters,
            related=found.related,
            evidence=evidence,
            culprits=culprits,
            notes=(*collect_notes(pair.old, pair.new), *notes),
        )
    )
