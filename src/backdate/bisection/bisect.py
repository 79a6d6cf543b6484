"""Since when tests fail, and because of what: a check, and then a search for each thing that broke.

``bisect_project`` is the walk: check; group what broke by cause; for each group find out whether the
interpreter or the packages matter, narrow the instant, find the culprit, and confirm it both ways.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Unpack

from backdate.advice import Advice, SeenEdit
from backdate.advising.uses import uses_in
from backdate.bisection.advise import BreakageAdvice
from backdate.bisection.attribution import Attribution
from backdate.bisection.build_trials import BuildTrials
from backdate.bisection.builds_axis import attribute_build
from backdate.bisection.builds_search import BuildSearch, ranged_names
from backdate.bisection.caught import caught_of, explained_by, with_caught
from backdate.bisection.changed_code_runs import ChangedCodeReader
from backdate.bisection.explained import Explained, met_elsewhere
from backdate.bisection.explanations.collect import ExplanationCollector, LoggedSide
from backdate.bisection.followers import without_followers
from backdate.bisection.index_releases import releases_on_index, releases_shown
from backdate.bisection.interpreter_axis import first_asked
from backdate.bisection.limits_now import limits_seen, working_limits
from backdate.bisection.one_cause import Attributed
from backdate.bisection.points import candidate_instants, count_candidates, moving_range
from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure, probe_failure
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import Target
from backdate.bisection.progress import BisectionAdvanced
from backdate.bisection.refuted import without_refuted
from backdate.bisection.result import BisectResult, CheckSummary, Finding
from backdate.bisection.search_watch import SearchWatch
from backdate.bisection.suspects import CalledDistributions
from backdate.bisection.targets import targets_of
from backdate.checking.check import check_project
from backdate.checking.options import SideKeywords
from backdate.checking.question import Question
from backdate.checking.resources import Resources, require_new_folder
from backdate.checking.result import CheckResult, Side, Verdict
from backdate.checking.sides import SidePair, pair_of_check, verdict_of
from backdate.errors import BackdateError
from backdate.mining.between import ReleasesBetween
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.recipes.loosening import limits_of_no_file
from backdate.sandboxes.threads import both
from backdate.serial import to_json, write_whole
from backdate.testing.outcomes import Frame
from backdate.timeline.instants import now
from backdate.version import __version__

EditTrial = Callable[[CheckResult, Path], SeenEdit | None]
"""Looks for an edit with which tests pass that a check, whose trees are in that folder, saw break."""


def bisect_project(
    resources: Resources,
    source: str | Path,
    *,
    question: Question = Question.DECLARED,
    tests: Sequence[str] = (),
    explanations: bool = True,
    first: bool = False,
    keep: Path | None = None,
    edit_trial: EditTrial | None = None,
    progress: Reporter = NO_PROGRESS,
    **sides: Unpack[SideKeywords],
) -> BisectResult:
    """Since when and because of what tests of the project that ``source`` names fail.

    The parameters are those of ``check``, which runs first. Where nothing broke with the project's own
    bounds, a note says what does without them. ``tests``: ids to which the search is
    limited; all that broke when empty. ``explanations``: whether warnings, changelogs and changed names
    of culprits are collected, which takes another test run and a download for each. ``first``: whether the
    first culprit is enough. Whoever is interrupted has what is known so far in the last ``BisectionAdvanced``
    that was reported, and in a ``SearchNarrowed`` after it. Raises UsageError also for a test that the old
    side does not have.
    """
    started, clock, keep = now(), time.monotonic(), keep or resources.settings.keep
    if keep is not None:
        require_new_folder(keep)
    folder = resources.run_folder("bisect", started, keep)
    check = partial(check_project, resources, source, progress=progress)
    try:
        checked = check(question=question, keep=folder, **sides)
        result = bisect_sides(
            resources,
            pair_of_check(checked, folder, sides.get("locked")),
            folder=folder,
            tests=tests,
            progress=progress,
            explanations=explanations,
            first=first,
        )
        if edit_trial is not None and result.verdict is Verdict.BROKE and result.ending == "complete":
            result = _with_edit(result, partial(edit_trial, checked, folder), progress)
        if question is Question.DECLARED and checked.verdict is Verdict.NOTHING_BROKE:
            sides.update({"from_instant": checked.old.instant, "to_instant": checked.new.instant})
            lifted = check(question=Question.LIFTED, keep=folder / "lifted", **sides)
            notes = (*result.notes, *_of_lifted(lifted))
            result = replace(result, notes=notes, beyond_bounds=lifted.verdict)
    finally:
        if keep is None:
            for name in ("old", "new", "lifted/old", "lifted/new"):
                shutil.rmtree(folder / name / "tree", ignore_errors=True)
    summary = replace(result.check, start=checked.start)
    result = replace(result, check=summary, started=started, duration_s=time.monotonic() - clock)
    write_whole(folder / "bisection.json", to_json(result, indent=2))
    return result


def _with_edit(
    result: BisectResult, trial: Callable[[], SeenEdit | None], progress: Reporter
) -> BisectResult:
    """``result`` with what ``trial`` finds; whoever interrupts it has all but that."""
    interrupted = replace(result, ending="interrupted")
    progress.report(BisectionAdvanced(partial=interrupted, done=len(result.findings), remaining=0))
    progress.report(Activity(text="looking for an edit with which these tests pass"))
    try:
        edit = trial()
    except BackdateError as error:  # what was found holds all the same
        return replace(result, notes=(*result.notes, f"looking for an edit failed: {error}"))
    return replace(result, advice=replace(result.advice, edit=edit), edit_tried=True)


def _of_lifted(lifted: CheckResult) -> tuple[str, ...]:
    """What to say where nothing broke for users: whether it would without the project's own bounds."""
    if lifted.verdict is Verdict.NOTHING_BROKE:
        return ()
    return (f"with its own bounds lifted: {lifted.reason}; --as lifted searches for why",)


