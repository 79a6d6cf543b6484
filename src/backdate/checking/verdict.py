"""What two sides mean: the verdict with its sentence, and the notes a reader has to know."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from backdate.checking.result import Comparison, Side, Verdict
from backdate.environments.environment import Environment, InterpreterChoice
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import SuiteRun
from backdate.text import first_line, plural


def decide(old: Side, new: Side, comparison: Comparison | None) -> tuple[Verdict, str]:
    """The verdict and one sentence that says why."""
    if comparison is None or old.run is None or new.run is None:
        return Verdict.CANNOT_TELL, _no_runs(old, new)
    good = sum(result.outcome.good for result in old.run.results)
    if not good:
        return Verdict.CANNOT_TELL, f"no test passes in the old environment: {_why(old.run)}"
    if comparison.broke:
        broke = len(comparison.broke)
        return Verdict.BROKE, f"{broke} of {good} tests that passed {plural(broke, 'fails', 'fail')} now"
    if new.run.status not in ("completed", "no-tests"):
        return Verdict.CANNOT_TELL, f"the new side's run did not end well: {_why(new.run)}"
    if not comparison.still_good:
        return (
            Verdict.CANNOT_TELL,
            f"no test of the old side was run again in the new environment: {_why(new.run)}",
        )
    return Verdict.NOTHING_BROKE, f"all {comparison.still_good} tests that passed and ran again still pass"


def _no_runs(old: Side, new: Side) -> str:
    if old.failure is not None:
        return f"the old environment does not build ({old.failure.phase})"
    if new.failure is not None:
        return f"the new environment does not build ({new.failure.phase})"
    return "the tests were not run"


def _why(run: SuiteRun) -> str:
    if run.status == "no-tests":
        return "nothing was collected"
    bad = sum(result.outcome.bad for result in run.results)
    if run.status == "completed":
        return f"{bad} failed" if bad else "all were skipped"
    return first_line(run.trouble) or run.status


def collect_notes(old: Side, new: Side) -> tuple[str, ...]:
    """Repairs, substitutes, cutoff overrides, weaker protections and suspicions, each in a sentence."""
    notes: list[str] = []
    for name, side in (("old", old), ("new", new)):
        if side.compromise:
            notes.append(f"{name} side: {side.compromise}")
        notes += [
            f"{name} side: {note}" for note in notes_of(side.recipe, side.choice, side.environment, side.run)
        ]
    return tuple(notes)


def notes_of(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> tuple[str, ...]:
    """Substitutes, cutoff overrides, weaker protections and suspicions, each in a sentence."""
    return tuple(_notes(recipe, choice, environment, run))


def _notes(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> Iterator[str]:
    if choice.note:
        yield choice.note
    base = environment.base if environment is not None else None
    yield from system_notes(recipe, base.packages if base is not None else ())
    if environment is not None:
        if environment.road:
            yield f"installed by {environment.road}"
        for override in environment.lock.cutoff_overrides:
            yield f"{override.name} was cut at {override.until:%Y-%m-%d} instead: {override.reason}"
    if run is not None:
        yield from run.suspicions
        if run.attempts > 1:
            yield f"it took {run.attempts} processes, as tests crashed them"
        if run.enforced.files == "none":
            yield f"ran without isolation ({run.enforced.sandbox})"
        elif run.enforced.memory != "tree":
            yield "the memory limit held for each process, not for all together"


def system_notes(recipe: Recipe, applied: Collection[str]) -> Iterator[str]:
    """The packages that the recipe asks for from the system and from conda; ``applied`` are there."""
    if applied:
        yield f"from apt, as they are today: {', '.join(applied)}"
    for manager in ("apt", "conda"):
        names = dict.fromkeys(
            name for system in recipe.system if system.manager == manager for name in system.packages
        )
        missing = [name for name in names if name not in applied]
        if missing:
            yield f"asked for from {manager}, not installed: {', '.join(missing)}"
