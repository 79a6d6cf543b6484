"""Scores of a run over snippets, as they are stored and read again by reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.errors import UsageError
from backdate.migrations import read_stored
from backdate.serial import to_json, write_whole
from backdate.snippets.questions.score import AnswerScore
from backdate.snippets.snippet import Collection, Direction, Language, SnippetAsk, ValidityClass
from backdate.timeline.instants import Instant

SNIPPET_SCORE_FORMAT = 1
_SCORES = "score.json"
BASELINE = -1
"""The sample of the do-nothing baseline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """The score of one answer; of the do-nothing baseline with the sample ``BASELINE``."""

    snippet: str
    ask: SnippetAsk
    sample: int
    score: AnswerScore
    key: str = ""
    """Digest of what the score depends on: an answer with the same is not scored again."""

    @property
    def place(self) -> tuple[str, SnippetAsk, int]:
        """What it answers."""
        return self.snippet, self.ask, self.sample


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetTraits:
    """What figures are parted by, of one snippet."""

    id: str
    collection: Collection
    language: Language
    direction: Direction
    library: str
    found: ValidityClass | None = None
    """What running says of its claim; None where nobody verified it."""
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetScores:
    """``score.json`` of a run over snippets."""

    format: int = SNIPPET_SCORE_FORMAT
    model: str
    """The solver, as reports name it."""
    dataset: str
    dataset_digest: str
    judge: str = ""
    """The model that judged; empty when none did."""
    samples: int = 1
    asks: tuple[SnippetAsk, ...] = ()
    snippets: tuple[SnippetTraits, ...]
    answers: tuple[ScoredAnswer, ...]
    scored: Instant
    backdate: str


def write_snippet_scores(folder: Path, scores: SnippetScores) -> None:
    """Write ``score.json``."""
    write_whole(folder / _SCORES, to_json(scores, indent=1))


def load_snippet_scores(folder: Path) -> SnippetScores:
    """The scores of a run. Raises UsageError for a run that nobody scored, StoredDataError."""
    path = folder / _SCORES
    if not path.is_file():
        raise UsageError(f"the run in {folder} is not scored; run 'backdate score DATASET {folder}' first")
    return read_stored(
        SnippetScores, path.read_bytes(), current=SNIPPET_SCORE_FORMAT, migrations=(), what=str(path)
    )
