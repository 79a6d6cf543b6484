"""From what was seen to the values of a finding. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from backdate.bisection.interpreter_axis import FixedInterpreter
from backdate.bisection.packages_axis import Narrowed
from backdate.bisection.probes import ProbeResult, Target
from backdate.bisection.result import Axis, Culprit, Finding, ProbeRecord
from backdate.bisection.search import ProbeStatus, common_status
from backdate.text import first_line, version_numbers
from backdate.timeline.calendar import load_calendar
from backdate.timeline.instants import Instant, format_day


def finding_of(
    target: Target,
    axis: Axis,
    ground: FixedInterpreter,
    *,
    culprits: tuple[Culprit, ...] = (),
    bad: ProbeResult | None = None,
    notes: tuple[str, ...] = (),
) -> Finding:
    """What is known of ``target``; ``bad`` is the first environment that fails."""
    known = bad.errors.get(target.tests[0]) if bad is not None else None
    first = known.failing if known is not None else target.error
    differs = (first.type, first.message) != (target.error.type, target.error.message)
    return Finding(
        tests=target.tests,
        error=target.error,
        first_error=first if differs else None,
        axis=axis,
        culprits=culprits,
        python=ground.choice.interpreter.version,
        notes=notes,
    )


def probes_of(journal: Iterable[tuple[str, ProbeResult]], target: Target) -> tuple[ProbeRecord, ...]:
    """What was asked for a target, and the status that it has there."""
    probes = []
    for why, seen in journal:
        status = common_status(seen.statuses_for(target).values())
        detail = seen.failure[:2000] if seen.failure else "" if status else "some are good, some are bad"
        if not detail and seen.build_limits:
            detail = f"with {', '.join(seen.build_limits)} for its builds, which fail without"
        probe = ProbeRecord(
            why=why,
            instant=seen.point.instant,
            python=seen.point.choice.interpreter.version,
            constraints=seen.point.constraints,
            status=status or ProbeStatus.SKIP,
            detail=detail,
            built=seen.built,
        )
        probes.append(probe)
    return tuple(dict.fromkeys(probes))


def remarks_on(narrowed: Narrowed, old: ProbeResult) -> list[str]:
    """What a reader has to know of how the turn was found."""
    remarks: list[str] = []
    if not narrowed.finished:
        remarks.append("not narrowed to neighbours: it takes more environments than one cause may")
    if narrowed.skipped:
        failed = next((first_line(seen.failure) for seen in narrowed.skipped if seen.failure), "")
        why = f": {failed}" if failed else ""
        remarks.append(f"{len(narrowed.skipped)} points between could not be told{why}")
    if len(narrowed.transitions) > 1:
        changes = ", ".join(f"{one.kind} by {format_day(one.after)}" for one in narrowed.transitions)
        remarks.append(f"it changed more than once ({changes}); this is the last time")
    if narrowed.good is old and narrowed.bad.point.instant == old.point.instant:
        remarks.append("it fails with what there was at the old instant; the project's own pins kept it away")
    return remarks


def put_together(findings: Sequence[Finding]) -> list[list[int]]:
    """The numbers of the findings that are one cause, seen at several lines of the project."""
    rows: dict[object, list[int]] = {}
    for number, one in enumerate(findings):
        errors = [(error.type, error.message) for error in (one.error, one.first_error) if error is not None]
        where = (one.breaks, one.axis, one.python, one.held, one.last_good, one.first_bad, one.confirmed)
        known = (tuple(errors), one.culprits, where, one.transitions, one.notes)
        rows.setdefault(known if one.culprits else number, []).append(number)
    return list(rows.values())


def merged(findings: Sequence[Finding]) -> Finding:
    """What one cause did, of findings that ``put_together`` takes for one."""
    first = max(findings, key=lambda one: len(one.tests))
    return replace(
        first,
        tests=tuple(dict.fromkeys(test for one in findings for test in one.tests)),
        probes=tuple(dict.fromkeys(probe for one in findings for probe in one.probes)),
        resolutions=max(one.resolutions for one in findings),
    )


def minor_released(version: str) -> Instant | None:
    """The start of the day on which the first release of a minor came out."""
    minor = version_numbers(version)[:2]
    for release in load_calendar().releases:
        if release.minor == minor and release.version.micro == 0:
            return datetime(release.released.year, release.released.month, release.released.day, tzinfo=UTC)
    return None