def bisect_sides(
    resources: Resources,
    pair: SidePair,
    *,
    folder: Path,
    tests: Sequence[str] = (),
    progress: Reporter = NO_PROGRESS,
    explanations: bool = True,
    first: bool = False,
) -> BisectResult:
    """As ``bisect_project``, for two sides that were run already: nothing is fetched or built for them again,
    and only the tests that broke run again, alone.

    ``folder`` gets the logs. ``resources``: those that the environments of the sides come from.
    """
    started, clock = now(), time.monotonic()
    result = BisectResult(
        backdate=__version__,
        check=_summary(pair),
        findings=(),
        builds=0,
        environments=0,
        runs=0,
        started=started,
        duration_s=0.0,
        folder=folder,
    )
    if build_broke(pair) and not tests:
        result = _search_build(result, pair, resources, progress)
        return replace(result, duration_s=time.monotonic() - clock)
    targets = targets_of(pair, tests)
    if not targets or pair.old.environment is None or pair.new.environment is None:
        note = "none of the tests that were asked for broke"
        broke = result.check.verdict is Verdict.BROKE
        result = replace(result, notes=(note,)) if tests and broke else result
    else:
        watch = SearchWatch(base=result, progress=progress, first=first)
        result = _search(result, pair, targets, resources, watch, explanations=explanations)
    return replace(result, duration_s=time.monotonic() - clock)


def _summary(pair: SidePair) -> CheckSummary:
    """The result of a check of the two sides."""
    verdict, reason = verdict_of(pair)
    return CheckSummary(
        project=pair.old_project.name,
        origin=pair.origin,
        question=pair.question,
        verdict=verdict,
        reason=reason,
        old_instant=pair.old.instant,
        new_instant=pair.new.instant,
        old_python=pair.old.choice.interpreter.version,
        new_python=pair.new.choice.interpreter.version,
        broke=len(pair.comparison.broke) if pair.comparison else 0,
        unstated=limits_of_no_file(pair.new.recipe),
    )


