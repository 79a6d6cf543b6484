"""The main move: a project at two instants, and what its own tests say in each.

``CheckWalk.ask`` is one walk: open the source, find its recipe, for the lifted question unpin a copy, run the
recipe on the old side and on the new one of each question, compare. ``check_project`` asks one question,
``answer.py`` both. Nothing is printed; progress goes to a reporter.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from backdate.checking.absent_modules import notes_on_absent_modules
from backdate.checking.choose_start import date_start
from backdate.checking.compare import compare_locks, count_outcomes
from backdate.checking.dated_project import DatedProject
from backdate.checking.new_sides import NewSides
from backdate.checking.options import CheckKeywords, CheckOptions
from backdate.checking.own_instants import own_instants
from backdate.checking.question import Question
from backdate.checking.resources import Resources, require_new_folder
from backdate.checking.result import CheckAudit, CheckResult
from backdate.checking.side_runner import SideRunner
from backdate.checking.sides import SidePair, collect_notes, run_sides, verdict_of
from backdate.checking.starting_recipes import StartingRecipes
from backdate.editing.patch_text import encode_patch
from backdate.environments import uv
from backdate.errors import NoTests
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.project import Project
from backdate.projects.tree import copy_tree
from backdate.recipes.declared import read_declared
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant, current_instant, now, require_past
from backdate.version import __version__

if TYPE_CHECKING:
    from backdate.projects.unpinning import SkippedPin, Unpinning


def check_project(
    resources: Resources,
    source: str | Path,
    *,
    question: Question = Question.DECLARED,
    progress: Reporter = NO_PROGRESS,
    on_new_failures: Callable[[], object] = lambda: None,
    **asked: Unpack[CheckKeywords],
) -> CheckResult:
    """What dependency updates between two instants broke in the project that ``source`` names.

    ``question``: what the new side is. ``asked``: the fields of ``CheckOptions``, each as a keyword.
    ``on_new_failures`` is called, in a thread, when tests of the new side fail while those of the old one may
    still run: time to get ready.
    """
    walk = CheckWalk(
        resources=resources,
        options=CheckOptions(**asked),
        progress=progress,
        on_new_failures=on_new_failures,
    )
    with walk.ask(source, (question,)) as answered:
        result = answered.results[question]
        write_whole(answered.folder / "result.json", to_json(result, indent=2))
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedProject:
    """What came of each question that was asked of a project, while its trees are there."""

    project: Project
    pairs: Mapping[Question, SidePair]
    results: Mapping[Question, CheckResult]
    unpinning: Unpinning | None
    """What was loosened; None where nobody asked for it."""
    lifted_project: DatedProject | None
    """The unpinned copy, also where one run answers both questions; None where nobody asked for it."""
    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWalk:
    """How a project is checked, whatever the questions."""

    resources: Resources
    options: CheckOptions
    progress: Reporter = NO_PROGRESS
    on_new_failures: Callable[[], object] = lambda: None

    @contextmanager
    def ask(self, source: str | Path, questions: Sequence[Question]) -> Iterator[AskedProject]:
        """Ask ``questions`` of the project that ``source`` names; the old side is run once for them."""
        started, clock, resources, options = now(), time.monotonic(), self.resources, self.options
        keep = options.keep or resources.settings.keep
        if keep is not None:
            require_new_folder(keep)
        latest = require_past(options.to_instant or current_instant())
        with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
            work = Path(temporary)
            self.progress.report(Activity(text=f"opening {source}"))
            project = resources.open_project(source, work / "old", before=options.from_instant or latest)
            own = own_instants(project, resources.settings)
            new_instant = require_past(options.to_instant or own.new or latest)
            begun = date_start(
                project,
                self._start() or (own.old if options.locked is None else None),
                new_instant,
                resources,
                python=options.python,
                progress=self.progress,
            )
            begun = replace(begun, starting=begun.starting.with_notes(own.notes))
            old, starting = self._as_locked(begun.project, begun.starting)
            if not starting.starts:
                raise _no_tests(project)
            folder = resources.run_folder(project.name, started, keep)
            old_side = SideRunner(
                name="old", dated=old, resources=resources, folder=folder / "old", progress=self.progress
            )
            sides = NewSides(
                project=project,
                old_side=old_side,
                starting=starting,
                instant=new_instant,
                work=work,
                several=len(questions) > 1,
                moves_python=options.move_python,
            )
            begin = [partial(sides.begin, one) for one in questions]
            pairs = run_sides(project, old_side, begin, starting, self.on_new_failures)
            pairs = self._repeated(pairs, folder)
            audited = self._audited(pairs[0], folder)
            results = {}
            for question, pair in zip(questions, pairs, strict=True):
                loosened = sides.loosened.get(question)
                result = _result(project, pair, loosened, folder, started, time.monotonic() - clock)
                results[question] = replace(result, question=question, start=begun.start, audit=audited)
            if keep:
                _keep_trees(folder, project, pairs)
            _write_patches(folder, sides.loosened)
            yield AskedProject(
                project=project,
                pairs=dict(zip(questions, pairs, strict=True)),
                results=results,
                unpinning=sides.loosened.get(Question.LIFTED),
                lifted_project=sides.dated.get(Question.LIFTED),
                folder=folder,
            )

    def _start(self) -> Instant | None:
        """When the old side is, where that is stated: by itself, or by a lock."""
        if self.options.from_instant is not None or self.options.locked is None:
            return self.options.from_instant
        from backdate.checking.locked_side import instant_of_lock

        self.progress.report(Activity(text=f"looking up the versions of {self.options.locked.file}"))
        return instant_of_lock(self.options.locked, self.resources)

    def _as_locked(
        self, old: DatedProject, starting: StartingRecipes
    ) -> tuple[DatedProject, StartingRecipes]:
        """The old side held to the lock, where there is one, which a note says."""
        if self.options.locked is None:
            return old, starting
        from backdate.checking.locked_side import note_of_lock

        note = note_of_lock(self.options.locked, old.instant)
        return replace(old, locked=self.options.locked), starting.with_notes((note,))

    def _audited(self, pair: SidePair, folder: Path) -> CheckAudit | None:
        """Which tests assert nothing, where that is asked."""
        if self.options.audit is None:
            return None
        from backdate.checking.audit import audit_pair

        return audit_pair(pair, self.resources, self.options.audit, folder / "audit", self.progress)

    def _repeated(self, pairs: Sequence[SidePair], folder: Path) -> tuple[SidePair, ...]:
        """``pairs`` with what running tests again says; one that answers both questions is repeated once."""
        repeated: dict[int, SidePair] = {}
        for number, pair in enumerate(pairs):
            if id(pair) not in repeated:
                again = folder / ("again" if not number else f"again-{pair.question}")
                repeated[id(pair)] = _repeated(pair, self.resources, again, self.progress)
        return tuple(repeated[id(pair)] for pair in pairs)


def _repeated(pair: SidePair, resources: Resources, folder: Path, progress: Reporter) -> SidePair:
    """``pair`` with what running tests again says, where some of them fail on the new side."""
    if not count_outcomes(pair.new.run).failed:
        return pair
    from backdate.checking.repeats import repeat_tests  # most checks have nothing to repeat

    return repeat_tests(pair, resources, folder, progress)


def _keep_trees(folder: Path, project: Project, pairs: Sequence[SidePair]) -> None:
    copy_tree(project.root, folder / "old" / "tree")
    for pair in pairs:
        name = "new" if len(pairs) == 1 else pair.question.value
        if not (folder / name / "tree").exists():
            copy_tree(pair.new_project.tree, folder / name / "tree")


def _write_patches(folder: Path, loosened: Mapping[Question, Unpinning]) -> None:
    """What was loosened for each question, where something was."""
    for question, name in ((Question.LIFTED, "unpinning.patch"), (Question.DECLARED, "declared.patch")):
        unpinning = loosened.get(question)
        if unpinning is not None and (unpinning.files or unpinning.removed):
            write_whole(folder / name, encode_patch(unpinning.patch))


def _no_tests(project: Project) -> Exception:
    read_declared(project.root)  # raises for a file that cannot be read safely, which may be the reason
    instead = ""
    if project.origin.kind == "sdist":
        instead = " Many releases leave their tests out: check the project's repository by its URL."
    return NoTests(
        "no tests were found in the project: a check compares what its own tests say. Looked for files named "
        f"test*.py or *_test.py, and for files in folders named test or tests.{instead}"
    )


def _result(
    project: Project,
    pair: SidePair,
    unpinning: Unpinning | None,
    folder: Path,
    started: Instant,
    duration_s: float,
) -> CheckResult:
    old, new = pair.old, pair.new
    verdict, reason = verdict_of(pair)
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
        broken_tools=pair.broken_tools,
        repeated=pair.repeated,
        unpinning="" if unpinning is None else unpinning.patch.encode("utf-8", "backslashreplace").decode(),
        set_aside=() if unpinning is None else unpinning.removed,
        not_loosened=() if unpinning is None else tuple(map(_not_loosened, unpinning.skipped)),
        notes=(
            *_absence_notes(project),
            *notes_on_absent_modules((old.run, new.run), project.root),
            *pair.notes,
            *collect_notes(old, new),
        ),
        started=started,
        duration_s=duration_s,
        folder=folder,
    )


def _absence_notes(project: Project) -> tuple[str, ...]:
    if not project.origin.missing and not os.path.lexists(project.root / ".gitmodules"):
        return ()
    from backdate.projects.absent_files import absence_notes  # most trees are whole

    return absence_notes(project)


def _not_loosened(skipped: SkippedPin) -> str:
    where = f"{skipped.file}:{skipped.line}" if skipped.line else skipped.file
    return f"{where}: {skipped.reason}"
