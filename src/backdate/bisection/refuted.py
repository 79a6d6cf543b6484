"""Culprits that a further environment acquits: with their new releases in it the tests pass all the same.

So where a distribution changed without a release, by a wheel that was uploaded for an old one: a search by
days names what was released on that day.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.version import Version

from backdate.bisection.one_cause import Attributed
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Finding, behind_note
from backdate.bisection.search import ProbeStatus
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.text import UNREADABLE


def without_refuted(
    attributed: Sequence[Attributed], probes: Iterable[ProbeResult], *, newest_python: str
) -> list[Attributed]:
    """``attributed`` without the findings whose culprits ``probes`` acquit, where others have their tests.

    Only environments with the new side's interpreter, of version ``newest_python``, acquit: there a culprit
    breaks what it breaks.
    """
    probed = [one for one in probes if one.point.choice.interpreter.version == newest_python]
    refuted = [one for one in attributed if any(_acquits(probe, one.finding) for probe in probed)]
    kept = [one for one in attributed if not any(one is other for other in refuted)]
    told = {test for one in kept if one.finding.culprits for test in one.finding.tests}
    gone = [one for one in refuted if told.issuperset(one.finding.tests)]
    names = {normalise(culprit.name) for one in gone for culprit in one.finding.culprits}
    return [
        replace(one, finding=_not_behind(one.finding, names))
        for one in attributed
        if not any(one is other for other in gone)
    ]


def _acquits(probe: ProbeResult, finding: Finding) -> bool:
    """Whether all tests pass there, though every culprit is there in its new release or a later one."""
    if probe.lock is None or not finding.culprits or finding.breaks != "tests":
        return False
    versions = {normalise(one.name): one.version for one in probe.lock.distributions}
    there = all(
        one.name != PYTHON and _is_at_least(versions.get(normalise(one.name)), one.new)
        for one in finding.culprits
    )
    return there and all(probe.statuses.get(test) is ProbeStatus.GOOD for test in finding.tests)


def _is_at_least(version: str | None, other: str | None) -> bool:
    try:
        return version is not None and other is not None and Version(version) >= Version(other)
    except UNREADABLE:
        return False


def _not_behind(finding: Finding, names: Iterable[str]) -> Finding:
    """``finding`` without limits of culprits that are none."""
    acquitted = set(names)
    held = tuple(line for line in finding.held if normalise(Requirement(line).name) not in acquitted)
    if held == finding.held:
        return finding
    behind = (behind_note(held),) if held else ()
    notes = tuple(note for note in finding.notes if note != behind_note(finding.held))
    return replace(finding, held=held, notes=(*behind, *notes))
