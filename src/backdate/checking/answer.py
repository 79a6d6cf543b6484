"""Both questions of a project in one run: for its users today, and without its own bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from backdate.checking.answers import CheckAnswers, NeededCap, UnneededCap
from backdate.checking.check import AskedProject, CheckWalk
from backdate.checking.options import CheckKeywords, CheckOptions
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.resources import Resources
from backdate.progress import NO_PROGRESS, Reporter
from backdate.serial import to_json, write_whole


def answer_project(
    resources: Resources,
    source: str | Path,
    *,
    decided_by: AskedQuestions = AskedQuestions.DECLARED,
    progress: Reporter = NO_PROGRESS,
    on_new_failures: Callable[[], object] = lambda: None,
    **asked: Unpack[CheckKeywords],
) -> CheckAnswers:
    """Both questions of the project that ``source`` names, and which of its own bounds its tests need.

    The old side is built and run once; so is the new one where both questions get the same environment.
    ``decided_by``: which of the answers counts as the verdict. The other parameters are those of
    ``check_project``.
    """
    walk = CheckWalk(
        resources=resources,
        options=CheckOptions(**asked),
        progress=progress,
        on_new_failures=on_new_failures,
    )
    with walk.ask(source, tuple(Question)) as answered:
        same = answered.pairs[Question.LIFTED] is answered.pairs[Question.DECLARED]
        needed, liftable = _bounds(answered, same, resources, progress)
        answers = CheckAnswers(
            decided_by=decided_by,
            declared=answered.results[Question.DECLARED],
            lifted=answered.results[Question.LIFTED],
            caps=needed,
            liftable=liftable,
            same=same,
        )
        write_whole(answered.folder / "result.json", to_json(answers, indent=2))
    return answers


def _bounds(
    answered: AskedProject, same: bool, resources: Resources, progress: Reporter
) -> tuple[tuple[NeededCap, ...], tuple[UnneededCap, ...]]:
    """The project's own bounds that tests need, and those that can be lifted."""
    broken_tools = answered.pairs[Question.DECLARED].broken_tools
    if broken_tools is not None and not broken_tools.newer:
        return (), ()  # what breaks on the lifted side, with the newest tools, says nothing of them
    needed, liftable = ((), ()) if same else _caps(answered, resources, progress)
    of_python = _python_cap(answered, needed, resources, progress)
    if isinstance(of_python, NeededCap):
        needed = (*needed, of_python)
    elif of_python is not None:
        liftable = (*liftable, of_python)
    return needed, liftable


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


def _python_cap(
    answered: AskedProject, needed: Sequence[NeededCap], resources: Resources, progress: Reporter
) -> NeededCap | UnneededCap | None:
    """What the project's upper bound on interpreters is worth; None where it has none, or that is unknown."""
    constraint = answered.pairs[Question.DECLARED].new_project.python_constraint
    if constraint.kind != "requires" or answered.lifted_project is None:
        return None
    from backdate.checking.python_cap import find_python_cap  # few projects have such a bound

    return find_python_cap(
        answered.results[Question.DECLARED],
        answered.results[Question.LIFTED],
        replace(answered.pairs[Question.LIFTED], new_project=answered.lifted_project),
        constraint,
        needed,
        resources,
        progress,
    )
