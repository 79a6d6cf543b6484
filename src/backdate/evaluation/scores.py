"""What scoring says of one answer, and how it is kept.

::

    RUN/score.json              what was scored, and the facts of the tasks
        scores/TASK.json        one Score a task
        scores/logs/TASK/…      the logs of scoring's own test runs
        report.json             SWE-bench's report, schema_version 2
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.errors import UsageError
from backdate.evaluation.metrics import ScoredAttempt
from backdate.migrations import KeyRename, Migration, read_stored
from backdate.serial import to_json, write_whole
from backdate.solvers.records import SolverUsage
from backdate.tasks.kinds.choose import kind_of
from backdate.tasks.task import Difficulty, Task, TaskEnvironment
from backdate.timeline.instants import Instant

SCORE_FORMAT = 2
_SCORES = (Migration(to_format=2),)
_SCORE_INFOS = (
    Migration(
        to_format=2,
        renames=(
            KeyRename(inside="tasks", old="old", new="origin"),
            KeyRename(inside="tasks", old="new", new="target"),
            KeyRename(inside="tasks", old="has_gold", new="has_reference"),
        ),
    ),
)


class ScoreOutcome(StrEnum):
    """What became of one answer."""

    SOLVED = "solved"
    TESTS_FAILED = "tests-failed"
    """The patch applies, and the tests say that the task is not solved; ``reason`` says which."""
    TIMED_OUT = "timed-out"
    """The tests did not end within their time."""
    LIMIT = "limit-struck"
    """The tests used more memory or disk than they may."""
    NOT_BUILT = "environment-not-built"
    NO_TREE = "no-tree"
    """The task's own files cannot be had: nothing is said of the answer."""
    NOT_APPLIED = "does-not-apply"
    NOT_ALLOWED = "nothing-allowed"
    """Everything that the patch changes is off limits: tests, configuration, links, scripts, new files."""
    EMPTY = "empty"
    """The patch is empty, or changes nothing."""
    BINARY = "binary"
    MALFORMED = "malformed"
    HUGE = "huge"
    TWO_PATCHES = "two-patches"
    """There are two different patches for the task: none of them is the answer."""
    NO_PREDICTION = "no-prediction"

    @property
    def is_error(self) -> bool:
        """Whether it says nothing of the answer, because the task could not be run."""
        return self in (ScoreOutcome.NOT_BUILT, ScoreOutcome.NO_TREE)