def _search(
    result: BisectResult,
    pair: SidePair,
    targets: Sequence[Target],
    resources: Resources,
    watch: SearchWatch,
    *,
    explanations: bool,
) -> BisectResult:
    progress = watch.progress
    watch.begin(targets)
    assert pair.old.environment is not None
    assert pair.new.environment is not None
    with ProbeRunner(
        resources,
        ProbeBuilder(resources.builder, by_pip=bool(pair.new.environment.installer)),
        (pair.old, pair.old_request),
        (pair.new, pair.new_request),
        tests=[test for target in targets for test in target.tests],
        folder=result.folder / "probes",
        progress=progress,
    ) as probe_runner:
        progress.report(Activity(text="running the tests that broke alone, in both environments"))
        probe_runner.expect(first_asked(pair.old.choice, pair.new.choice, pair.new.instant))
        ranges = moving_range(pair.old.environment.lock, pair.new.environment.lock)
        progress.report(Activity(text=f"asking the index when {len(ranges)} distributions were released"))
        (old, new), (releases, notes) = both(
            probe_runner.sides, lambda: releases_on_index(ranges, resources.index)
        )
        attribution = Attribution(
            probe_runner,
            old=old,
            new=new,
            releases=releases,
            instants=candidate_instants(releases, ranges, pair.old.instant, pair.new.instant),
            candidates=count_candidates(releases, ranges, pair.new.instant),
            available=resources.interpreters.available,
            called=CalledDistributions(pair.new.environment, pair.new_project.tree),
        )
        progress.report(Activity(text="looking behind errors that name nothing"))
        targets = with_caught(targets, probe_runner, old, new, pair)
        attributed = attribution.attribute(targets, watch.found)
        findings, advice = _advised(
            attributed, pair, probe_runner, resources, progress, explanations=explanations
        )
    findings.sort(key=lambda finding: -len(finding.tests))
    return replace(
        result,
        findings=tuple(findings),
        advice=advice,
        unattributed=(*probe_runner.refused.values(), *attribution.refused),
        releases=releases_shown(findings, releases, pair),
        builds=probe_runner.builds,
        environments=probe_runner.environments,
        most_environments=probe_runner.most_environments,
        ending=watch.ending,
        not_searched=watch.not_searched,
        runs=probe_runner.runs,
        notes=(*pair.notes, *notes, *_limit_notes(probe_runner)),
    )


def _advised(
    attributed: Sequence[Attributed],
    pair: SidePair,
    probe_runner: ProbeRunner,
    resources: Resources,
    progress: Reporter,
    *,
    explanations: bool,
) -> tuple[list[Finding], Advice]:
    """The findings, with what explains them where that is wanted, and what to do about them."""
    newest = pair.new.environment
    assert newest is not None
    bad = [None if one.bad is None else probe_runner.environment_of(one.bad) for one in attributed]
    attributed = [
        replace(one, finding=without_followers(one.finding, first_bad or newest, one.target.suspects))
        for one, first_bad in zip(attributed, bad, strict=True)  # later releases may require other ones
    ]
    python, probed = pair.new.choice.interpreter.version, probe_runner.probed_at(pair.new.instant)
    attributed = without_refuted(attributed, probed, newest_python=python)
    findings = [cause.finding for cause in attributed]
    seen = limits_seen(probed, python)
    advice = Advice(now=working_limits(findings, seen, newest_python=python))
    if not explanations:
        return findings, advice
    progress.report(Activity(text="collecting warnings, changelogs and changed names of the culprits"))
    uses = uses_in(pair.new_project.tree)
    old_side, new_side = _logged(pair.old, pair.old_request.at), _logged(pair.new, pair.new_request.at)
    collector = ExplanationCollector(probe_runner, resources, uses, old_side, new_side)
    findings, explained = _explained(attributed, collector, probe_runner)
    releases = ReleasesBetween(
        index=lambda: resources.index,
        folder=resources.cache.folder / "announcements",
        until=pair.new.instant,
    )
    advising = BreakageAdvice(
        resources.sandbox,
        collector,
        pair,
        uses,
        cache=resources.cache,
        releases=releases,
        changed_code=ChangedCodeReader(probe_runner, pair, collector.quoted_for),
    )
    return findings, replace(advising.advice(explained), now=advice.now)


