"""``set_up``: a project at an instant, set up without help, and proven by its own tests."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.checking.attempts import Attempt
from backdate.checking.compare import Counts
from backdate.checking.dated_project import dated_project
from backdate.checking.loop import Loop
from backdate.checking.loop_backend import ProjectBackend
from backdate.checking.recipe_run import RecipeRun, notes_of
from backdate.checking.resources import Resources, require_new_folder
from backdate.checking.settings import SetupOptions
from backdate.checking.setup_class import FailedTests, SetupClass, failed_tests
from backdate.checking.setup_result import SetupResult
from backdate.checking.starting_recipes import StartingRecipes, keep_proven, starting_recipes
from backdate.errors import SourceError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.absent_files import absence_notes, absent_files
from backdate.projects.project import Project
from backdate.recipes.recipe import SkipKind, SkippedInstruction
from backdate.recipes.repair.error_class import ErrorClass
from backdate.serial import to_json, write_whole
from backdate.text import counted
from backdate.timeline.instants import Instant, now, require_past
from backdate.version import __version__


class SetupInterrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM came: ``result`` has what was tried until then."""

    def __init__(self, result: SetupResult) -> None:
        super().__init__()
        self.result = result


def set_up_project(
    resources: Resources,
    source: str | Path,
    *,
    instant: Instant | None = None,
    python: str | None = None,
    options: SetupOptions | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
) -> SetupResult:
    """Find how the project is installed and tested as of ``instant``, and prove it by its own tests.

    ``instant``: None for the commit's committer date or the sdist's upload time. ``python``: "3.8" or
    "3.8.18" instead of what the project says. ``keep``: where the logs are kept. Raises StoredDataError
    also for a damaged store of recipes, SetupInterrupted with what was tried on Ctrl-C and its like.
    """
    options, keep = options or SetupOptions(), keep or resources.settings.keep
    if keep is not None:
        require_new_folder(keep)
    if instant is not None:
        require_past(instant)
    started, clock = now(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
        progress.report(Activity(text=f"opening {source}"))
        project = resources.open_project(source, Path(temporary), before=instant)
        at = instant or _dated(project)
        dated = dated_project(project, at, python=python)
        if options.adviser_at is not None:
            options = replace(options, adviser=options.adviser_at(at))
        folder = resources.run_folder(f"setup-{project.name}", started, keep)
        backend = ProjectBackend(
            dated=dated,
            resources=resources,
            folder=folder,
            progress=progress,
            absent=absent_files(project),
            of_sdist=project.origin.kind == "sdist",
        )
        starting = starting_recipes(project, dated, resources, options)
        loop = Loop(backend, options, dated.tree, progress=progress)
        interrupted: KeyboardInterrupt | None = None
        try:
            best = loop.run(starting.starts)
        except KeyboardInterrupt as interruption:
            best, interrupted = loop.best(), interruption
        if best is not None and best.proven and resources.settings.store:
            keep_proven(project, best.recipe_run, at, resources)
    result = _result(project, at, options, starting, loop, best, started, folder, time.monotonic() - clock)
    if interrupted is not None:
        result = replace(result, interrupted=True, reason=_reason_of_interrupted(result))
    write_whole(folder / "setup.json", to_json(result, indent=2))
    if interrupted is not None:
        raise SetupInterrupted(result) from interrupted
    return result


def _dated(project: Project) -> Instant:
    if project.origin.dated is None:
        raise SourceError(
            f"{project.origin.location} has no commit that dates it; say as of when: --at 2021-03-01"
        )
    return project.origin.dated


def _result(
    project: Project,
    at: Instant,
    options: SetupOptions,
    starting: StartingRecipes,
    loop: Loop,
    best: Attempt | None,
    started: Instant,
    folder: Path,
    duration_s: float,
) -> SetupResult:
    recipe_run = best.recipe_run if best is not None else None
    return SetupResult(
        backdate=__version__,
        project=project.name,
        origin=project.origin,
        instant=at,
        setup_class=best.record.setup_class if best is not None else SetupClass.NOT_PROVEN,
        reason=_reason(best, options.accept, starting.extraction.skipped),
        accept=options.accept,
        recipe=recipe_run.recipe if recipe_run is not None else None,
        choice=recipe_run.choice if recipe_run is not None else None,
        environment=recipe_run.environment if recipe_run is not None else None,
        failure=recipe_run.failure if recipe_run is not None else None,
        run=recipe_run.run if recipe_run is not None else None,
        counts=best.record.counts if best is not None else Counts(),
        outside=best.assessment.outside if best is not None else 0,
        defined=best.assessment.defined if best is not None else 0,
        covered=best.assessment.covered if best is not None else 0,
        failures=_failures(best, loop),
        error=best.record.error if best is not None else ErrorClass.NO_TESTS,
        repairs=best.repairs if best is not None else (),
        attempts=tuple(attempt.record for attempt in loop.tried),
        skipped=starting.extraction.skipped,
        notes=(*absence_notes(project), *starting.notes, *_notes(recipe_run), *loop.hints),
        advice=options.adviser.consultation if options.adviser is not None else None,
        started=started,
        duration_s=duration_s,
        folder=folder,
    )


def _failures(best: Attempt | None, loop: Loop) -> tuple[FailedTests, ...]:
    """What failed in the best attempt: its tests by class and cause, or the build of its environment."""
    if best is None:
        return ()
    record, run = best.record, best.recipe_run.run
    if run is not None and any(result.outcome.bad for result in run.results):
        return failed_tests(run, apt=loop.backend.apt, absent=best.absent)
    if record.error is None:
        return ()
    return (FailedTests(error=record.error, line=record.message, tests=(), help=record.help),)


def _notes(recipe_run: RecipeRun | None) -> tuple[str, ...]:
    if recipe_run is None:
        return ()
    return notes_of(recipe_run.recipe, recipe_run.choice, recipe_run.environment, recipe_run.run)


def _reason_of_interrupted(result: SetupResult) -> str:
    if not result.attempts:
        return "ended before the first attempt was done"
    return f"ended after {counted(len(result.attempts), 'attempt')}; the best so far: {result.reason}"


def _reason(best: Attempt | None, accept: float, skipped: Sequence[SkippedInstruction]) -> str:
    if best is None:
        unread = next((skip.reason for skip in skipped if skip.kind is SkipKind.METADATA), "")
        why = f"; its metadata cannot be read, without which none are looked for: {unread}" if unread else ""
        return f"no tests were found in the project, so that nothing can be proven{why}"
    counts = best.record.counts
    share = f"{counts.passed} of {counts.ran} tests that ran pass"
    if best.record.setup_class is SetupClass.PROVEN_BUT_OUTSIDE:
        others = counted(best.assessment.outside, "test wants", "tests want")
        return f"{share}; {others} the network, a service or files that the source lacks"
    if best.proven:
        return share
    if best.weak:
        return f"{share}, but {best.record.message}"
    if best.record.reached != "tests":
        return f"no environment could be built ({best.record.reached}): {best.record.message}"
    wanted = f", {accept:.0%} are wanted"
    return f"{share}{wanted}: {best.record.message}" if counts.ran else f"no test ran: {best.record.message}"
