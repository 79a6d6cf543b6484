"""The suites of several test plans of one recipe, as one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from backdate.environments.environment import Environment
from backdate.recipes.recipe import MOST_PLANS, SuitePlan
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.testing.integrity import merge_integrities
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
from backdate.testing.run import LEAST_WALL_S, run_suite
from backdate.testing.run_options import RunKeywords
from backdate.testing.suspicions import missing_choices


def run_plans(
    sandbox: Sandbox,
    environment: Environment,
    tree: Path,
    plans: Sequence[SuitePlan],
    *,
    limits: Limits,
    log_folder: Path,
    only: Sequence[str] | None = None,
    **options: Unpack[RunKeywords],
) -> SuiteRun:
    """Run the suites of ``plans``, at least one, one after the other, and tell every outcome in one run.

    Of a test that several plans run the first outcome counts. How the run ended is how the first plan
    ended, unless that one found no tests and another did; what went wrong with the others is in
    ``trouble``. All of them share ``limits.wall_s``. ``log_folder`` gets the files of the first plan, its
    folders ``further-2``, … those of the others. The rest is as for ``run_suite``.
    """
    runs: list[SuiteRun] = []
    for number, plan in enumerate(plans[:MOST_PLANS], start=1):
        left = limits.wall_s - sum(run.duration_s for run in runs)
        if runs and left < LEAST_WALL_S:
            break
        runs.append(
            run_suite(
                sandbox,
                environment,
                tree,
                plan,
                limits=replace(limits, wall_s=left),
                log_folder=log_folder if number == 1 else log_folder / f"further-{number}",
                only=only,
                **options,
            )
        )
    return runs[0] if len(plans) == 1 else _as_one(runs, len(plans), only)


def _as_one(runs: Sequence[SuiteRun], wanted: int, only: Sequence[str] | None) -> SuiteRun:
    first = runs[0]
    results: dict[str, CaseResult] = {}
    for run in runs:
        for result in run.results:
            known = results.get(result.id)
            if known is None or known.outcome is Outcome.NOT_COLLECTED:
                results[result.id] = result
    leading = first
    if first.status == "no-tests":
        leading = next((run for run in runs if run.status == "completed"), first)
    trouble = [leading.trouble] if leading.trouble else []
    trouble += [
        f"Test command {number} ended as {run.status}: {run.trouble}"
        for number, run in enumerate(runs, start=1)
        if run is not leading and run.status not in ("completed", "no-tests")
    ]
    if len(runs) < wanted:
        trouble.append(f"{wanted - len(runs)} of {wanted} test commands were not run.")
    merged = tuple(results.values())
    peaks = [run.peak_memory_bytes for run in runs if run.peak_memory_bytes is not None]
    return replace(
        leading,
        results=merged,
        trouble=" ".join(trouble),
        log_end=next((run.log_end for run in (leading, *runs) if run.log_end), ""),
        suspicions=_suspicions(runs, only, merged),
        duration_s=sum(run.duration_s for run in runs),
        peak_memory_bytes=max(peaks, default=None),
        attempts=max(run.attempts for run in runs),
        integrity=merge_integrities(run.integrity for run in runs),
    )


def _suspicions(
    runs: Sequence[SuiteRun], only: Sequence[str] | None, results: Sequence[CaseResult]
) -> tuple[str, ...]:
    """Those of all runs; that chosen tests did not come up is one only where no plan has them."""
    found: dict[str, None] = {}
    for run in runs:
        own = None if only is None else missing_choices(only, run.results)
        found |= dict.fromkeys(one for one in run.suspicions if one != own)
    missing = None if only is None else missing_choices(only, results)
    return (*found, missing) if missing else tuple(found)
