"""What the two questions are called, for the reader who maintains the project: for terminal and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from backdate.checking.question import Question


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """One question in words."""

    answer: str
    """What begins the sentence with its answer."""
    title: str
    """A heading over what was found."""
    side: str
    """Its new side, beside that of the other question."""


WORDS: Mapping[Question, QuestionWords] = MappingProxyType(
    {
        Question.DECLARED: QuestionWords(
            answer="Users today", title="Users today, with bounds as declared", side="new, declared"
        ),
        Question.LIFTED: QuestionWords(
            answer="Without your own bounds",
            title="With your own pins and upper bounds lifted",
            side="new, lifted",
        ),
    }
)
