"""The main move: a project at two instants, and what its own tests say in each.

``check`` is one walk: open the source, find its recipe, unpin a copy for the new side, carry the recipe
out on both sides side by side, compare. It prints nothing; progress is told to an injected object.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.checking.compare import compare_locks, compare_runs
from backdate.checking.loosening import requirement_files_of
from backdate.checking.means import means_of
from backdate.checking.recipe_run import DatedProject, dated_project
from backdate.checking.result import CheckResult, Comparison
from backdate.checking.run_folders import require_new_folder, run_folder
from backdate.checking.settings import Settings
from backdate.checking.sides import Both, Pair, carry_out_both
from backdate.checking.starting_recipes import starting_recipes
from backdate.checking.verdict import collect_notes, decide
from backdate.editing.patch_text import encode_patch
from backdate.environments import uv
from backdate.environments.cache import Cache
from backdate.errors import InstantError, NoTests, SourceError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.project import Project
from backdate.projects.python_constraint import without_upper_bound
from backdate.projects.sources.open import open_source
from backdate.projects.tree import copy_tree
from backdate.projects.unpinning import Unpinning, apply_unpinning, unpin_tree
from backdate.recipes.declared import read_declared
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.choose import choose_sandbox
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, current_instant, format_instant, now, require_past
from backdate.version import __version__


def check(
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    settings: Settings | None = None,
    progress: Reporter = NO_PROGRESS,
) -> CheckResult:
    """What dependency updates between two instants broke in the project that ``source`` names.

    ``source``: a folder, ``GIT-URL[@REV]`` or ``pypi:NAME[==VERSION]``. ``from_instant``: None for the
    commit's committer date or the sdist's upload time. ``to_instant``: None for now. ``python``: "3.8" or
    "3.8.18" on both sides instead of what the rule says (TimeMachine-backend, arXiv 2601.22597, step 2).

    What the project does (builds that fail, tests that crash) is in the result. Raises UsageError for
    sources and instants that cannot be, MachineError for what this machine lacks.
    """
    settings = settings or Settings()
    started, clock = now(), time.monotonic()
    if settings.keep is not None:
        require_new_folder(settings.keep)
    sandbox = choose_sandbox(settings.sandbox)
    sandbox.require()
    cache = Cache(settings.cache)
    new_instant = require_past(to_instant or current_instant())
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
        work = Path(temporary)
        progress.report(Activity(text=f"opening {source}"))
        project = _open(source, work / "old", settings, cache, before=from_instant or new_instant)
        old_instant = _old_instant(project, from_instant, new_instant)
        old_ground = dated_project(project, old_instant, python=python)
        beginning = starting_recipes(project, old_ground, cache, settings)
        if not beginning.starts:
            raise _no_tests(project)
        unpinning = _unpin(project, work / "new", [start.recipe for start in beginning.starts])
        folder = settings.keep or run_folder(cache.folder, project.name, started)
        folder.mkdir(parents=True, exist_ok=True)
        pair = Pair(
            project=project,
            old=old_ground,
            new=_new_ground(project, work / "new", new_instant, python),
            means=means_of(settings, cache, sandbox),
            settings=settings,
            cache=cache,
            folder=folder,
            progress=progress,
        )
        both = carry_out_both(pair, beginning)
        if settings.keep:
            copy_tree(project.root, folder / "old" / "tree")
            copy_tree(work / "new", folder / "new" / "tree")
    result = _conclude(project, both, unpinning, folder, started, time.monotonic() - clock)
    _write(folder, result, unpinning)
    return result


def _open(source: str | Path, workdir: Path, settings: Settings, cache: Cache, *, before: Instant) -> Project:
    return open_source(
        str(source),
        workdir=workdir,
        index_url=settings.index_url,
        cache=cache.downloads,
        index_cache=cache.index,
        before=before,
    )


def _old_instant(project: Project, given: Instant | None, new: Instant) -> Instant:
    old = given or project.origin.dated
    if old is None:
        raise SourceError(
            f"{project.origin.location} has no commit that dates it; say when it worked: --from 2021-03-01"
        )
    if old >= new:
        raise InstantError(
            f"the old instant {format_instant(old)} is not before the new one {format_instant(new)}; "
            "set them with --from and --to"
        )
    return old


def _no_tests(project: Project) -> Exception:
    read_declared(project.root)  # what cannot be read safely may be why there are none, and says so itself
    return NoTests(
        "no tests were found in the project: a check compares what its own tests say. "
        "Looked for files named test*.py or *_test.py, and for files in folders named test or tests."
    )


def _unpin(project: Project, target: Path, recipes: Sequence[Recipe]) -> Unpinning:
    copy_tree(project.root, target)
    unpinning = unpin_tree(target, requirements=requirement_files_of(recipes))
    apply_unpinning(unpinning, target)
    return unpinning


def _new_ground(project: Project, unpinned: Path, instant: Instant, python: str | None) -> DatedProject:
    ground = dated_project(replace(project, root=unpinned), instant, python=python)
    return replace(ground, python_constraint=without_upper_bound(ground.python_constraint))


def _conclude(
    project: Project,
    both: Both,
    unpinning: Unpinning,
    folder: Path,
    started: Instant,
    duration_s: float,
) -> CheckResult:
    old, new = both.old, both.new
    comparison: Comparison | None = None
    if old.run is not None and new.run is not None:
        comparison = compare_runs(old.run, new.run)
    verdict, reason = decide(old, new, comparison)
    changes = (
        compare_locks(old.environment.lock, new.environment.lock)
        if old.environment is not None and new.environment is not None
        else ()
    )
    return CheckResult(
        backdate=__version__,
        uv=uv.uv_version(),
        project=project.name,
        origin=project.origin,
        verdict=verdict,
        reason=reason,
        old=old,
        new=new,
        changes=changes,
        comparison=comparison,
        unpinning=unpinning.patch.encode("utf-8", "backslashreplace").decode(),
        set_aside=unpinning.removed,
        not_loosened=tuple(
            f"{one.file}:{one.line}: {one.reason}" if one.line else f"{one.file}: {one.reason}"
            for one in unpinning.skipped
        ),
        notes=(*both.notes, *collect_notes(old, new)),
        started=started,
        duration_s=duration_s,
        folder=folder,
    )


def _write(folder: Path, result: CheckResult, unpinning: Unpinning) -> None:
    write_whole(folder / "result.json", to_json(result, indent=2))
    if unpinning.files or unpinning.removed:
        write_whole(folder / "unpinning.patch", encode_patch(unpinning.patch))


__all__ = ["Settings", "check"]
