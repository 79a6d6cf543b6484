"""The walk of a fix: check the project, let a solver work on what broke, look at what it made once more."""

from __future__ import annotations

import tempfile
import time
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from backdate.advising.advised_check import check_with_advice
from backdate.checking.options import SideKeywords
from backdate.checking.question import Question
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult, Verdict
from backdate.checking.sides import pair_of_check
from backdate.fixing.mended_build import builds_no_more, mend_build
from backdate.fixing.result import FixOutcome, FixResult
from backdate.fixing.rounds import FixedFiles, FixOptions, FixRounds, OpenSolver
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.locked_versions import LockedVersions
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.interface import Solver
from backdate.version import __version__


def fix_project(
    resources: Resources,
    source: str | Path,
    *,
    solver: OpenSolver | None = None,
    question: Question = Question.LIFTED,
    options: FixOptions | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
    **sides: Unpack[SideKeywords],
) -> FixedFiles:
    """What makes the tests of the project pass again that dependency updates broke.

    Nothing of ``source`` is changed. The parameters of the sides are those of ``checking.check``; a fix is
    wanted for what lifting the project's own bounds reveals.
    ``solver``: opens it; None for the rules. Raises as a check does, and UsageError for a solver
    that cannot be had.
    """
    clock = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="backdate-fix-") as temporary:
        folder = keep or Path(temporary, "check")
        checked = check_with_advice(
            resources,
            source,
            question=question,
            keep=folder,
            progress=progress,
            **sides,
        )
        fixed = fix_checked(
            resources,
            checked,
            folder,
            locked=sides.get("locked"),
            solver=solver,
            options=options,
            progress=progress,
        )
    return replace(fixed, result=replace(fixed.result, duration_s=time.monotonic() - clock))


def fix_checked(
    resources: Resources,
    checked: CheckResult,
    folder: Path,
    *,
    locked: LockedVersions | None = None,
    solver: OpenSolver | None = None,
    options: FixOptions | None = None,
    progress: Reporter = NO_PROGRESS,
) -> FixedFiles:
    """As ``fix_project``, for a check that was made already and kept its trees in ``folder``."""
    options, clock = options or FixOptions(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="backdate-fix-") as temporary:
        pair, mended = pair_of_check(checked, folder, locked), None
        if builds_no_more(checked):
            progress.report(Activity(text="mending what the project's own build runs"))
            mended = mend_build(checked, pair, resources, Path(temporary, "mended"), progress)
        nothing = nothing_to_do(checked, options) if mended is None else None
        if nothing is not None:
            return FixedFiles(result=replace(nothing, duration_s=time.monotonic() - clock))
        pair, now = (pair, checked) if mended is None else (mended.pair, mended.checked)
        fix = FixRounds(resources, now, pair, options, folder, Path(temporary), progress, mended)
        fixed = fix.made(solver or _rules)
        if mended is not None:
            fixed = replace(fixed, result=replace(fixed.result, check=checked))
    return replace(fixed, result=replace(fixed.result, duration_s=time.monotonic() - clock))


def _rules(resources: Resources) -> AbstractContextManager[Solver]:
    return open_solver("rules", SolverOptions(sandbox=resources.sandbox))


def nothing_to_do(checked: CheckResult, options: FixOptions) -> FixResult | None:
    """The result where there is nothing to work on."""
    if checked.comparison is not None and checked.comparison.broke:
        return None
    fine = checked.verdict is Verdict.NOTHING_BROKE
    return FixResult(
        backdate=__version__,
        check=checked,
        solver=options.solver,
        outcome=FixOutcome.NOTHING_BROKE if fine else FixOutcome.CANNOT_TELL,
        reason=checked.reason,
        runs=1,
    )
