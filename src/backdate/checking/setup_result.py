"""The result of a set-up: the best recipe, the proof of it, and every attempt on the way.

This is the format of ``backdate setup --json``. ``format`` is raised when a field changes its meaning or
goes away; new fields may come at any time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from backdate.checking.compare import Counts
from backdate.checking.setup_class import FailedTests, SetupClass
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


def _with_classes(document: dict[str, Any]) -> dict[str, Any]:
    """A change for a Migration: each set-up and each attempt has a class."""
    proven = document.pop("proven", False)
    document.setdefault("setup_class", SetupClass.PROVEN if proven else SetupClass.NOT_PROVEN)
    for attempt in document.get("attempts", ()):
        reached = attempt.get("reached") == "proven"
        attempt.setdefault("setup_class", SetupClass.PROVEN if reached else SetupClass.NOT_PROVEN)
        if reached:
            attempt["reached"] = "tests"
    return document


FORMAT = 5
MIGRATIONS = (
    Migration(to_format=2, renames=LOCKS_AND_RECIPES_OF_FORMAT_1),
    Migration(to_format=3, change=from_before_builds_were_closed),
    Migration(to_format=4, renames=INSTALLER),
    Migration(to_format=5, change=_with_classes),
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
    setup_class: SetupClass
    """How far the recipe is proven."""
    reached: Literal["tests", "install", "resolve"]
    """How far it came: ``tests``: the environment was built."""
    error: ErrorClass | None = None
    """What kept it from being proven."""
    message: str = ""
    """The line that says so."""
    help: str = ""
    """What would help, in one sentence; empty where it is proven."""
    counts: Counts = field(default_factory=Counts)
    build_s: float
    """Seconds until there was an environment, or none."""
    tests_s: float
    """Seconds of the tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupResult:
    """What ``backdate setup`` found."""

    format: int = FORMAT
    kind: Literal["setup"] = "setup"
    """What tells this result from those of other commands (``output/stored.py``)."""
    backdate: str
    """The version that made this."""
    project: str
    origin: Origin
    instant: Instant
    setup_class: SetupClass
    """How far ``recipe`` is proven by the project's own tests."""
    reason: str
    """One sentence."""
    interrupted: bool = False
    """Whether Ctrl-C or SIGTERM ended the search: more was to be tried."""
    accept: float
    recipe: Recipe | None
    """The best one, proven or not; None when there was none to try."""
    choice: InterpreterChoice | None = None
    environment: Environment | None = None
    failure: BuildFailure | None = None
    """Why the best attempt has no environment."""
    run: SuiteRun | None = None
    counts: Counts = field(default_factory=Counts)
    outside: int = 0
    """Tests of ``run`` that failed for want of the network, a service or files."""
    defined: int = 0
    """Tests that the project's files define; 0 where nobody counted, as too few of those that ran pass."""
    covered: int = 0
    """How many of them ran."""
    failures: tuple[FailedTests, ...] = ()
    """What failed with ``recipe``, by class and cause, the most frequent first."""
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

    @property
    def proven(self) -> bool:
        """Whether the recipe may be relied on, be it but for tests that want what is elsewhere."""
        return self.setup_class.proven


def read_setup_result(path: Path) -> SetupResult:
    """The set-up's result in the file at ``path``, of this version or an older one.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    return read_result_file("setup", SetupResult, path, FORMAT, MIGRATIONS)
