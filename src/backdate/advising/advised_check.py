"""A check whose result says what to do: the check, then advice where something broke."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from backdate.checking.check import check_project
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.checking.settings import AuditOptions
from backdate.progress import NO_PROGRESS, Reporter
from backdate.serial import to_json, write_whole
from backdate.timeline.instants import Instant


def check_with_advice(
    resources: Resources,
    source: str | Path,
    *,
    from_instant: Instant | None = None,
    to_instant: Instant | None = None,
    python: str | None = None,
    audit: AuditOptions | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
) -> CheckResult:
    """What dependency updates between two instants broke, and what to do where the errors themselves say so.

    The parameters are those of ``checking.check.check_project``.
    """
    result = check_project(
        resources,
        source,
        from_instant=from_instant,
        to_instant=to_instant,
        python=python,
        audit=audit,
        keep=keep,
        progress=progress,
    )
    if result.comparison is None or not result.comparison.breakages:
        return result
    from backdate.advising.check_advice import advice_of_check  # most checks find nothing to diagnose

    advised = replace(result, advice=advice_of_check(result))
    if advised.advice:
        write_whole(result.folder / "result.json", to_json(advised, indent=2))
    return advised
