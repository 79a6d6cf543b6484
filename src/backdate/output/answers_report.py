"""The answers of a check as renderers take them: one report, with a group of findings for each question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from backdate.advice import SourcePlace
from backdate.checking.answers import CheckAnswers, NeededCap
from backdate.checking.question import Question
from backdate.checking.result import CheckResult
from backdate.output.check_report import (
    check_findings,
    check_report,
    check_sections,
    check_suite,
    notes_of,
    side_in_words,
)
from backdate.output.report import FindingLevel, OutputReport, ReportedFinding, ReportedSection
from backdate.text import counted

QUESTIONS = {
    Question.DECLARED: "Users today (bounds as declared)",
    Question.LIFTED: "With your own bounds lifted",
}


def answers_report(answers: CheckAnswers) -> OutputReport:
    """The answers as a report; of one question alone, and where one run answers both, that of its result."""
    report = check_report(answers.deciding)
    if len(answers.results) == 1 or answers.same:
        return replace(report, findings=(*report.findings, *_caps(answers)))
    notes = dict.fromkeys(note for result in answers.results for note in notes_of(result))
    return replace(
        report,
        reason=_reason(answers),
        sides=tuple(_sides(answers)),
        findings=tuple(_findings(answers)),
        advice=next(
            (one.advice for one in (answers.deciding, *answers.results) if one.advice), report.advice
        ),
        sections=tuple(_sections(answers)),
        suites=tuple(
            check_suite(result, f"backdate.{question.value}")
            for question in answers.decided_by.questions
            if (result := answers.result_of(question)) is not None
        ),
        notes=tuple(notes),
        duration_s=sum(result.duration_s for result in answers.results),
    )


def _asked(answers: CheckAnswers) -> Iterator[tuple[Question, CheckResult]]:
    """Each question with its result, those that decide first."""
    deciding = answers.decided_by.questions
    for question in (*deciding, *(each for each in Question if each not in deciding)):
        result = answers.result_of(question)
        if result is not None:
            yield question, result


def _reason(answers: CheckAnswers) -> str:
    words = {Question.DECLARED: "users today", Question.LIFTED: "without your own bounds"}
    return "; ".join(f"{words[question]}: {result.reason}" for question, result in _asked(answers))


def _sides(answers: CheckAnswers) -> Iterator[tuple[str, str]]:
    results = answers.results
    yield "old", side_in_words(results[0].old)
    for question, name in ((Question.DECLARED, "new, as declared"), (Question.LIFTED, "new, bounds lifted")):
        result = answers.result_of(question)
        if result is not None:
            yield name, side_in_words(result.new)


def _findings(answers: CheckAnswers) -> Iterator[ReportedFinding]:
    deciding = answers.decided_by.questions
    for question, result in _asked(answers):
        for finding in check_findings(result, group=QUESTIONS[question]):
            # What does not decide is told, but is nothing that somebody has to act upon.
            yield finding if question in deciding else replace(finding, level=FindingLevel.NOTE)
    yield from _caps(answers)


def _caps(answers: CheckAnswers) -> Iterator[ReportedFinding]:
    """The project's own bounds, at the lines that state them."""
    for cap in answers.caps:
        yield ReportedFinding(
            level=FindingLevel.NOTE,
            rule="needed-bound",
            title=f"{cap.requirement} is needed: {_without(cap)}",
            places=(SourcePlace(file=cap.file, line=cap.line),),
            details=_kept(cap),
            group="Your own bounds",
        )
    for free in answers.liftable:
        passing = f" with {free.distribution} {free.without}" if free.without else ""
        yield ReportedFinding(
            level=FindingLevel.NOTE,
            rule="liftable-bound",
            title=f"{free.requirement} can be lifted: the tests pass{passing}",
            places=(SourcePlace(file=free.file, line=free.line),),
            group="Your own bounds",
        )


def _without(cap: NeededCap) -> str:
    tests = f"{counted(cap.tests, 'test')} " if cap.tests else ""
    verb = ("breaks" if cap.tests == 1 else "break") if cap.tests else "tests break"
    released = f" ({cap.released:%Y-%m-%d})" if cap.released is not None else ""
    newest = f", with {cap.distribution} {cap.newest}{released}" if cap.newest else ""
    return f"{tests}{verb} without it{newest}{'' if cap.proven else ' (not shown by a run)'}"


def _kept(cap: NeededCap) -> tuple[str, ...]:
    return (f"seen to pass with {', '.join(cap.kept_with)} kept as well",) if cap.kept_with else ()


def _sections(answers: CheckAnswers) -> Iterator[ReportedSection]:
    for _, result in _asked(answers):
        yield from check_sections(result)
