"""What ``backdate check`` answers: the result of each question that was asked, and the project's own caps.

This is the format of ``--json``, described for its readers in ``docs/result.md``. ``format`` is that of the
results in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from backdate.checking.asked_command import AskedCommand
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import FORMAT, MIGRATIONS, CheckResult, Verdict, read_result
from backdate.migrations import Migration, migrate, read_result_bytes, read_result_file
from backdate.serial import decoder_of
from backdate.timeline.instants import Instant

PYTHON = "python"
"""The name of interpreters where distributions have theirs."""
_SINCE = 7
"""The format of results when they were first answered together."""
_WORST_FIRST = (Verdict.BROKE, Verdict.FAILS_DIFFERENTLY, Verdict.CANNOT_TELL, Verdict.NOTHING_BROKE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededCap:
    """A bound of the project's own that keeps tests passing: where it is lifted, they break."""

    distribution: str
    """Normalised (PEP 503); ``PYTHON`` for a range of interpreters."""
    requirement: str
    """As the project declares it: "marshmallow<4"."""
    file: str
    """Relative to the project's root."""
    line: int
    """Counted from 1."""
    tests: int = 0
    """Tests that break without it, and without the other bounds."""
    proven: bool = False
    """Whether these tests were seen to pass where everything is lifted but this bound and ``kept_with``."""
    kept_with: tuple[str, ...] = ()
    """Other bounds that had to be kept in the run that proves it, as the project declares them."""
    newest: str = ""
    """The version that is taken where it is lifted."""
    released: Instant | None = None
    """When that version appeared."""
    first: str = ""
    """The first final release above it, by the index; "" where that is not known."""
    first_released: Instant | None = None
    """When that one appeared."""
    first_breaks: int | None = None
    """Of ``tests`` those that were seen to break with ``first`` already; None where nobody looked."""

    @property
    def since_first(self) -> bool:
        """Whether all of ``tests`` were seen to break with the first release above it."""
        return bool(self.tests) and self.first_breaks == self.tests


@dataclass(frozen=True, slots=True, kw_only=True)
class UnneededCap:
    """A bound of the project's own that keeps a newer release away, and without which nothing breaks."""

    distribution: str
    requirement: str
    file: str
    line: int
    without: str = ""
    """The version that the tests pass with where it is lifted."""
    compiled: bool = False
    """Whether a program wrote the file: it is compiled again, not edited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswers:
    """The answers of one ``backdate check``: for users today, and without the project's own bounds."""

    format: int = FORMAT
    kind: Literal["answers"] = "answers"
    """What tells this result from those of other commands (``output/stored.py``)."""
    decided_by: AskedQuestions
    """What decides the exit status."""
    declared: CheckResult | None = None
    """None where it was not asked."""
    lifted: CheckResult | None = None
    caps: tuple[NeededCap, ...] = ()
    liftable: tuple[UnneededCap, ...] = ()
    same: bool = False
    """Whether one environment answers both questions: the project's own bounds keep nothing away."""
    asked: AskedCommand | None = None
    """What the command line said; None for what the library was asked."""

    def __post_init__(self) -> None:
        """Raise ValueError where a question that decides has no result."""
        if any(self.result_of(question) is None for question in self.decided_by.questions):
            raise ValueError(f"answers that {self.decided_by} decides lack a result that decides")

    def result_of(self, question: Question) -> CheckResult | None:
        """The result of ``question``; None where it was not asked."""
        return self.declared if question is Question.DECLARED else self.lifted

    @property
    def results(self) -> tuple[CheckResult, ...]:
        """Those of the questions that were asked, the declared one first."""
        return tuple(result for result in (self.declared, self.lifted) if result is not None)

    @property
    def deciding(self) -> CheckResult:
        """The result that decides: of both the worse one, and the declared one of two that are as bad."""
        deciding = [self.result_of(question) for question in self.decided_by.questions]
        return min(
            (result for result in deciding if result is not None),
            key=lambda result: _WORST_FIRST.index(result.verdict),
        )

    @property
    def verdict(self) -> Verdict:
        """That of the result that decides."""
        return self.deciding.verdict


def answers_of(result: CheckResult) -> CheckAnswers:
    """The answers that ``result`` alone is."""
    if result.question is Question.DECLARED:
        return CheckAnswers(decided_by=AskedQuestions.DECLARED, declared=result)
    return CheckAnswers(decided_by=AskedQuestions.LIFTED, lifted=result)


def _in_each_result(migration: Migration) -> Callable[[dict[str, Any]], dict[str, Any]]:
    def change(document: dict[str, Any]) -> dict[str, Any]:
        results = {
            name: migrate(document[name], (migration,), from_format=migration.to_format - 1)
            for name in ("declared", "lifted")
            if isinstance(document.get(name), dict)
        }
        return {**document, **results}

    return change


_MIGRATIONS = tuple(
    Migration(to_format=migration.to_format, change=_in_each_result(migration))
    for migration in MIGRATIONS
    if migration.to_format > _SINCE
)


class _AnswersForm(msgspec.Struct):
    """What tells answers from the result of one check."""

    decided_by: str | None = None


def read_answers(path: Path) -> CheckAnswers:
    """What ``check`` wrote to the file at ``path``: its answers, or the result of one question.

    A result that an older version wrote is one of the lifted question. Raises SourceError when there is no
    such file, StoredDataError when it is not a result, NewerFormat when a newer version wrote it.
    """
    if holds_answers(read_result_bytes(path)):
        return read_result_file("check", CheckAnswers, path, FORMAT, _MIGRATIONS)
    return answers_of(read_result(path))


def holds_answers(data: bytes) -> bool:
    """Whether ``data`` is the JSON of answers, by the field that only they have; False for no JSON."""
    try:
        return decoder_of(_AnswersForm).decode(data).decided_by is not None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
