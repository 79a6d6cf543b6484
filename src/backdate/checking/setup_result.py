"""The result of a set-up: the best recipe, the proof of it, and every attempt on the way.

This is the format of ``backdate setup --json``. ``format`` is raised when a field changes its meaning or
goes away; new fields may come at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from backdate.checking.compare import Counts
from backdate.environments.environment import BuildFailure, Environment, InterpreterChoice
from backdate.migrations import (
    INSTALLER,
    LOCKS_AND_RECIPES_OF_FORMAT_1,
    Migration,
    from_before_builds_were_closed,
    read_result_file,
)
from backdate.projects.project import Origin
from backdate.recipes.adviser.consultation import Consultation
from backdate.recipes.recipe import Recipe, SkippedInstruction
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import SuiteRun
from backdate.timeline.instants import Instant

FORMAT = 4
MIGRATIONS = (
    Migration(to_format=2, renames=LOCKS_AND_RECIPES_OF_FORMAT_1),
    Migration(to_format=3, change=from_before_builds_were_closed),
    Migration(to_format=4, renames=INSTALLER),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRecord:
    """One recipe that was run from a clean start."""

    number: int
    """From 1, over all candidates."""
    candidate: int
    """The rank of the candidate that it began with, from 1."""
    source: str
    """Where that candidate comes from: "Travis CI, job …", "store: …", "adviser: …"."""
    round: int
    """0 for the candidate as it is, then one more for each repair."""
    repair: str = ""
    """What was changed before this attempt and why; empty in round 0."""
    recipe: Recipe
    python: str
    """The interpreter's version."""
    reached: Literal["proven", "tests", "install", "resolve"]
    """How far it came: ``tests``: the environment was built, and too few tests pass."""
    error: ErrorClass | None = None
    """What kept it from being proven."""
    message: str = ""
    """The line that says so."""
    counts: Counts = field(default_factory=Counts)
    build_s: float
    """Seconds until there was an environment, or none."""
    tests_s: float
    """Seconds of the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupResult:
    """What ``backdate setup`` found."""

    format: int = FORMAT
    backdate: str
    """The version that made this."""
    project: str
    origin: Origin
    instant: Instant
    proven: bool
    """Whether at least ``accept`` of the tests that ran pass with ``recipe``."""
    reason: str
    """One sentence."""
    accept: float
    recipe: Recipe | None
    """The best one, proven or not; None when there was none to try."""
    choice: InterpreterChoice | None = None
    environment: Environment | None = None
    failure: BuildFailure | None = None
    """Why the best attempt has no environment."""
    run: SuiteRun | None = None
    counts: Counts = field(default_factory=Counts)
    error: ErrorClass | None = None
    """What kept the best attempt from being proven."""
    repairs: tuple[str, ...] = ()
    """What was changed in the candidate to come to ``recipe``, in order, each with its reason."""
    attempts: tuple[AttemptRecord, ...]
    skipped: tuple[SkippedInstruction, ...] = ()
    """What the project's files say about installing and testing, and what was not followed."""
    notes: tuple[str, ...] = ()
    """What a reader has to know: substitutes, system packages that were not installed, cutoff overrides."""
    advice: Consultation | None = None
    """What an adviser was asked; None without one."""
    started: Instant
    duration_s: float
    folder: Path
    """Where the logs are."""


def read_setup_result(path: Path) -> SetupResult:
    """The set-up's result in the file at ``path``, of this version or an older one.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    return read_result_file("setup", SetupResult, path, FORMAT, MIGRATIONS)