def _explained(
    attributed: Sequence[Attributed], collector: ExplanationCollector, probe_runner: ProbeRunner
) -> tuple[list[Finding], list[Explained]]:
    """The findings with what explains them, and those that have a culprit with what they rest on."""
    findings: list[Finding] = []
    explained: list[Explained] = []
    for one in attributed:
        behind = explained_by(one)
        told = [(each, collector.with_explanations(each)) for each in behind or (one,)]
        caught = caught_of(one)
        findings.append(replace(one.finding, caught=caught, explanations=told[0][1].explanations))
        explained += [
            Explained(
                finding=replace(finding, caught=caught),
                cause=each.target.cause,
                good=good,
                also_at=_also_at(each),
                neighbours=(one.good, one.bad) if one.bad is not None else None,
            )
            for each, finding in told
            if finding.culprits
            and one.good is not None
            and (good := probe_runner.environment_of(one.good)) is not None
        ]
    return findings, explained


def _also_at(attributed: Attributed) -> tuple[Frame, ...]:
    if attributed.bad is None:
        return ()
    return met_elsewhere(attributed.finding.tests, attributed.target.key, attributed.bad.errors)


def _logged(side: Side, at: str) -> LoggedSide | None:
    if side.run is None or side.environment is None:
        return None
    return LoggedSide(log=side.run.log, root=at, folders=side.environment.roots)


def _limit_notes(probe_runner: ProbeRunner) -> tuple[str, ...]:
    if not probe_runner.exhausted:
        return ()
    most = probe_runner.most_environments
    note = f"the {most} environments that all causes of one bisection may take were not enough"
    return (f"{note}: --test searches for the cause of one test alone",)


def build_broke(pair: SidePair) -> bool:
    """Whether what broke is the build: it was good, and the newest does not resolve or install."""
    failure = pair.new.failure
    good = pair.old.run is not None and any(result.outcome.good for result in pair.old.run.results)
    return good and failure is not None and failure.phase in ("resolve", "install")


def _search_build(
    result: BisectResult, pair: SidePair, resources: Resources, progress: Reporter
) -> BisectResult:
    """What broke the build of the newest side."""
    assert pair.old.environment is not None
    assert pair.new.failure is not None
    probe_builder, request = ProbeBuilder(resources.builder), pair.new_request
    failure = probe_failure(pair.new.failure)
    lock = probe_builder.resolve(request, older_tools=False)
    names = ranged_names(
        pair.old.environment.lock, None if isinstance(lock, ProbeFailure) else lock, pair.new_project.tree
    )
    progress.report(Activity(text=f"asking the index when {len(names)} distributions were released"))
    releases, notes = releases_on_index(names, resources.index)
    trials = BuildTrials(probe_builder, request, failure, progress)
    finding = attribute_build(
        BuildSearch(
            trials=trials,
            old=pair.old.choice,
            new=pair.new.choice,
            available=resources.interpreters.available,
            start=pair.old.instant,
            end=pair.new.instant,
            failure=failure,
            releases=releases,
            ranged=tuple(name for name in names if name in releases),
        )
    )
    return replace(
        result,
        findings=(finding,),
        advice=Advice(now=working_limits([finding])),
        releases=releases_shown([finding], releases, pair),
        builds=probe_builder.builds,
        environments=trials.environments,
        notes=(*pair.notes, *notes),
    )
