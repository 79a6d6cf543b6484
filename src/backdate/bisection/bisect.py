"""Since when tests fail, and because of what: a check, and then a search for each thing that broke.

``bisect`` is the walk: check; group what broke by cause; for each group find out whether the interpreter or
the packages matter, narrow the instant, find the culprit, and confirm it both ways.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import backdate
from backdate.bisection.at_hand import AtHand, of_check
from backdate.bisection.attribution import Attribution, one_for_each_cause
from backdate.bisection.build_trials import BuildTrials
from backdate.bisection.builds_axis import attribute_build
from backdate.bisection.builds_search import BuildSearch, ranged_names
from backdate.bisection.explanations.collect import ExplanationCollector
from backdate.bisection.interpreter_axis import first_asked
from backdate.bisection.points import (
    DistributionRelease,
    candidate_instants,
    count_candidates,
    moving_range,
    releases_between,
    releases_of,
)
from backdate.bisection.probe_builder import ProbeBuilder, words_of
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import Target
from backdate.bisection.result import BisectResult, Finding
from backdate.bisection.targets import targets_of
from backdate.checking.check import check
from backdate.checking.interpreters import Interpreters
from backdate.checking.result import Verdict
from backdate.checking.run_folders import run_folder
from backdate.checking.settings import Settings
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.errors import SourceError
from backdate.index.cache import DiskCache
from backdate.index.upstream import IndexClient
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.sources.listing import fetch_listing
from backdate.sandboxes import interruption
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.threads import both
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, now


def bisect(
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    tests: Sequence[str] = (),
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
    explanations: bool = True,
) -> BisectResult:
    """Since when and because of what tests of the project that ``source`` names fail.

    ``source``, the instants and ``python`` are those of ``check``, which is run first. ``tests``: ids to
    which the search is limited, all that broke when empty. ``explanations``: whether culprits are also asked
    what they say for themselves, which takes another test run and a download for each.

    What the project does is in the result; raises UsageError, also for a test that the old side does not
    have, and MachineError as ``check`` does.
    """
    settings = settings or Settings()
    started, clock = now(), time.monotonic()
    folder = settings.keep or run_folder(Cache(settings.cache).folder, "bisect", started)
    try:
        checked = check(
            source,
            from_instant=from_instant,
            to_instant=to_instant,
            python=python,
            settings=replace(settings, keep=folder),
            progress=progress,
        )
        result = bisect_sides(
            of_check(checked, folder),
            folder=folder,
            tests=tests,
            settings=settings,
            progress=progress,
            explanations=explanations,
        )
    finally:
        if settings.keep is None:
            for name in ("old", "new"):
                shutil.rmtree(folder / name / "tree", ignore_errors=True)
    result = replace(result, started=started, duration_s=time.monotonic() - clock)
    write_whole(folder / "bisection.json", to_json(result, indent=2))
    return result


def bisect_sides(
    at_hand: AtHand,
    *,
    folder: Path,
    tests: Sequence[str] = (),
    settings: Settings | None = None,
    builder: Builder | None = None,
    progress: Reporter = NO_PROGRESS,
    explanations: bool = True,
) -> BisectResult:
    """As ``bisect``, for two sides that are at hand: nothing is fetched or built for them again, and only the
    tests that broke are run again, alone.

    ``folder`` gets the logs. ``builder``: whose cache and sandbox the sides' environments come from; None for
    one of ``settings``. Raises as ``bisect`` does.
    """
    settings = settings or Settings()
    started, clock = now(), time.monotonic()
    result = BisectResult(
        backdate=backdate.__version__,
        check=at_hand.summary,
        findings=(),
        builds=0,
        environments=0,
        runs=0,
        started=started,
        duration_s=0.0,
        folder=folder,
    )
    if builder is None:
        sandbox = choose_sandbox(settings.sandbox)
        cache = Cache(settings.cache)
        builder = Builder(cache, sandbox, index_url=settings.index_url, limits=settings.build_limits)
    if build_broke(at_hand) and not tests:
        result = _search_build(result, at_hand, settings, builder, progress)
        return replace(result, duration_s=time.monotonic() - clock)
    targets = targets_of(at_hand, tests)
    if not targets or at_hand.old.environment is None or at_hand.new.environment is None:
        asked = "none of the tests that were asked for broke"
        broke = result.check.verdict is Verdict.BROKE
        result = replace(result, notes=(asked,)) if tests and broke else result
    else:
        result = _search(result, at_hand, targets, settings, builder, progress, explanations=explanations)
    return replace(result, duration_s=time.monotonic() - clock)


def _search(
    result: BisectResult,
    at_hand: AtHand,
    targets: Sequence[Target],
    settings: Settings,
    builder: Builder,
    progress: Reporter,
    *,
    explanations: bool,
) -> BisectResult:
    cache = builder.cache
    assert at_hand.old.environment is not None
    assert at_hand.new.environment is not None
    with ProbeRunner(
        ProbeBuilder(builder),
        (at_hand.old, at_hand.old_request),
        (at_hand.new, at_hand.new_request),
        tests=[test for target in targets for test in target.tests],
        limits=settings.test_limits,
        folder=result.folder / "probes",
        progress=progress,
    ) as probe_runner:
        progress.report(Activity(text="running the tests that broke alone, in both environments"))
        probe_runner.expect(first_asked(at_hand.old.choice, at_hand.new.choice, at_hand.new.instant))
        ranges = moving_range(at_hand.old.environment.lock, at_hand.new.environment.lock)
        progress.report(Activity(text=f"asking the index when {len(ranges)} distributions were released"))
        (old, new), (releases, notes) = both(
            probe_runner.sides, lambda: releases_on_index(ranges, settings.index_url, cache.index)
        )
        attribution = Attribution(
            probe_runner,
            old=old,
            new=new,
            releases=releases,
            instants=candidate_instants(releases, ranges, at_hand.old.instant, at_hand.new.instant),
            candidates=count_candidates(releases, ranges, at_hand.new.instant),
            available=Interpreters(cache.folder).available,
        )
        attributed = one_for_each_cause(attribution.attribute(targets))
        found = [one.finding for one in attributed]
        if explanations:
            progress.report(Activity(text="asking what the culprits say for themselves"))
            witnesses = ExplanationCollector(probe_runner, builder.sandbox, cache, settings.index_url)
            found = [witnesses.with_explanations(one) for one in attributed]
    findings = sorted(found, key=lambda one: -len(one.tests))
    return replace(
        result,
        findings=tuple(findings),
        refused=(*probe_runner.refused.values(), *attribution.refused),
        releases=_shown(findings, releases, at_hand),
        builds=probe_runner.builds,
        environments=probe_runner.environments,
        runs=probe_runner.runs,
        notes=(*at_hand.notes, *notes),
    )


def build_broke(at_hand: AtHand) -> bool:
    """Whether what broke is the build: it was good, and the newest does not resolve or install."""
    failure = at_hand.new.failure
    good = at_hand.old.run is not None and any(one.outcome.good for one in at_hand.old.run.results)
    return good and failure is not None and failure.phase in ("resolve", "install")


def _search_build(
    result: BisectResult, at_hand: AtHand, settings: Settings, builder: Builder, progress: Reporter
) -> BisectResult:
    """What broke the build of the newest side."""
    assert at_hand.old.environment is not None
    assert at_hand.new.failure is not None
    probe_builder, request = ProbeBuilder(builder), at_hand.new_request
    failure = words_of(at_hand.new.failure)
    lock = probe_builder.resolve(request, older_tools=False)
    names = ranged_names(
        at_hand.old.environment.lock, None if isinstance(lock, str) else lock, at_hand.new_ground.tree
    )
    progress.report(Activity(text=f"asking the index when {len(names)} distributions were released"))
    releases, notes = releases_on_index(names, settings.index_url, builder.cache.index)
    trials = BuildTrials(probe_builder, request, failure, progress)
    finding = attribute_build(
        BuildSearch(
            trials=trials,
            old=at_hand.old.choice,
            new=at_hand.new.choice,
            available=Interpreters(builder.cache.folder).available,
            start=at_hand.old.instant,
            end=at_hand.new.instant,
            failure=failure,
            releases=releases,
            ranged=tuple(name for name in names if name in releases),
        )
    )
    return replace(
        result,
        findings=(finding,),
        releases=_shown([finding], releases, at_hand),
        builds=probe_builder.builds,
        environments=trials.environments,
        notes=(*at_hand.notes, *notes),
    )


def releases_on_index(
    names: Iterable[str], index_url: str, pages: Path
) -> tuple[dict[str, tuple[DistributionRelease, ...]], tuple[str, ...]]:
    """The releases of each distribution, and a note for each of which the index does not know any more.

    Raises IndexUnavailable, also when the index gives no upload times.
    """
    found: dict[str, tuple[DistributionRelease, ...]] = {}
    notes: list[str] = []
    with IndexClient(upstreams=(index_url,), cache=DiskCache(pages)) as client:
        for name in names:
            try:
                # In a thread that others may end: a server that does not answer keeps nobody.
                listing = interruption.wait_for(partial(fetch_listing, client, name))
                found[name] = releases_of(name, listing)
            except SourceError:
                notes.append(f"{name} is not on the index any more: its releases are no instants to look at")
    return found, tuple(notes)


def _shown(
    findings: Sequence[Finding], releases: dict[str, tuple[DistributionRelease, ...]], at_hand: AtHand
) -> tuple[DistributionRelease, ...]:
    names = sorted({culprit.name for finding in findings for culprit in finding.culprits})
    return tuple(
        release
        for name in names
        for release in releases_between(releases.get(name, ()), None, None)
        if at_hand.old.instant < release.uploaded < at_hand.new.instant
    )
