"""An answer as it was read: what it says, and what was odd about it. Nothing that is answered is an error."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from backdate.snippets.snippet import ApiChangeKind


class AnswerLabel(StrEnum):
    """What was odd about an answer."""

    NO_REPLY = "no-reply"
    """Nobody answered: the model failed, or there is no such line in a file of answers."""
    EMPTY = "empty"
    TOO_LARGE = "too-large"
    NOT_JSON = "not-json"
    WRONG_SHAPE = "wrong-shape"
    """It is JSON, and not what was asked for."""
    NOT_PYTHON = "not-python"
    """No Python reads the code."""
    OTHER_FUNCTION = "other-function"
    """The code does not define the function that was asked for."""
    FENCED = "fenced"
    """It stands between fences, or in the middle of other text."""
    SEVERAL_BLOCKS = "several-blocks"
    """Code stands in several blocks; the one with the function counts."""
    SEVERAL_FUNCTIONS = "several-functions"
    """It defines the function more than once; the last definition counts, as for Python."""
    IMPORTS_ADDED = "imports-added"
    """It is the function alone: the imports that it needs are those of the question."""
    MISSING_IMPORT = "missing-import"
    """Its code imports what the environment does not have."""
    FORGED = "forged"
    """Its tests passed, and once more after they were changed in secret so that a real execution fails."""
    UNPROVEN = "unproven"
    """Its tests passed, and failed otherwise than they must after they were changed in secret."""
    NOT_JUDGED = "not-judged"
    """Its tests passed, and no change of them is known to be sound: no known solution fails by one."""

    @property
    def unusable(self) -> bool:
        """Whether there is nothing to score: it counts as wrong."""
        return self in _UNUSABLE


_UNUSABLE = frozenset(
    {
        AnswerLabel.NO_REPLY,
        AnswerLabel.EMPTY,
        AnswerLabel.TOO_LARGE,
        AnswerLabel.NOT_JSON,
        AnswerLabel.WRONG_SHAPE,
        AnswerLabel.NOT_PYTHON,
        AnswerLabel.OTHER_FUNCTION,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocateAnswer:
    """Names, as they were written."""

    names: tuple[str, ...] = ()
    labels: tuple[AnswerLabel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedName:
    """What was said of one name."""

    name: str = ""
    change: ApiChangeKind = ApiChangeKind.UNKNOWN
    version: str = ""
    replacement: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainAnswer:
    """What was said of names."""

    changes: tuple[ExplainedName, ...] = ()
    labels: tuple[AnswerLabel, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAnswer:
    """A module with the function that was asked for."""

    code: str = ""
    labels: tuple[AnswerLabel, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether there is something to run."""
        return not any(label.unusable for label in self.labels)
