"""Why a recipe that was run is not proven: as plain data, which rules of repair read, and in one line."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.compare import count_outcomes, says_little
from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun
from backdate.recipes.repair.setup_failure import MOST_TEXT, Phase, Problem, SetupFailure, read_failure
from backdate.recipes.repair.telling import raised_line, telling_line
from backdate.testing.outcomes import Raised, SuiteRun
from backdate.testing.trouble import trouble_line
from backdate.text import end_of_file

if TYPE_CHECKING:
    from backdate.checking.setup_class import SetupAssessment

_LIMITS = ("timeout", "oom", "disk-limit")
_MOST_FILES = 20
_BUILD_PHASES: dict[str, Phase] = {"resolve": "resolve", "install": "install"}


def setup_failure_of(recipe_run: RecipeRun, dated: DatedProject, pythons: tuple[str, ...]) -> SetupFailure:
    """Why ``recipe_run`` is not proven. ``pythons``: the interpreters that could be used instead."""
    if recipe_run.failure is not None:
        failure = recipe_run.failure
        return read_failure(
            phase=_BUILD_PHASES.get(failure.phase, "install"),
            status=failure.phase,
            texts=(failure.message, end_of_log(failure.log)),
            python=recipe_run.choice.interpreter.version,
            instant=dated.instant,
            pythons=pythons,
            by_pip=failure.tried_pip,
            refused=failure.refused,
            version_hint=dated.version_hint,
        )
    assert recipe_run.run is not None
    run, counts = recipe_run.run, count_outcomes(recipe_run.run)
    read = read_failure(
        phase="tests",
        status=run.status,
        texts=(run.trouble, end_of_log(run.log)),
        python=recipe_run.choice.interpreter.version,
        instant=dated.instant,
        pythons=pythons,
        problems=problems_of(run),
        by_pip=bool(recipe_run.environment is not None and recipe_run.environment.installer),
        exit_code=run.exit_code,
        passed=counts.passed,
        ran=counts.ran,
        version_hint=dated.version_hint,
    )
    environment = recipe_run.environment
    lock = environment.lock.distributions if environment is not None else ()
    return replace(read, installed={locked.name: locked.version for locked in lock} or None)


def message_of(recipe_run: RecipeRun, assessment: SetupAssessment | None = None) -> str:
    """One line that says why ``recipe_run`` is not proven."""
    if assessment is not None and assessment.weak:
        return f"only {assessment.covered} of {assessment.defined} tests that the files define ran"
    if recipe_run.failure is not None:
        return telling_line(recipe_run.failure.message)
    assert recipe_run.run is not None
    counts = count_outcomes(recipe_run.run)
    raised = Counter(
        raised_line(error.type, error.message)
        for result in recipe_run.run.results
        if result.outcome.bad
        for error in result.raised[-1:]
    )
    if raised and says_little(recipe_run.run) and recipe_run.run.status not in _LIMITS:
        return raised.most_common(1)[0][0]
    if not recipe_run.run.trouble:
        return f"{counts.passed} of {counts.ran} tests pass" if counts.ran else "no test ran"
    return trouble_line(recipe_run.run) or "no message"


def problems_of(run: SuiteRun) -> tuple[Problem, ...]:
    """The exceptions that stopped tests or the runner, with how often and where, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    files: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for raised in _stopping(run):
        key = (raised.type, raised.message)
        counts[key] += 1
        if raised.frames and len(files[key]) < _MOST_FILES:
            files[key][raised.frames[-1].file] = None
    return tuple(
        Problem(type=kind, message=message, count=number, files=tuple(files[kind, message]))
        for (kind, message), number in counts.most_common()
    )


def _stopping(run: SuiteRun) -> Iterator[Raised]:
    """The exception of each bad result that says most: the last one, and those that led to it."""
    yield from run.raised
    for result in run.results:
        if result.outcome.bad:
            yield from result.raised


def end_of_log(log: Path) -> str:
    """A log, from its end as far as rules look at all; empty where there is none."""
    return end_of_file(log, 4 * MOST_TEXT)
