"""What two sides mean: the verdict with its sentence, and the notes a reader has to know."""

from __future__ import annotations

from backdate.checking.notes import notes_of
from backdate.checking.result import Comparison, Side, Verdict
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
    """Repairs, substitutes, cutoff_overrides, weaker protections and suspicions, each in a sentence."""
    notes: list[str] = []
    for name, side in (("old", old), ("new", new)):
        if side.compromise:
            notes.append(f"{name} side: {side.compromise}")
        notes += [
            f"{name} side: {note}" for note in notes_of(side.recipe, side.choice, side.environment, side.run)
        ]
    return tuple(notes)
