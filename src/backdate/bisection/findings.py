"""From probe results to the values of a finding. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from backdate.bisection.culprits import Blamed
from backdate.bisection.interpreter_axis import FixedInterpreter
from backdate.bisection.probes import ProbeResult, Target
from backdate.bisection.result import Axis, Culprit, Finding, ProbeRecord
from backdate.bisection.search import ProbeStatus, common_status
from backdate.bisection.version_moves import Releases
from backdate.text import version_numbers
from backdate.timeline.calendar import load_calendar
from backdate.timeline.instants import Instant


def finding_of(
    target: Target,
    axis: Axis,
    fixed: FixedInterpreter,
    *,
    blamed: Blamed | None = None,
    notes: tuple[str, ...] = (),
) -> Finding:
    """What is known of ``target``."""
    bad = blamed.bad if blamed is not None else None
    known = bad.errors.get(target.tests[0]) if bad is not None else None
    first = known.failing if known is not None else target.error
    differs = (first.type, first.message) != (target.error.type, target.error.message)
    return Finding(
        tests=target.tests,
        failed_before=target.failed_before,
        error=target.error,
        first_error=first if differs else None,
        axis=axis,
        culprits=blamed.culprits if blamed is not None else (),
        undistinguished=blamed.undistinguished if blamed is not None else (),
        python=fixed.choice.interpreter.version,
        notes=notes,
    )


def probes_of(journal: Iterable[tuple[str, ProbeResult]], target: Target) -> tuple[ProbeRecord, ...]:
    """The probes that were made for a target, each with the target's status."""
    probes = []
    for why, probe in journal:
        status = common_status(probe.statuses_for(target).values())
        detail = probe.failure[:2000] if probe.failure else "" if status else "some are good, some are bad"
        if not detail and probe.build_limits:
            detail = f"with {', '.join(probe.build_limits)} for its builds, which fail without"
        record = ProbeRecord(
            why=why,
            instant=probe.point.instant,
            python=probe.point.choice.interpreter.version,
            constraints=probe.point.constraints,
            status=status or ProbeStatus.SKIP,
            detail=detail,
            built=probe.built,
            released=probe.point.released,
        )
        probes.append(record)
    return tuple(dict.fromkeys(probes))


def minor_released(version: str) -> Instant | None:
    """The start of the day on which the first release of a minor came out."""
    minor = version_numbers(version)[:2]
    for release in load_calendar().releases:
        if release.minor == minor and release.version.micro == 0:
            return datetime(release.released.year, release.released.month, release.released.day, tzinfo=UTC)
    return None


def of_releases(culprits: Sequence[Culprit], releases: Releases) -> tuple[Instant | None, Instant | None]:
    """When the good version of the only culprit appeared, and when the bad one did; None where unknown."""
    if len(culprits) != 1:
        return None, None
    (culprit,) = culprits
    days = {release.version: release.uploaded for release in releases.get(culprit.name, ())}
    return days.get(culprit.old or ""), culprit.released
