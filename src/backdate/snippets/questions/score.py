"""What an answer is worth, by each of the rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from backdate.snippets.questions.answer import AnswerLabel


class MigrationError(StrEnum):
    """Why migrated code fails, as CodeMEnv's Figure 4 parts it."""

    CALL_ERROR = "call-error"
    """It calls what the target does not have: a name that the row lists, or another of the library."""
    RUN_ERROR = "run-error"
    """It does not run, for another reason."""
    WRONG_ANSWER = "wrong-answer"
    """It runs and gives something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScore:
    """The score of one answer to one ask."""

    strict: bool = False
    """By the paper's rule, with everything checked."""
    released: bool = False
    """By the rule of the released scorer, which is more lenient."""
    judge: bool | None = None
    """By a model; None where none was asked, or it did not decide."""
    precision: float | None = None
    """Of the names of a "locate"."""
    recall: float | None = None
    change: bool | None = None
    """Of an "explain", each part: None where the row does not say."""
    version: bool | None = None
    replacement: bool | None = None
    error: MigrationError | None = None
    """Of code that fails; None for code that could not be read."""
    cases: int = 0
    cases_passed: int = 0
    labels: tuple[AnswerLabel, ...] = ()
    visible: bool | None = None
    """Whether code passes the tests that whoever answers is shown; None without such tests."""
    undecided: bool = False
    """Whether nothing shows it, because there is no environment with the target's or the origin's version."""
    statically: bool | None = None
    """Where it is undecided: whether the code parses and uses none of the names that the row lists."""
    detail: str = ""
    """In one line, why it is not right."""