class FlagKind(StrEnum):
    """Why a solved task deserves a second look (arXiv 2601.22597, Figures 6b and 13)."""

    NOT_RUN = "edited-lines-not-run"
    DUMMY = "dummy-under-import-error"
    SWALLOWED = "swallowed-exception"
    VERSION_CHECK = "version-check"
    OUTSIDE = "outside-failing-paths"
    BEHAVIOUR = "behaviour-differs"
    FORGED = "suspicious-test-run"
    """The run of the tests contradicts itself: see ``testing.suspicions``."""
    CLAIM = "claimed-otherwise"
    """What the run said of itself is not what scoring found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One suspicion. It changes no score unless that is asked for."""

    kind: FlagKind
    detail: str
    """One line, with file and line where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What scoring found for one task."""

    format: int = SCORE_FORMAT
    instance_id: str
    outcome: ScoreOutcome
    reason: str = ""
    """In one line, why it is not solved."""
    key: str = ""
    """Digest of the task, the answer and the settings: the same key is not scored again."""
    patch: str = ""
    """What was applied: the diff of the allowed files, made from the two trees."""
    gold: str = ""
    """The known solution's diff, made the same way; empty when none is known."""
    dropped: tuple[str, ...] = ()
    """What the answer changed besides, each "path: why"; it was left out."""
    edits: int = 0
    """Edited lines as prec@1 counts them."""
    gold_edits: int | None = None
    precision: float | None = None
    """Of the edits against the gold patch (Equation 3), solved or not; None when no gold patch is known."""
    passed: int = 0
    """Tests with a good outcome."""
    failed: int = 0
    """Tests with a bad one."""
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    """What is to be known of the environment, and which flags could not be looked for."""
    calls: int = 0
    """Model calls until the scored patch was there; 0 when nobody said."""
    tests: int = 0
    """Test runs until then, the given one not counted."""
    calls_made: int = 0
    """Model calls of the whole attempt."""
    sequence: tuple[str, ...] = ()
    """The tool of each call; see ``RunRecord``."""
    usage: SolverUsage | None = None
    """None: nobody said."""
    ending: str = ""
    """How the attempt ended; empty when nobody said."""
    trajectory: str = ""
    """Relative to the run's folder."""
    log: str = ""
    """Of the tests, relative to the run's folder."""
    tests_s: float = 0.0
    """Seconds that the tests ran."""
    duration_s: float = 0.0
    """Seconds that scoring took."""

    @property
    def solved(self) -> bool:
        """Whether the task is solved."""
        return self.outcome is ScoreOutcome.SOLVED

    def attempt(self, *, strict: bool = False) -> ScoredAttempt:
        """What the metrics ask for. ``strict``: a solved task with a flag is not solved."""
        return ScoredAttempt(
            task=self.instance_id,
            solved=self.solved and not (strict and self.flags),
            precision=self.precision,
            calls=self.calls,
            tests=self.tests,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """What a report says of a task."""

    instance_id: str
    name: str
    difficulty: Difficulty | None
    related_libraries: tuple[str, ...] = ()
    origin: str = ""
    """"2020-01-01, Python 3.7.6"; empty for a kind of task without an origin environment."""
    target: str = ""
    has_reference: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreInfo:
    """``score.json``."""

    format: int = SCORE_FORMAT
    model: str
    """Whose answers: the solver of a run, or ``model_name_or_path``."""
    dataset: str
    dataset_digest: str
    source: str
    """Where the answers came from: "run" or the predictions' file name."""
    sample: int = 0
    """Another number is another sample of the same model."""
    most_calls: int = 0
    """n of the run; 0 when nobody said."""
    most_tests: int = 0
    flags: str = "all"
    """Which suspicions were looked for: "all", "static", "none"."""
    tasks: tuple[TaskFacts, ...] = ()
    unknown: tuple[str, ...] = ()
    """Ids of predictions that the data set does not know."""
    problems: tuple[str, ...] = ()
    """Entries of the file that are no predictions."""
    scored: Instant
    backdate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRun:
    """A run with its scores."""

    folder: Path
    info: ScoreInfo
    scores: tuple[Score, ...]
    """Of the tasks, in their order."""


def facts_of(task: Task) -> TaskFacts:
    """What a report says of ``task``."""
    return TaskFacts(
        instance_id=task.instance_id,
        name=task.source.name,
        difficulty=task.difficulty,
        related_libraries=task.related_libraries,
        origin=_in_words(kind_of(task).origin(task)),
        target=_in_words(task.environment),
        has_reference=task.has_reference,
    )


def _in_words(environment: TaskEnvironment | None) -> str:
    return "" if environment is None else f"{environment.instant:%Y-%m-%d}, Python {environment.python}"


def score_path(folder: Path, instance: str) -> Path:
    """Where the score of a task is kept."""
    return folder / "scores" / f"{instance}.json"


def load_score(folder: Path, instance: str) -> Score | None:
    """The score of a task; None when it was not scored. Raises StoredDataError."""
    path = score_path(folder, instance)
    if not path.is_file():
        return None
    return read_stored(Score, path.read_bytes(), current=SCORE_FORMAT, migrations=_SCORES, what=str(path))


def store_score(folder: Path, score: Score) -> None:
    """Keep the score of a task."""
    write_whole(score_path(folder, score.instance_id), to_json(score, indent=1))


def read_score_info(path: Path) -> ScoreInfo:
    """``score.json``, whichever format it has. Raises StoredDataError."""
    return read_stored(
        ScoreInfo, path.read_bytes(), current=SCORE_FORMAT, migrations=_SCORE_INFOS, what=str(path)
    )


def load_scored_run(folder: Path) -> ScoredRun:
    """A run with its scores. Raises UsageError when it was not scored, StoredDataError."""
    path = folder / "score.json"
    if not path.is_file():
        raise UsageError(
            f"{folder} was not scored (there is no score.json); run: backdate score DATASET {folder}"
        )
    info = read_score_info(path)
    found = (load_score(folder, one.instance_id) for one in info.tasks)
    return ScoredRun(folder=folder, info=info, scores=tuple(one for one in found if one is not None))
