"""The loop: candidates in their order, each tried from clean, repaired a few rounds, until one is proven.

It builds and runs nothing itself: a ``LoopBackend`` does, and tests drive the loop with one of their own.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal, Protocol

from backdate.checking.compare import Counts, count_outcomes, is_proven
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.settings import SetupOptions
from backdate.checking.setup_result import AttemptRecord
from backdate.checking.starting_recipes import StartingRecipe, effect_key, extracted
from backdate.environments.environment import InterpreterChoice
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.testing.outcomes import SuiteRun
from backdate.text import first_line

_LIMITS = ("timeout", "oom", "disk-limit")
_NAMES_AN_ERROR = re.compile(r"(?:^|[\s.])\w{0,60}(?:[Ee]rror|ERROR|Exception)\b")


class LoopBackend(Protocol):
    """What the loop needs done; ``loop_backend.py`` has the real one."""

    @property
    def apt(self) -> bool:
        """Whether the Debian packages of recipes are applied."""
        ...

    def choose(self, recipe: Recipe, python: str | None) -> InterpreterChoice:
        """The interpreter for ``recipe``; ``python`` is one that a repair asks for."""
        ...

    def run(self, recipe: Recipe, choice: InterpreterChoice, python: str | None, number: int) -> RecipeRun:
        """Run ``recipe`` from clean, as attempt ``number``; ``python`` as for ``choose``."""
        ...

    def failure(self, recipe_run: RecipeRun) -> SetupFailure:
        """Why that is not proven."""
        ...

    def classify(self, failure: SetupFailure) -> ErrorClass:
        """The class of an error."""
        ...

    def repairs(self, failure: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """What the rules propose, the best first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One attempt with all that came of it."""

    record: AttemptRecord
    recipe_run: RecipeRun
    repairs: tuple[str, ...] = ()
    """All that was changed in the candidate so far."""
    failure: SetupFailure | None = None

    @property
    def proven(self) -> bool:
        """Whether the search ends with it."""
        return self.record.reached == "proven"

    @property
    def score(self) -> tuple[int, int, float]:
        """More is better: how far it came, then how many tests pass, then which part of them."""
        reached = {"resolve": 0, "install": 1, "tests": 2, "proven": 3}[self.record.reached]
        return reached, self.record.counts.passed, self.record.counts.share

    def improves_on(self, before: Attempt) -> bool:
        """Whether this is where to go on: it came further, or as far and met another error."""
        if self.score != before.score:
            return self.score > before.score
        return self._error() != before._error()

    def _error(self) -> tuple[object, ...]:
        failure = self.recipe_run.failure
        return self.record.error, self.record.message, failure.message if failure is not None else ""


@dataclass(slots=True)
class Loop:
    """Candidates tried and repaired; what was tried is never tried again."""

    backend: LoopBackend
    options: SetupOptions
    root: Path
    enough: Callable[[RecipeRun], bool] | None = None
    """When a recipe ends the search; None for the criterion of the options."""
    tried: list[Attempt] = field(default_factory=list)
    hints: dict[str, None] = field(default_factory=dict)
    """What might have helped on another machine or with other settings, in order."""
    _started: float = field(default_factory=time.monotonic)
    _effects: set[str] = field(default_factory=set)

    def run(self, starts: Sequence[StartingRecipe], *, known: RecipeRun | None = None) -> Attempt | None:
        """The attempt that is proven, else the best one; None when there was nothing to try.

        ``known``: the run of the first of ``starts``, where there is one already. An adviser comes last.
        """
        own = ((start, False) for start in starts)
        for rank, (start, advised) in enumerate(chain(own, self._advised()), start=1):
            proven = self._candidate(rank, start, known if rank == 1 else None, advised=advised)
            if proven is not None:
                return proven
        return max(self.tried, key=lambda attempt: attempt.score, default=None)

    def _advised(self) -> Iterator[tuple[StartingRecipe, bool]]:
        """What an adviser would begin with, asked once nothing else was proven and attempts are left."""
        if self.options.adviser is not None and not self._budget_exhausted(advised=True):
            for start in extracted(self.options.adviser.recipes(self.root), "adviser"):
                yield start, True

    def _candidate(
        self, rank: int, start: StartingRecipe, known: RecipeRun | None, *, advised: bool
    ) -> Attempt | None:
        """The proven attempt that ``start`` leads to, if one does. ``advised``: an adviser's."""
        best = self._attempt(rank, start, start.recipe, start.python, 0, (), known, advised=advised)
        if best is None or best.proven:
            return best
        proposals = self._proposals(best)
        round_ = 0
        while round_ < self.options.rounds:
            repair, asked = next(proposals, (None, False))
            if repair is None:
                return None
            python = repair.interpreter or best.recipe_run.python
            changes = (*best.repairs, f"{repair.rule}: {repair.reason}")
            after = self._attempt(
                rank, start, repair.recipe, python, round_ + 1, changes, None, advised=advised or asked
            )
            if after is None:
                self._hint(best, repair)
                if self._budget_exhausted(advised=True):
                    return None
                continue
            round_ += 1
            if after.proven:
                return after
            if after.improves_on(best):
                best, proposals = after, self._proposals(after)
                advised = advised or asked
        return None

    def _hint(self, before: Attempt, repair: Repair) -> None:
        """Keep in mind what was not tried because nothing of it would be applied."""
        if repair.recipe.system != before.recipe_run.recipe.system and not self.backend.apt:
            self.hints[f"not tried without --apt: {repair.rule}: {repair.reason}"] = None

    def _budget_exhausted(self, *, advised: bool) -> bool:
        """Whether nothing more may be begun: the rules leave a part of what there is to an adviser."""
        options = self.options
        most, within_s = options.attempts, options.begin_within_s
        if not advised:
            most, within_s = options.attempts_of_rules, options.begin_rules_within_s
        return len(self.tried) >= most or time.monotonic() - self._started >= within_s

    def _proposals(self, attempt: Attempt) -> Iterator[tuple[Repair, bool]]:
        """What may help, and whether an adviser says so; the rules' proposals first."""
        assert attempt.failure is not None
        recipe = attempt.recipe_run.recipe
        if self.options.rounds:
            for repair in self.backend.repairs(attempt.failure, recipe):
                yield repair, False
            for _ in range(self.options.rounds if self.options.adviser is not None else 0):
                assert self.options.adviser is not None
                proposed = self.options.adviser.propose(attempt.failure, recipe, self.root)
                if proposed is None:
                    return
                yield proposed, True

    def _attempt(
        self,
        rank: int,
        start: StartingRecipe,
        recipe: Recipe,
        python: str | None,
        round_: int,
        repairs: tuple[str, ...],
        known: RecipeRun | None,
        *,
        advised: bool,
    ) -> Attempt | None:
        """Run ``recipe``, or take ``known``; None when it was tried before or no attempt is left."""
        if self._budget_exhausted(advised=advised):
            return None
        choice = known.choice if known is not None else self.backend.choose(recipe, python)
        effect = effect_key(recipe, choice.interpreter.version, apt=self.backend.apt)
        if effect in self._effects:
            return None
        self._effects.add(effect)
        number = len(self.tried) + 1
        recipe_run = known or self.backend.run(recipe, choice, python, number)
        proven = self.enough(recipe_run) if self.enough else is_proven(recipe_run.run, self.options.accept)
        failure = None if proven else self.backend.failure(recipe_run)
        record = AttemptRecord(
            number=number,
            candidate=rank,
            source=start.source,
            round=round_,
            repair=repairs[-1] if repairs else "",
            recipe=recipe,
            python=choice.interpreter.version,
            reached="proven" if proven else _reached(recipe_run),
            error=None if failure is None else self.backend.classify(failure),
            message="" if failure is None else message_of(recipe_run),
            counts=count_outcomes(recipe_run.run),
            build_s=recipe_run.build_s,
            tests_s=recipe_run.run.duration_s if recipe_run.run is not None else 0.0,
        )
        attempt = Attempt(record=record, recipe_run=recipe_run, repairs=repairs, failure=failure)
        self.tried.append(attempt)
        return attempt


