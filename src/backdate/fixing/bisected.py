"""A bisection that ends with an edit: what makes the tests pass with the newest releases, seen in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from backdate.advice import SeenEdit
from backdate.bisection.bisect import bisect_project
from backdate.bisection.result import BisectResult
from backdate.checking.options import BisectKeywords
from backdate.checking.question import Question
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.diagnosis.frames import files_of_tests, is_test_file
from backdate.fixing.fix import fix_checked
from backdate.fixing.result import FixResult
from backdate.fixing.rounds import FixOptions
from backdate.progress import NO_PROGRESS, Reporter


def bisect_with_edit(
    resources: Resources,
    source: str | Path,
    *,
    question: Question = Question.DECLARED,
    edit: bool = True,
    explanations: bool = True,
    progress: Reporter = NO_PROGRESS,
    **asked: Unpack[BisectKeywords],
) -> BisectResult:
    """As ``bisect_project``; with ``edit`` and ``explanations``, and where a culprit is found, the rules of
    ``fix`` look for an edit, of test files too, and what was seen to pass with it is in the advice."""
    locked = asked.get("locked")

    def trial(checked: CheckResult, folder: Path) -> SeenEdit | None:
        options = FixOptions(allow_test_edits=True)
        fixed = fix_checked(resources, checked, folder, locked=locked, options=options, progress=progress)
        return seen_edit(fixed.result)

    return bisect_project(
        resources,
        source,
        question=question,
        explanations=explanations,
        edit_trial=trial if edit and explanations else None,
        progress=progress,
        **asked,
    )


def seen_edit(fixed: FixResult) -> SeenEdit | None:
    """The patch of a fix as advice; None where it makes no test pass."""
    if not fixed.patch or not fixed.passing:
        return None
    broke = 0 if fixed.check.comparison is None else len(fixed.check.comparison.broke)
    runs = (fixed.check.old.run, fixed.check.new.run)
    files = {file for run in runs if run is not None for file in files_of_tests(run)}
    return SeenEdit(
        patch=fixed.patch,
        passing=fixed.passing,
        tests=broke,
        lost=fixed.lost,
        requirements=fixed.given,
        edits_tests=any(one.path in files or is_test_file(one.path) for one in fixed.files),
        on_python=fixed.check.new.choice.interpreter.version,
    )
