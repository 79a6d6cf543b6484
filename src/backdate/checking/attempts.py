"""Attempts of a set-up: one recipe that was run from a clean start, and what is told of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from backdate.checking.compare import count_outcomes
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.setup_class import SetupAssessment, SetupClass
from backdate.checking.setup_failures import message_of
from backdate.recipes.repair.builds import named_packages
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.remedies import what_helps
from backdate.recipes.repair.setup_failure import SetupFailure

if TYPE_CHECKING:
    from backdate.checking.setup_result import AttemptRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt with all that came of it."""

    record: AttemptRecord
    recipe_run: RecipeRun
    repairs: tuple[str, ...] = ()
    """All that was changed in the candidate so far."""
    failure: SetupFailure | None = None
    assessment: SetupAssessment
    absent: tuple[str, ...] = ()
    """What its tests want and the tree does not hold: see ``LoopBackend.absent_files``."""
    without_project: bool = False
    """Whether the project is not installed, though the recipe that it began with installs it."""

    @property
    def tells(self) -> bool:
        """Whether its error stood in the way: not what is missing where the project was given up."""
        return bool(self.record.counts.passed) or not self.without_project

    @property
    def proven(self) -> bool:
        """Whether the search ends with it."""
        return self.record.setup_class.proven

    @property
    def weak(self) -> bool:
        """Whether what ran passes, and too little of what is there ran."""
        return self.record.setup_class is SetupClass.WEAK

    @property
    def score(self) -> tuple[int, int, float]:
        """More is better: how far it came, then how many tests pass, then which part of them."""
        reached = {"resolve": 0, "install": 1, "tests": 2}[self.record.reached]
        reached = 4 if self.proven else 3 if self.weak else reached
        return reached, self.record.counts.passed, self.record.counts.share

    def improves_on(self, before: Attempt) -> bool:
        """Whether this is where to go on: it came further, or as far and met another error."""
        if self.score != before.score:
            return self.score > before.score
        return self._error() != before._error()

    def _error(self) -> tuple[object, ...]:
        failure = self.recipe_run.failure
        missing = frozenset(self.failure.missing_modules) if self.failure is not None else frozenset()
        message = failure.message if failure is not None else ""
        return self.record.error, self.record.message, message, missing


def record_of(
    recipe_run: RecipeRun,
    assessment: SetupAssessment,
    failure: SetupFailure | None,
    error: ErrorClass | None,
    *,
    number: int,
    candidate: int,
    source: str,
    round_: int,
    repair: str,
    apt: bool,
) -> AttemptRecord:
    """What is kept of an attempt. ``apt``: whether Debian packages are applied."""
    from backdate.checking.setup_result import AttemptRecord

    run = recipe_run.run
    helps = message = ""
    if failure is not None and error is not None:
        helps = what_helps(
            error,
            failure.text,
            of_build=failure.phase != "tests",
            apt=apt,
            named=named_packages(failure.text, recipe_run.recipe),
            refused=failure.refused,
        )
        message = message_of(recipe_run, assessment)
    return AttemptRecord(
        number=number,
        candidate=candidate,
        source=source,
        round=round_,
        repair=repair,
        recipe=recipe_run.recipe,
        python=recipe_run.choice.interpreter.version,
        setup_class=assessment.setup_class,
        reached=_reached(recipe_run),
        error=error,
        message=message,
        help=helps,
        counts=count_outcomes(run),
        build_s=recipe_run.build_s,
        tests_s=run.duration_s if run is not None else 0.0,
    )


def _reached(recipe_run: RecipeRun) -> Literal["tests", "install", "resolve"]:
    if recipe_run.failure is None:
        return "tests"
    return "resolve" if recipe_run.failure.phase == "resolve" else "install"
