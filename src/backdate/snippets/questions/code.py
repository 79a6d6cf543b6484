"""Scoring code by what it gives: "migrate" (CodeMEnv's third task) and "complete" (GitChameleon's)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.snippets.names import NameUse, aliases_of, uses_any, uses_of
from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.same_outcome import (
    raises_nothing,
    runs_the_same,
    same_text,
    wrong_cases,
)
from backdate.snippets.questions.score import AnswerScore, MigrationError
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun, SnippetProgram
from backdate.snippets.snippet import Harness, Snippet, SnippetAsk

_NAME_ERRORS = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError"})
"""What Python raises where a name is not there."""
_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})
_LONGEST_DETAIL = 300


def harness_of(snippet: Snippet) -> Harness:
    """What tests an answer in the target."""
    return snippet.target_harness or snippet.harness


def program_of(snippet: Snippet, answer: CodeAnswer) -> SnippetProgram:
    """The program that judges an answer."""
    return SnippetProgram(id=snippet.id, code=answer.code, entry=snippet.entry, harness=harness_of(snippet))


def visible_program(snippet: Snippet, answer: CodeAnswer) -> SnippetProgram | None:
    """The program with the tests that whoever answers is shown; None without such tests."""
    if snippet.visible is None:
        return None
    return SnippetProgram(id=snippet.id, code=answer.code, entry=snippet.entry, harness=snippet.visible)


def score_code(
    snippet: Snippet, answer: CodeAnswer, run: ProgramRun | None, expected: Sequence[CaseOutcome]
) -> AnswerScore:
    """Strict: status and output equal what the origin gave, on all cases and within the limits; of tests that
    assert, none fails. Released: the text that is printed is equal, an error's like a value's.

    ``run``: in the target; None for an answer that cannot be run. ``expected``: as the origin gave it.
    """
    asserts = not snippet.compared
    total = len(harness_of(snippet).cases) or 1
    if run is None or not answer.usable:
        return AnswerScore(cases=total, labels=answer.labels, detail="there is nothing to run")
    if run.end is ProgramEnd.NO_ENVIRONMENT or not (asserts or expected):
        why = (
            run.detail if run.end is ProgramEnd.NO_ENVIRONMENT else "the origin gave nothing to compare with"
        )
        return AnswerScore(
            cases=total,
            undecided=True,
            statically=not _uses_listed(snippet, answer.code),
            labels=answer.labels,
            detail=_short(why),
        )
    if asserts:
        strict, passed = raises_nothing(run), int(raises_nothing(run))
        released = strict
    else:
        strict = runs_the_same(expected, run)
        passed = len(expected) - len(wrong_cases(expected, run))
        released = _same_texts(expected, run)
    return AnswerScore(
        strict=strict,
        released=released,
        cases=total,
        cases_passed=passed,
        error=None if strict else error_of(snippet, answer.code, run, expected),
        labels=(*answer.labels, *((AnswerLabel.MISSING_IMPORT,) if _misses_import(run) else ())),
        detail="" if strict else _why(run, expected),
    )


def error_of(snippet: Snippet, code: str, run: ProgramRun, expected: Sequence[CaseOutcome]) -> MigrationError:
    """Why code fails: by the names that its syntax tree uses, aliases resolved, and by what it raised."""
    errors = _errors(run, expected)
    if not errors:
        finished = run.end is ProgramEnd.FINISHED
        return MigrationError.WRONG_ANSWER if finished else MigrationError.RUN_ERROR
    if _uses_listed(snippet, code):
        return MigrationError.CALL_ERROR
    uses = uses_of(code)
    for error, lines in errors:
        if error in _NAME_ERRORS and _names_library(snippet, code, uses, lines):
            return MigrationError.CALL_ERROR
    return MigrationError.RUN_ERROR


def _errors(run: ProgramRun, expected: Sequence[CaseOutcome]) -> list[tuple[str, tuple[int, ...]]]:
    """What was raised and not expected: each error's type, and the lines that it came through."""
    if run.end is ProgramEnd.LOAD_ERROR:
        return [(_error_type(run.detail), ())]
    return [
        (case.error, case.lines)
        for at, case in enumerate(run.cases)
        if case.error
        and case.error != "AssertionError"
        and not (at < len(expected) and expected[at].error == case.error)
    ]


def _uses_listed(snippet: Snippet, code: str) -> bool:
    """Whether the code uses a name that the row lists: by its aliases, or as a method of whatever object."""
    listed = frozenset(api.name for api in snippet.apis if api.name)
    return bool(uses_any(code, listed)) or _calls_method(code, listed)


def _names_library(snippet: Snippet, code: str, uses: Sequence[NameUse], lines: tuple[int, ...]) -> bool:
    """Whether a name of the library stands on the innermost of the lines; without lines, in an import."""
    if not lines:
        imported = aliases_of(code).values()
        return any(_of_library(snippet, name) for name in imported)
    return any(use.line == lines[-1] and _of_library(snippet, use.name) for use in uses)


def _of_library(snippet: Snippet, name: str) -> bool:
    tops = {api.name.partition(".")[0] for api in snippet.apis} | {snippet.library.replace("-", "_")}
    return name.partition(".")[0] in tops


def _calls_method(code: str, names: frozenset[str]) -> bool:
    """Whether a method of a class that is listed is called, of whatever object: ``frame.append(…)``."""
    methods = [parts[-1] for name in names if (parts := name.split("."))[-2:-1] and parts[-2][:1].isupper()]
    return any(re.search(rf"\.\s*{re.escape(method)}\s*\(", code) for method in methods)


def _same_texts(expected: Sequence[CaseOutcome], run: ProgramRun) -> bool:
    if not expected or len(run.cases) != len(expected):
        return False
    return all(same_text(case, got) for case, got in zip(expected, run.cases, strict=True))


def _misses_import(run: ProgramRun) -> bool:
    if run.end is ProgramEnd.LOAD_ERROR:
        return _error_type(run.detail) in _IMPORT_ERRORS
    return any(case.error in _IMPORT_ERRORS for case in run.cases)


def _error_type(detail: str) -> str:
    """The type at the beginning of an error as Python prints it."""
    return detail.partition(":")[0].strip().rpartition(".")[2]


def _why(run: ProgramRun, expected: Sequence[CaseOutcome]) -> str:
    if run.end is not ProgramEnd.FINISHED:
        return _short(f"{run.end.value}: {run.detail}" if run.detail else run.end.value)
    raised = next((case for case in run.cases if case.error), None)
    if raised is not None:
        return _short(f"{raised.error}: {raised.message}")
    wrong = wrong_cases(expected, run)
    return f"{len(wrong)} of {len(expected)} cases differ" if wrong else ""


def _short(text: str) -> str:
    return " ".join(text.split())[:_LONGEST_DETAIL]


CODE_ASKS = frozenset({SnippetAsk.MIGRATE, SnippetAsk.COMPLETE})
"""The asks that are answered with code."""
