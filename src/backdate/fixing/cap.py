"""Writing the limits that keep tests passing into the project's files, proven by a check of a copy."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from backdate.bisection.result import BisectResult
from backdate.checking.check import check_project
from backdate.checking.options import SideKeywords
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.errors import UsageError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.capping import CappedFiles, cap_files
from backdate.projects.hostile import read_beneath, replace_beneath

_LARGEST = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCaps:
    """Limits in the project's files, and what a check of the project with them says."""

    files: CappedFiles
    proven: bool
    """Whether the tests that broke pass with them, and nothing else broke."""
    reason: str
    """What the check says, in one sentence."""


def limits_to_write(result: BisectResult) -> tuple[str, ...]:
    """What the advice of a bisection says to require for now. Raises UsageError where that is nothing."""
    limits = result.advice.now[0] if result.advice.now else None
    if limits is None:
        raise UsageError("--apply-cap: no limit was seen to help, so none is written")
    if limits.python:
        raise UsageError(
            f"--apply-cap writes limits on distributions; what helps is Python {limits.python}: write that "
            "to requires-python"
        )
    return limits.requirements


def try_caps(
    resources: Resources,
    folder: Path,
    result: BisectResult,
    *,
    progress: Reporter = NO_PROGRESS,
    **sides: Unpack[SideKeywords],
) -> TriedCaps:
    """The limits that ``result`` advises in the files of the project at ``folder``, checked in a copy of it.

    Nothing of ``folder`` is changed. The sides are those of the bisection, at its instants. Raises UsageError
    where there is no limit to write, or no file that can be plainly edited.
    """
    requirements = limits_to_write(result)
    sides.update({"from_instant": result.check.old_instant, "to_instant": result.check.new_instant})
    with tempfile.TemporaryDirectory(prefix="backdate-cap-") as temporary:
        work = Path(temporary)
        tree = resources.open_project(folder, work / "opened", before=result.check.new_instant).root
        files = cap_files(lambda path: read_beneath(tree, path, limit=_LARGEST), requirements)
        for path, data in files.after.items():
            replace_beneath(tree, path, data)
        progress.report(Activity(text=f"checking the project with {', '.join(requirements)}"))
        checked = check_project(
            resources,
            tree,
            question=result.check.question,
            keep=result.folder / "capped",
            progress=progress,
            **sides,
        )
    broke = [test for finding in result.findings for test in finding.tests]
    return TriedCaps(files=files, proven=_passes(checked, broke), reason=checked.reason)


def _passes(checked: CheckResult, broke: Sequence[str]) -> bool:
    """Whether nothing breaks any more; tests that failed before count by their outcome."""
    if checked.comparison is None or checked.new.run is None or checked.comparison.broke:
        return False
    good = {one.id for one in checked.new.run.results if one.outcome.good}
    return set(broke) <= good if broke else bool(good)
