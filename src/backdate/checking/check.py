"""The main move: a project at two instants, and what its own tests say in each.

``check_project`` is one walk: open the source, find its recipe, unpin a copy for the new side, run the recipe
on both sides at once, compare. It prints nothing; progress goes to a reporter.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.choose_start import date_start
from backdate.checking.compare import compare_locks, count_outcomes
from backdate.checking.dated_project import unpinned_project
from backdate.checking.resources import Resources, require_new_folder
from backdate.checking.result import CheckResult
from backdate.checking.settings import AuditOptions
from backdate.checking.sides import SidePair, SideRunner, collect_notes, run_both_sides
from backdate.checking.verdict import decide
from backdate.editing.patch_text import encode_patch
from backdate.environments import uv
from backdate.errors import NoTests
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.project import Project
from backdate.projects.tree import copy_tree
from backdate.recipes.declared import read_declared
from backdate.recipes.recipe import Recipe
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, current_instant, now, require_past
from backdate.version import __version__

if TYPE_CHECKING:
    from backdate.projects.unpinning import Unpinning


def check_project(
    resources: Resources,
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    audit: AuditOptions | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
    on_new_failures: Callable[[], object] = lambda: None,
) -> CheckResult:
    """What dependency updates between two instants broke in the project that ``source`` names.

    ``from_instant``: None for what ``choose_start.py`` chooses. ``to_instant``: None for now. ``python``:
    "3.8" or "3.8.18" on both sides instead of what the rule says (TimeMachine-bench, arXiv 2601.22597, step
    2). ``audit``: how the tests are audited, that is, whether they assert something; None for not at all.
    ``keep``: where trees, logs, patch and result are kept, a folder that is empty or not there yet; None for
    what the settings say. ``on_new_failures`` is called, in a thread, when tests of the new side fail while
    those of the old one may still run: time to get ready.
    """
    started, clock, keep = now(), time.monotonic(), keep or resources.settings.keep
    if keep is not None:
        require_new_folder(keep)
    new_instant = require_past(to_instant or current_instant())
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
        work = Path(temporary)
        progress.report(Activity(text=f"opening {source}"))
        project = resources.open_project(source, work / "old", before=from_instant or new_instant)
        begun = date_start(project, from_instant, new_instant, resources, python=python, progress=progress)
        old, starting = begun.project, begun.starting
        if not starting.starts:
            raise _no_tests(project)
        unpinned = cache(lambda: _unpin(project, work / "new", [one.recipe for one in starting.starts]))
        folder = resources.run_folder(project.name, started, keep)
        old_side = SideRunner(
            name="old", dated=old, resources=resources, folder=folder / "old", progress=progress
        )

        def begin_new() -> SideRunner:
            unpinned()
            new = unpinned_project(replace(project, root=work / "new"), new_instant, python=python)
            return replace(old_side, name="new", dated=new, folder=folder / "new")

        pair = run_both_sides(project, old_side, begin_new, starting, on_new_failures)
        pair = _repeated(pair, resources, folder / "again", progress)
        audited = None
        if audit is not None:
            from backdate.checking.audit import audit_pair

            audited = audit_pair(pair, resources, audit, folder / "audit", progress)
        if keep:
            copy_tree(project.root, folder / "old" / "tree")
            copy_tree(work / "new", folder / "new" / "tree")
    unpinning = unpinned()
    result = _result(project, pair, unpinning, folder, started, time.monotonic() - clock)
    result = replace(result, start=begun.start, audit=audited)
    _write(folder, result, unpinning)
    return result


def _repeated(pair: SidePair, resources: Resources, folder: Path, progress: Reporter) -> SidePair:
    """``pair`` with what running tests again says, where some of them fail on the new side."""
    if not count_outcomes(pair.new.run).failed:
        return pair
    from backdate.checking.repeats import repeat_tests  # most checks have nothing to repeat

    return repeat_tests(pair, resources, folder, progress)


def _no_tests(project: Project) -> Exception:
    read_declared(project.root)  # raises for a file that cannot be read safely, which may be the reason
    return NoTests(
        "no tests were found in the project: a check compares what its own tests say. "
        "Looked for files named test*.py or *_test.py, and for files in folders named test or tests."
    )


def _unpin(project: Project, target: Path, recipes: Sequence[Recipe]) -> Unpinning:
    from backdate.projects.unpinning import apply_unpinning, unpin_tree
    from backdate.recipes.loosening import requirement_files_of

    copy_tree(project.root, target)
    unpinning = unpin_tree(target, requirements=requirement_files_of(recipes))
    apply_unpinning(unpinning, target)
    return unpinning


def _result(
    project: Project,
    pair: SidePair,
    unpinning: Unpinning,
    folder: Path,
    started: Instant,
    duration_s: float,
) -> CheckResult:
    old, new = pair.old, pair.new
    verdict, reason = decide(old, new, pair.comparison, pair.older_python, pair.broken_plugin)
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
        comparison=pair.comparison,
        older_python=pair.older_python,
        broken_plugin=pair.broken_plugin,
        repeated=pair.repeated,
        unpinning=unpinning.patch.encode("utf-8", "backslashreplace").decode(),
        set_aside=unpinning.removed,
        not_loosened=tuple(
            f"{skipped.file}:{skipped.line}: {skipped.reason}"
            if skipped.line
            else f"{skipped.file}: {skipped.reason}"
            for skipped in unpinning.skipped
        ),
        notes=(*pair.notes, *collect_notes(old, new)),
        started=started,
        duration_s=duration_s,
        folder=folder,
    )


def _write(folder: Path, result: CheckResult, unpinning: Unpinning) -> None:
    write_whole(folder / "result.json", to_json(result, indent=2))
    if unpinning.files or unpinning.removed:
        write_whole(folder / "unpinning.patch", encode_patch(unpinning.patch))
