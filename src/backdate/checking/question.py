"""What the new side of a check is: the project as its users install it, or with its own bounds loosened."""

from __future__ import annotations

from enum import StrEnum


class Question(StrEnum):
    """What is asked of the new instant."""

    DECLARED = "declared"
    """Does the project work today for those who install it? Its bounds stand as it declares them."""
    LIFTED = "lifted"
    """Would it work with the newest of everything? Its pins and upper bounds are loosened."""


class AskedQuestions(StrEnum):
    """Which of the questions decide the exit status, and are asked at least."""

    DECLARED = "declared"
    LIFTED = "lifted"
    BOTH = "both"

    @property
    def questions(self) -> tuple[Question, ...]:
        """Those that decide."""
        if self is AskedQuestions.BOTH:
            return tuple(Question)
        return (Question(self.value),)
