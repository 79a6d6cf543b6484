"""Both questions of a project in one run: for its users today, and without its own bounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from backdate.checking.answers import CheckAnswers, NeededCap, UnneededCap
from backdate.checking.check import AskedProject, CheckWalk
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.resources import Resources
from backdate.checking.settings import AuditOptions
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.locked_versions import LockedVersions
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant


def answer_project(
    resources: Resources,
    source: str | Path,
    *,
    decided_by: AskedQuestions = AskedQuestions.DECLARED,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    move_python: bool = False,
    audit: AuditOptions | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
    on_new_failures: Callable[[], object] = lambda: None,
    locked: LockedVersions | None = None,
) -> CheckAnswers:
    """Both questions of the project that ``source`` names, and which of its own bounds its tests need.

    The old side is built and run once; so is the new one where both questions get the same environment.
    ``decided_by``: which of the answers counts as the verdict. The other parameters are those of
    ``check_project``.
    """
    walk = CheckWalk(
        resources=resources,
        from_instant=from_instant,
        to_instant=to_instant,
        python=python,
        move_python=move_python,
        audit=audit,
        keep=keep,
        progress=progress,
        on_new_failures=on_new_failures,
        locked=locked,
    )
    with walk.ask(source, tuple(Question)) as asked:
        same = asked.pairs[Question.LIFTED] is asked.pairs[Question.DECLARED]
        needed, liftable = ((), ()) if same else _caps(asked, resources, progress)
        answers = CheckAnswers(
            decided_by=decided_by,
            declared=asked.results[Question.DECLARED],
            lifted=asked.results[Question.LIFTED],
            caps=needed,
            liftable=liftable,
            same=same,
        )
        write_whole(asked.folder / "result.json", to_json(answers, indent=2))
    return answers


def _caps(
    asked: AskedProject, resources: Resources, progress: Reporter
) -> tuple[tuple[NeededCap, ...], tuple[UnneededCap, ...]]:
    from backdate.checking.caps import find_caps  # for projects with bounds alone

    assert asked.unpinning is not None
    caps = find_caps(
        asked.results[Question.DECLARED],
        asked.results[Question.LIFTED],
        asked.pairs[Question.LIFTED],
        asked.unpinning,
        resources,
        progress,
    )
    return caps.needed, caps.liftable
