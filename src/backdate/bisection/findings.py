"""From probe results to the values of a finding. Pure functions."""

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
    fixed: FixedInterpreter,
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
        )
        probes.append(record)
    return tuple(dict.fromkeys(probes))


def remarks_on(narrowed: Narrowed, old: ProbeResult) -> list[str]:
    """What a reader has to know of how the turn was found."""
    remarks: list[str] = []
    if not narrowed.finished:
        remarks.append("not narrowed to neighbours: it takes more environments than one cause may")
    if narrowed.skipped:
        failed = next((first_line(probe.failure) for probe in narrowed.skipped if probe.failure), "")
        why = f": {failed}" if failed else ""
        remarks.append(f"{len(narrowed.skipped)} points between could not be told{why}")
    if len(narrowed.transitions) > 1:
        changes = ", ".join(
            f"{transition.kind} by {format_day(transition.after)}" for transition in narrowed.transitions
        )
        remarks.append(f"it changed more than once ({changes}); this is the last time")
    if narrowed.good is old and narrowed.bad.point.instant == old.point.instant:
        remarks.append("it fails with what there was at the old instant; the project's own pins kept it away")
    return remarks


def put_together(findings: Sequence[Finding]) -> list[list[int]]:
    """The numbers of the findings that have one cause and surface at several lines of the project."""
    rows: dict[object, list[int]] = {}
    for number, finding in enumerate(findings):
        errors = [
            (error.type, error.message) for error in (finding.error, finding.first_error) if error is not None
        ]
        where = (
            finding.breaks,
            finding.axis,
            finding.python,
            finding.held,
            finding.last_good,
            finding.first_bad,
            finding.confirmed,
        )
        known = (tuple(errors), finding.culprits, where, finding.transitions, finding.notes)
        rows.setdefault(known if finding.culprits else number, []).append(number)
    return list(rows.values())


def merged(findings: Sequence[Finding]) -> Finding:
    """One finding for those that ``put_together`` groups as one cause."""
    first = max(findings, key=lambda finding: len(finding.tests))
    return replace(
        first,
        tests=tuple(dict.fromkeys(test for finding in findings for test in finding.tests)),
        probes=tuple(dict.fromkeys(probe for finding in findings for probe in finding.probes)),
        resolutions=max(finding.resolutions for finding in findings),
    )


def minor_released(version: str) -> Instant | None:
    """The start of the day on which the first release of a minor came out."""
    minor = version_numbers(version)[:2]
    for release in load_calendar().releases:
        if release.minor == minor and release.version.micro == 0:
            return datetime(release.released.year, release.released.month, release.released.day, tzinfo=UTC)
    return None
