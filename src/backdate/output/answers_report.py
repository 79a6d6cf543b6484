"""The answers of a check as renderers take them: one report, with a group of findings for each question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from backdate.advice import SourcePlace
from backdate.checking.answers import CheckAnswers
from backdate.checking.question import Question
from backdate.checking.result import CheckResult
from backdate.output.bound_words import breaks_in_words, liftable_in_words, proof_of_need
from backdate.output.check_report import (
    check_findings,
    check_report,
    check_sections,
    check_suite,
    notes_of,
    side_in_words,
)
from backdate.output.question_words import WORDS
from backdate.output.report import FindingLevel, OutputReport, ReportedFinding, ReportedSection


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
    asked = (f"{WORDS[question].answer}: {result.reason}" for question, result in _asked(answers))
    return ". ".join(asked)


def _sides(answers: CheckAnswers) -> Iterator[tuple[str, str]]:
    results = answers.results
    yield "old", side_in_words(results[0].old)
    for question in Question:
        result = answers.result_of(question)
        if result is not None:
            yield WORDS[question].side, side_in_words(result.new)


def _findings(answers: CheckAnswers) -> Iterator[ReportedFinding]:
    deciding = answers.decided_by.questions
    for number, (question, result) in enumerate(_asked(answers)):
        # The old side is that of both questions.
        for finding in check_findings(result, group=WORDS[question].title, old_is_told=number > 0):
            # What does not decide is told, but is nothing that somebody has to act upon.
            yield finding if question in deciding else replace(finding, level=FindingLevel.NOTE)
    yield from _caps(answers)


def _caps(answers: CheckAnswers) -> Iterator[ReportedFinding]:
    """The project's own bounds, at the lines that state them."""
    for cap in answers.caps:
        yield ReportedFinding(
            level=FindingLevel.NOTE,
            rule="needed-bound",
            title=f"{cap.requirement} is needed: without it {breaks_in_words(cap)} ({proof_of_need(cap)})",
            places=(SourcePlace(file=cap.file, line=cap.line),),
            group="Your own bounds",
        )
    for free in liftable_in_words(answers.liftable):
        yield ReportedFinding(
            level=FindingLevel.NOTE,
            rule="liftable-bound",
            title=f"{free.what} can be lifted: {free.says}",
            places=(free.place,),
            group="Your own bounds",
        )


def _sections(answers: CheckAnswers) -> Iterator[ReportedSection]:
    for _, result in _asked(answers):
        yield from check_sections(result)
