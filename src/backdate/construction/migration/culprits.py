"""The release that breaks a task, by bisection."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.bisection.bisect import bisect_sides
from backdate.checking.sides import SidePair
from backdate.construction.migration.sides import JobContext
from backdate.tasks.task import KnownCulprit


def find_culprits(
    pair: SidePair, tests: Sequence[str], context: JobContext
) -> tuple[tuple[KnownCulprit, ...], tuple[str, ...]]:
    """What bisection between the two sides finds for ``tests``, and what it has to say."""
    result = bisect_sides(
        context.resources,
        pair,
        folder=context.log_folder(),
        tests=tests,
        explanations=False,
    )
    found: dict[tuple[str, str], KnownCulprit] = {}
    for finding in result.findings:
        for one in finding.culprits:
            if one.new is None or one.released is None:
                continue
            confirmed = {"forward", "backward"} <= set(finding.confirmed)
            culprit = KnownCulprit(
                distribution=one.name, version=one.new, released=one.released, confirmed=confirmed
            )
            found.setdefault((one.name, one.new), culprit)
    notes = () if found else ("bisection found no culprit",)
    return tuple(found.values()), notes
