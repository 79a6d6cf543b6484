"""Auditing a check: whether the tests of a side that passes assert something."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import run_tests, with_own_frames
from backdate.checking.resources import Resources
from backdate.checking.result import CheckAudit, Side
from backdate.checking.settings import AuditOptions
from backdate.checking.sides import SidePair
from backdate.progress import Activity, Reporter, StageReporter
from backdate.testing.changed_tests.audit import audit_suite
from backdate.testing.changed_tests.changed_tree import limits_of
from backdate.testing.outcomes import Outcome, SuiteRun

_SEED_BITS = 48  # exact in every reader of JSON


def audit_pair(
    pair: SidePair, resources: Resources, options: AuditOptions, folder: Path, progress: Reporter
) -> CheckAudit:
    """Audit the old side of ``pair``, or the new one where no test passes on the old one.

    ``folder`` gets the logs.
    """
    seed = secrets.randbits(_SEED_BITS) if options.seed is None else options.seed
    chosen = _passing_side(pair)
    if chosen is None:
        return CheckAudit(problem="no test passes on either side")
    name, side, dated, run = chosen
    environment = side.environment
    assert environment is not None, "a side that ran has one"
    progress.report(Activity(text=f"auditing the tests of the {name} side"))
    limits = limits_of(run)
    problems: list[str] = []
    runs: list[SuiteRun] = []

    def rerun(tree: Path, only: Sequence[str], label: str) -> SuiteRun:
        again = run_tests(
            side.recipe,
            replace(dated, tree=tree),  # with the digest of the other: it is the environment's
            resources,
            environment,
            log_folder=folder / label,
            only=only or None,
            changed_limits=limits,
            progress=progress,
            subject=name,
        )
        if again.status != "completed":
            problems.append(f"{label}: {again.status}")
        runs.append(again)
        return with_own_frames(again, tree)

    with tempfile.TemporaryDirectory(prefix="backdate-audit-", ignore_cleanup_errors=True) as temporary:
        scratch = Path(temporary)
        scratch.chmod(0o755)  # the sandbox's user has to enter it
        suite = audit_suite(run, dated.tree, scratch, rerun, most=options.tests, seed=seed)
    StageReporter(progress, name).enter("done")
    return CheckAudit(
        side=name,
        suite=suite,
        problem="; ".join(problems),
        duration_s=sum(one.duration_s for one in runs),
    )


def _passing_side(
    pair: SidePair,
) -> tuple[Literal["old", "new"], Side, DatedProject, SuiteRun] | None:
    if _passes(pair.old.run) and pair.old.run is not None:
        return "old", pair.old, pair.old_project, pair.old.run
    if _passes(pair.new.run) and pair.new.run is not None:
        return "new", pair.new, pair.new_project, pair.new.run
    return None


def _passes(run: SuiteRun | None) -> bool:
    return run is not None and any(result.outcome is Outcome.PASSED for result in run.results)