def _reached(recipe_run: RecipeRun) -> Literal["tests", "install", "resolve"]:
    if recipe_run.failure is None:
        return "tests"
    return "resolve" if recipe_run.failure.phase == "resolve" else "install"


def message_of(recipe_run: RecipeRun) -> str:
    """One line that says why ``recipe_run`` is not proven."""
    if recipe_run.failure is not None:
        return first_line(recipe_run.failure.message) or "no message"
    assert recipe_run.run is not None
    counts: Counts = count_outcomes(recipe_run.run)
    raised = [
        error for result in recipe_run.run.results if result.outcome.bad for error in result.raised[-1:]
    ]
    if raised and not counts.passed and recipe_run.run.status not in _LIMITS:
        return first_line(f"{raised[0].type}: {raised[0].message}")
    if not recipe_run.run.trouble:
        return f"{counts.passed} of {counts.ran} tests pass" if counts.ran else "no test ran"
    return _shortened_trouble(recipe_run.run)


def _shortened_trouble(run: SuiteRun) -> str:
    """One line of why a run ended: of the log's end only the last line that names an error, if one does."""
    lines = [line for line in run.log_end.splitlines() if _NAMES_AN_ERROR.search(line)]
    errors = [line for line in lines if "usage:" not in line]
    if not errors:
        return first_line(run.trouble) or "no message"
    before = run.trouble.partition(run.log_end)[0]
    return first_line(f"{' '.join(before.split())} {errors[-1].strip()}")
