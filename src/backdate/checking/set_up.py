"""``set_up``: a project at an instant, set up without help, and proven by its own tests."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from backdate.checking.loop import Attempt, Loop
from backdate.checking.loop_backend import ProjectBackend, index_names
from backdate.checking.means import means_of
from backdate.checking.notes import notes_of
from backdate.checking.options import SetupOptions
from backdate.checking.recipe_run import RecipeRun, dated_project
from backdate.checking.run_folders import require_new_folder, run_folder
from backdate.checking.settings import Settings
from backdate.checking.setup_result import SetupResult
from backdate.checking.starting_recipes import StartingRecipes, keep_proven, starting_recipes
from backdate.checking.validation import Counts
from backdate.environments.cache import Cache
from backdate.errors import SourceError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.project import Project
from backdate.projects.sources.open import open_source
from backdate.recipes.recipe import SkippedInstruction
from backdate.recipes.repair.error_class import ErrorClass
from backdate.sandboxes.choose import choose_sandbox
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, now, require_past
from backdate.version import __version__

_MOST_MISSING = 5


def set_up(
    source: str | Path,
    *,
    instant: Instant | None = None,
    python: str | None = None,
    options: SetupOptions | None = None,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> SetupResult:
    """Find how the project that ``source`` names is installed and tested as of ``instant``, and prove it.

    ``source``: a folder, ``GIT-URL[@REV]`` or ``pypi:NAME[==VERSION]``. ``instant``: None for the commit's
    committer date or the sdist's upload time. ``python``: "3.8" or "3.8.18" instead of what the project says.

    What the project does is in the result. Raises UsageError for sources and instants that cannot be,
    MachineError for what this machine lacks, StoredDataError for a damaged store of recipes.
    """
    options, settings = options or SetupOptions(), settings or Settings()
    if settings.keep is not None:
        require_new_folder(settings.keep)
    sandbox = choose_sandbox(settings.sandbox)
    sandbox.require()
    if instant is not None:
        require_past(instant)
    cache = Cache(settings.cache)
    started, clock = now(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary, ExitStack() as stack:
        progress.report(Activity(text=f"opening {source}"))
        project = open_source(
            str(source),
            workdir=Path(temporary),
            index_url=settings.index_url,
            cache=cache.downloads,
            index_cache=cache.index,
            before=instant,
        )
        at = instant or _dated(project)
        ground = dated_project(project, at, python=python)
        if options.adviser_at is not None:
            options = replace(options, adviser=options.adviser_at(at))
        folder = settings.keep or run_folder(cache.folder, f"setup-{project.name}", started)
        folder.mkdir(parents=True, exist_ok=True)
        backend = ProjectBackend(
            ground=ground,
            means=means_of(settings, cache, sandbox),
            folder=folder,
            names=index_names(settings, cache, stack),
            progress=progress,
        )
        beginning = starting_recipes(project, ground, cache, settings, options)
        loop = Loop(backend, options, ground.tree)
        best = loop.run(beginning.starts)
        if best is not None and best.proven and settings.store:
            keep_proven(project, best.recipe_run, at, cache)
    result = _result(project, at, options, beginning, loop, best, started, folder, time.monotonic() - clock)
    write_whole(folder / "setup.json", to_json(result, indent=2))
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
    beginning: StartingRecipes,
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
        proven=best is not None and best.proven,
        reason=_reason(best, options.accept, beginning.extraction.skipped),
        accept=options.accept,
        recipe=recipe_run.recipe if recipe_run is not None else None,
        choice=recipe_run.choice if recipe_run is not None else None,
        environment=recipe_run.environment if recipe_run is not None else None,
        failure=recipe_run.failure if recipe_run is not None else None,
        run=recipe_run.run if recipe_run is not None else None,
        counts=best.attempt.counts if best is not None else Counts(),
        error=best.attempt.error if best is not None else ErrorClass.NO_TESTS,
        repairs=best.repairs if best is not None else (),
        attempts=tuple(one.attempt for one in loop.tried),
        skipped=beginning.extraction.skipped,
        notes=(*_left_out(project), *beginning.notes, *_notes(recipe_run), *loop.hints),
        advice=options.adviser.consultation if options.adviser is not None else None,
        started=started,
        duration_s=duration_s,
        folder=folder,
    )


def _left_out(project: Project) -> tuple[str, ...]:
    """What of the source is not in the tree."""
    missing = project.origin.missing
    more = f" and {len(missing) - _MOST_MISSING} more" if len(missing) > _MOST_MISSING else ""
    return (f"not in the tree: {', '.join(missing[:_MOST_MISSING])}{more}",) if missing else ()


def _notes(recipe_run: RecipeRun | None) -> tuple[str, ...]:
    if recipe_run is None:
        return ()
    return notes_of(recipe_run.recipe, recipe_run.choice, recipe_run.environment, recipe_run.run)


def _reason(best: Attempt | None, accept: float, skipped: Sequence[SkippedInstruction]) -> str:
    if best is None:
        unread = next((one.reason for one in skipped if one.provenance.rule == "the project's metadata"), "")
        why = f"; its metadata cannot be read, without which none are looked for: {unread}" if unread else ""
        return f"no tests were found in the project, so that nothing can be proven{why}"
    counts = best.attempt.counts
    share = f"{counts.passed} of {counts.ran} tests that ran pass"
    if best.proven:
        return share
    if best.attempt.reached != "tests":
        return f"no environment could be built ({best.attempt.reached}): {best.attempt.message}"
    wanted = f", {accept:.0%} are wanted"
    return (
        f"{share}{wanted}: {best.attempt.message}" if counts.ran else f"no test ran: {best.attempt.message}"
    )
