"""The loop: candidates in their order, each tried from clean, repaired a few rounds, until one is proven.

It builds and runs nothing itself: a ``LoopBackend`` does, and tests drive the loop with one of their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Protocol

from backdate.checking.attempts import Attempt, record_of
from backdate.checking.learnt import with_learnt
from backdate.checking.progress import AttemptStarted
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.settings import SetupOptions
from backdate.checking.setup_class import SetupAssessment, SetupClass, assess
from backdate.checking.starting_recipes import StartingRecipe, effect_key, extracted
from backdate.environments.environment import InterpreterChoice
from backdate.progress import NO_PROGRESS, ONLY, Reporter
from backdate.recipes.defined_tests import DefinedTests
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.builds import named_packages
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair, RepairKind
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.testing.outcomes import SuiteRun

_FOR_MORE_TESTS = 5
"""Further recipes that are tried after one of which too few tests ran."""


class LoopBackend(Protocol):
    """What the loop needs done; ``loop_backend.py`` has the real one."""

    @property
    def apt(self) -> bool:
        """Whether the Debian packages of recipes are applied."""
        ...

    def startable_services(self, recipe: Recipe) -> tuple[object, ...]:
        """What of the services that ``recipe`` wants would be started."""
        ...

    def choose(self, recipe: Recipe, python: str | None) -> InterpreterChoice:
        """The interpreter for ``recipe``; ``python`` is one that a repair asks for."""
        ...

    def run(self, recipe: Recipe, choice: InterpreterChoice, python: str | None, number: int) -> RecipeRun:
        """Run ``recipe`` from clean, as attempt ``number``; ``python`` as for ``choose``."""
        ...

    def defined_tests(self) -> DefinedTests:
        """The tests that the project's files define."""
        ...

    def absent_files(self, run: SuiteRun | None) -> tuple[str, ...]:
        """The names of files that the source lacks, those among them that only ``run`` tells of."""
        ...

    def failure(self, recipe_run: RecipeRun, assessment: SetupAssessment) -> SetupFailure:
        """Why that is not proven."""
        ...

    def classify(self, failure: SetupFailure) -> ErrorClass:
        """The class of an error."""
        ...

    def repairs(self, failure: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """What the rules propose, the best first."""
        ...


@dataclass(slots=True)
class Loop:
    """Candidates tried and repaired; what was tried is never tried again."""

    backend: LoopBackend
    options: SetupOptions
    root: Path
    enough: Callable[[RecipeRun], bool] | None = None
    """When a recipe ends the search; None for the criterion of the options."""
    progress: Reporter = NO_PROGRESS
    subject: str = ONLY
    """The environment whose recipes are tried, in progress events."""
    tried: list[Attempt] = field(default_factory=list)
    hints: dict[str, None] = field(default_factory=dict)
    """What might have helped on another machine or with other settings, in order."""
    _started: float = field(default_factory=time.monotonic)
    _learnt: list[tuple[Recipe, Recipe, str]] = field(default_factory=list)
    """The recipes before and after each repair that helped, and the repair."""
    _effects: set[str] = field(default_factory=set)
    _defined: DefinedTests | None = None

    def run(self, starts: Sequence[StartingRecipe], *, known: RecipeRun | None = None) -> Attempt | None:
        """The attempt that is proven, else the best one; None when there was nothing to try.

        ``known``: the run of the first of ``starts``, where there is one already. An adviser comes last.
        """
        own = ((start, False) for start in starts)
        for rank, (start, advised) in enumerate(chain(own, self._advised()), start=1):
            proven = self._candidate(rank, start, known if rank == 1 else None, advised=advised)
            if proven is not None:
                return proven
        return self.best()

    def best(self) -> Attempt | None:
        """The best attempt so far; None before the first.

        Of those whose tests start and that are as good it is the one that more repairs led to: they removed
        what stood before its error. What does not even resolve is told as it was asked for.
        """

        def rank(attempt: Attempt) -> tuple[bool, tuple[int, int, float], int]:
            starts = attempt.record.reached == "tests"
            return attempt.tells, attempt.score, len(attempt.repairs) if starts else 0

        return max(self.tried, key=rank, default=None)

    def _advised(self) -> Iterator[tuple[StartingRecipe, bool]]:
        """What an adviser would begin with, asked once nothing else was proven and attempts are left."""
        if self.options.adviser is not None and not self._budget_exhausted(advised=True):
            for start in extracted(self.options.adviser.recipes(self.root), "adviser"):
                yield start, True

    def _candidate(
        self, rank: int, start: StartingRecipe, known: RecipeRun | None, *, advised: bool
    ) -> Attempt | None:
        """The proven attempt that ``start`` leads to, if one does. ``advised``: an adviser's."""
        recipe, learnt = self._with_learnt(start.recipe)
        best = self._attempt(rank, start, recipe, start.python, 0, learnt, known, advised=advised)
        if best is None:
            return None
        if best.proven:
            return self._with_built_modules(rank, start, best, advised=advised)
        proposals = self._proposals(best)
        round_, left = 0, self.options.rounds
        while left:
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
            round_, left = round_ + 1, left - 1
            if after.proven:
                return self._with_built_modules(rank, start, after, advised=advised or asked)
            if after.improves_on(best):
                self._learnt.append((best.recipe_run.recipe, after.recipe_run.recipe, changes[-1]))
                if after.record.reached == "tests" != best.record.reached:
                    left = self.options.rounds  # what a build lacked says nothing of what tests lack
                best, proposals = after, self._proposals(after)
                advised = advised or asked
        return None

    def _with_built_modules(
        self, rank: int, start: StartingRecipe, proven: Attempt, *, advised: bool
    ) -> Attempt:
        """``proven``, or what is better: run against the modules that the build makes.

        A file of tests that cannot be imported counts as one, however many tests it holds: few such files
        leave a recipe proven, and the tests of a compiled module unseen.
        """
        if self.enough is not None or not self.options.rounds or not proven.record.counts.not_collected:
            return proven
        failure = self.backend.failure(proven.recipe_run, proven.assessment)
        for repair in self.backend.repairs(failure, proven.recipe_run.recipe):
            if repair.kind is not RepairKind.BUILT_MODULES:
                continue
            changes = (*proven.repairs, f"{repair.rule}: {repair.reason}")
            after = self._attempt(
                rank, start, repair.recipe, proven.recipe_run.python, 1, changes, None, advised=advised
            )
            if after is not None and after.proven and after.score > proven.score:
                return after
        return proven

    def _with_learnt(self, recipe: Recipe) -> tuple[Recipe, tuple[str, ...]]:
        """``recipe`` with what repairs of recipes before it showed of the project, and these repairs."""
        learnt: list[str] = []
        for before, after, change in self._learnt:
            changed = with_learnt(recipe, before, after)
            if changed != recipe:
                recipe = changed
                learnt.append(f"as for another recipe: {change}")
        return recipe, tuple(learnt)

    def _hint(self, before: Attempt, repair: Repair) -> None:
        """Keep in mind what was not tried because nothing of it would be applied."""
        if repair.recipe.system != before.recipe_run.recipe.system and not self.backend.apt:
            self.hints[f"not tried without --apt: {repair.rule}: {repair.reason}"] = None
        elif _beside(repair.recipe) != _beside(before.recipe_run.recipe):
            self.hints[f"not tried, as this machine cannot give it: {repair.rule}: {repair.reason}"] = None

    def _hint_of_system(self, attempt: Attempt) -> None:
        """Keep in mind that a recipe names the Debian packages of what its build lacked."""
        failure = attempt.failure
        if failure is None or failure.phase == "tests" or self.backend.apt:
            return
        named = named_packages(failure.text, attempt.recipe_run.recipe)
        if named:
            packages = ", ".join(named)
            self.hints[f"{attempt.record.source}: its build lacks {packages}; run with --apt as root"] = None

    def _budget_exhausted(self, *, advised: bool) -> bool:
        """Whether nothing more may be begun: the rules leave a part of what there is to an adviser.

        Once a recipe was weak only a few more are tried for one that runs more tests.
        """
        options = self.options
        most, within_s = options.attempts, options.begin_within_s
        if not advised:
            most, within_s = options.attempts_of_rules, options.begin_rules_within_s
        weak = next((attempt.record.number for attempt in self.tried if attempt.weak), None)
        if weak is not None:
            most = min(most, weak + _FOR_MORE_TESTS)
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
        effect = effect_key(
            recipe,
            choice.interpreter.version,
            apt=self.backend.apt,
            services=self.backend.startable_services(recipe),
        )
        if effect in self._effects:
            return None
        self._effects.add(effect)
        number = len(self.tried) + 1
        if known is None:
            self.progress.report(
                AttemptStarted(
                    subject=self.subject,
                    number=number,
                    most=self.options.attempts,
                    reason=repairs[-1] if repairs else start.source,
                    python=choice.interpreter.version,
                )
            )
        recipe_run = known or self.backend.run(recipe, choice, python, number)
        attempt = self._assessed(rank, start, round_, repairs, recipe_run, number)
        self.tried.append(attempt)
        self._hint_of_system(attempt)
        return attempt

    def _assessed(
        self,
        rank: int,
        start: StartingRecipe,
        round_: int,
        repairs: tuple[str, ...],
        recipe_run: RecipeRun,
        number: int,
    ) -> Attempt:
        """The attempt that ``recipe_run`` is, with its class."""
        absent: tuple[str, ...] = ()
        if self.enough is None:
            absent = self.backend.absent_files(recipe_run.run)
            assessment = assess(recipe_run.run, self.options.accept, self._count_defined, absent=absent)
        else:
            reached = self.enough(recipe_run)
            assessment = SetupAssessment(setup_class=SetupClass.PROVEN if reached else SetupClass.NOT_PROVEN)
        proven = assessment.setup_class.proven
        failure = None if proven else self.backend.failure(recipe_run, assessment)
        error = None if failure is None else self.backend.classify(failure)
        record = record_of(
            recipe_run,
            assessment,
            failure,
            error,
            number=number,
            candidate=rank,
            source=start.source,
            round_=round_,
            repair=repairs[-1] if repairs else "",
            apt=self.backend.apt,
        )
        return Attempt(
            record=record,
            recipe_run=recipe_run,
            repairs=repairs,
            failure=failure,
            assessment=assessment,
            absent=absent,
            without_project=_installs_project(start.recipe) and not _installs_project(recipe_run.recipe),
        )

    def _count_defined(self) -> DefinedTests:
        if self._defined is None:
            self._defined = self.backend.defined_tests()
        return self._defined


def _installs_project(recipe: Recipe) -> bool:
    return any(step.kind == "project" for step in recipe.install)


def _beside(recipe: Recipe) -> tuple[object, ...]:
    """What its tests get beside the environment."""
    return recipe.services, recipe.locales
