"""The answers of a check as text. The same function prints fresh answers and stored ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from backdate.checking.answers import CheckAnswers, NeededCap
from backdate.checking.question import Question
from backdate.checking.result import CheckResult, Verdict
from backdate.cli.render import (
    Line,
    detail_lines,
    moved_line,
    project_line,
    result_lines,
    side_line,
    start_notes,
    verdict_line,
)
from backdate.output.advice_text import advice_lines
from backdate.output.bound_words import (
    LiftableInWords,
    breaks_in_words,
    liftable_in_words,
    proof_of_need,
)
from backdate.output.question_words import WORDS


def answers_lines(answers: CheckAnswers, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line."""
    declared, lifted = answers.declared, answers.lifted
    if declared is None or lifted is None:
        yield from result_lines(answers.deciding, verbose=verbose)
        return
    yield project_line(declared), "bold"
    yield from start_notes(declared.start)
    yield side_line("old", declared.old), ""
    if answers.same:
        yield side_line("new", declared.new), ""
        yield from detail_lines(declared, verbose=verbose)
    else:
        yield side_line(WORDS[Question.DECLARED].side, declared.new), ""
        yield side_line(WORDS[Question.LIFTED].side, lifted.new), ""
        yield from _details(declared, lifted, verbose)
    yield "", ""
    yield from _verdicts(answers, declared, lifted)
    advised = declared if declared.advice or answers.same else lifted
    yield from advice_lines(advised.advice)
    yield f"Logs: {declared.folder}", "dim"


def _details(declared: CheckResult, lifted: CheckResult, verbose: bool) -> Iterator[Line]:
    """Those of both new sides, each under its own heading where both have something to tell."""
    yield from detail_lines(declared, verbose=verbose)
    if not verbose and (lifted.verdict is Verdict.NOTHING_BROKE or _breaks_alike(declared, lifted)):
        return
    yield "", ""
    yield f"{WORDS[Question.LIFTED].title}:", "bold"
    besides = replace(
        lifted,
        changes=tuple(change for change in lifted.changes if change not in declared.changes),
        notes=tuple(note for note in lifted.notes if note not in declared.notes),
    )
    yield from detail_lines(besides, verbose=verbose, old_is_told=True)


def _breaks_alike(declared: CheckResult, lifted: CheckResult) -> bool:
    """Whether the same tests break with the same errors, so that one of the two tells it all."""
    ours, theirs = declared.comparison, lifted.comparison
    return ours is not None and theirs is not None and ours.breakages == theirs.breakages != ()


def _verdicts(answers: CheckAnswers, declared: CheckResult, lifted: CheckResult) -> Iterator[Line]:
    yield verdict_line(declared, f"{WORDS[Question.DECLARED].answer}: ")
    yield f"  {moved_line(declared)}", "dim"
    if answers.same:
        of = "bounds on distributions" if answers.caps or answers.liftable else "bounds"
        yield f"  Your own {of} keep nothing away: it is the same without them", "dim"
    else:
        yield verdict_line(lifted, f"{WORDS[Question.LIFTED].answer}: ")
        told = lifted.new.choice.reason == declared.new.choice.reason
        yield f"  {moved_line(lifted, why=not told)}", "dim"
    for cap in answers.caps:
        yield f"  {_needed(cap)}", "yellow"
    for free in liftable_in_words(answers.liftable):
        yield f"  {_liftable(free)}", "green"


def _needed(cap: NeededCap) -> str:
    where = f"{cap.file}:{cap.line}"
    return f"Without your cap {cap.requirement} ({where}): {breaks_in_words(cap)} ({proof_of_need(cap)})"


def _liftable(free: LiftableInWords) -> str:
    if not free.one_bound:
        return f"You can lift {free.what} of {free.place.file}: {free.says}"
    return f"You can lift {free.what} ({free.place.file}:{free.place.line}): {free.says}"
