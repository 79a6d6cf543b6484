"""The results of ``fix``, ``setup`` and ``diagnose`` as renderers take them."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.checking.result import Breakage
from backdate.checking.setup_class import SetupClass
from backdate.checking.setup_result import SetupResult
from backdate.diagnosis.known_changes import KnownChange
from backdate.diagnosis.log_report import LogReport
from backdate.diagnosis.result import Cluster
from backdate.fixing.result import FixOutcome, FixResult
from backdate.output.check_report import check_sides, location_of, moves_of
from backdate.output.report import (
    FindingLevel,
    OutputReport,
    ReportedFinding,
    ReportedSection,
    ReportedSuite,
    ReportedTest,
    Standing,
    places_of,
)
from backdate.output.run_words import counts_in_words, error_in_words
from backdate.recipes.render import steps_of
from backdate.text import counted, first_line
from backdate.timeline.instants import format_day
from backdate.version import __version__

_FIXED = {
    FixOutcome.FIXED: ("FIXED", Standing.GOOD, "a patch makes every test pass again"),
    FixOutcome.PARTLY: ("PARTLY FIXED", Standing.BAD, "a patch mends a part of what broke"),
    FixOutcome.NOT_FIXED: ("NOT FIXED", Standing.BAD, "no patch was found"),
    FixOutcome.NOTHING_BROKE: ("NOTHING BROKE", Standing.GOOD, "dependency updates broke nothing"),
    FixOutcome.CANNOT_TELL: ("CANNOT TELL", Standing.UNCLEAR, "cannot tell what to fix"),
}
_CLASSES = {
    SetupClass.PROVEN: "PROVEN",
    SetupClass.PROVEN_BUT_OUTSIDE: "PROVEN BUT FOR WHAT IS OUTSIDE",
    SetupClass.WEAK: "WEAK",
    SetupClass.NOT_PROVEN: "NOT PROVEN",
}


def fix_report(result: FixResult) -> OutputReport:
    """The fix as a report: the patch, and what stays broken."""
    heading, standing, headline = _FIXED[result.outcome]
    remaining = tuple(_remaining(breakage) for breakage in result.remaining)
    patches = (
        ("The patch", result.patch),
        ("The same names where no failing test runs them", result.elsewhere),
        ("Requirements to add", result.requirements),
    )
    meanwhile = tuple(f"{held.requirement} (not tried: {held.because})" for held in result.held_back)
    sections = [
        ReportedSection(title=title, lines=tuple(text.splitlines()), block=True)
        for title, text in patches
        if text
    ]
    if meanwhile:
        sections.append(ReportedSection(title="Meanwhile", lines=meanwhile))
    return OutputReport(
        command="fix",
        backdate=result.backdate,
        project=result.check.project,
        location=location_of(result.check),
        standing=standing,
        heading=heading,
        reason=result.reason,
        headline=headline,
        sides=check_sides(result.check),
        findings=remaining,
        moves=moves_of(result.check),
        sections=tuple(sections),
        suites=(ReportedSuite(name="backdate", tests=tuple(_left(result))),),
        notes=result.check.notes,
        started=result.check.started,
        duration_s=result.duration_s,
        folder=str(result.check.folder),
    )


def _remaining(breakage: Breakage) -> ReportedFinding:
    return ReportedFinding(
        level=FindingLevel.ERROR,
        rule=breakage.type,
        title=f"still broken: {error_in_words(breakage.type, breakage.message)}",
        places=places_of(breakage.places),
        tests=breakage.tests,
    )


def _left(result: FixResult) -> Iterator[ReportedTest]:
    """What stays broken is bad, what the patch mends is good."""
    broken = {test: breakage for breakage in result.remaining for test in breakage.tests}
    for test, breakage in broken.items():
        message = error_in_words(breakage.type, breakage.message)
        yield ReportedTest(id=test, state="bad", type=breakage.type, message=message)
    for test in result.check.comparison.broke if result.check.comparison is not None else ():
        if test not in broken and result.outcome in (FixOutcome.FIXED, FixOutcome.PARTLY):
            yield ReportedTest(id=test, state="good")
    if not broken and result.outcome in (FixOutcome.NOT_FIXED, FixOutcome.CANNOT_TELL):
        yield ReportedTest(
            id="backdate.the_fix_itself", state="bad", type=result.outcome.value, message=result.reason
        )


def setup_report(result: SetupResult) -> OutputReport:
    """The set-up as a report: the recipe, and what fails with it."""
    python = result.choice.interpreter.version if result.choice is not None else "no interpreter"
    ran = f": {counts_in_words(result.run)}" if result.run is not None else ""
    recipe = [f"{kind} {what}" for kind, what, _ in steps_of(result.recipe)] if result.recipe else []
    attempts = [
        f"{attempt.number}. {attempt.repair or attempt.source}: {attempt.setup_class.value}"
        f"{f', {attempt.error}: {attempt.message}' if attempt.error is not None else ''}"
        for attempt in result.attempts
    ]
    return OutputReport(
        command="setup",
        backdate=result.backdate,
        project=result.project,
        location=result.origin.location,
        standing=Standing.GOOD if result.proven else Standing.UNCLEAR,
        heading=_CLASSES[result.setup_class],
        reason=result.reason.rstrip("."),
        headline="the set-up is proven" if result.proven else "the set-up is not proven",
        sides=(("as of", f"{format_day(result.instant)}, Python {python}{ran}"),),
        findings=tuple(
            ReportedFinding(
                level=FindingLevel.WARNING,
                rule=str(group.error),
                title=group.line,
                tests=group.tests,
                details=(f"what would help: {group.help}",) if group.help else (),
            )
            for group in result.failures
        ),
        sections=(
            ReportedSection(title="The recipe", lines=tuple(recipe), block=True),
            ReportedSection(title="Attempts", lines=tuple(attempts)),
        ),
        suites=(ReportedSuite(name="backdate", tests=tuple(_set_up(result))),),
        notes=result.notes,
        started=result.started,
        duration_s=result.duration_s,
        folder=str(result.folder),
    )


def _set_up(result: SetupResult) -> Iterator[ReportedTest]:
    for case in result.run.results if result.run is not None else ():
        last = case.raised[-1] if case.raised else None
        message = error_in_words(last.type, last.message) if last is not None else case.reason
        yield ReportedTest(
            id=case.id,
            state="good" if case.outcome.good else "bad" if case.outcome.bad else "aside",
            type=last.type if last is not None else case.outcome.value,
            message=message,
            file=case.file,
            duration_s=case.duration_s,
        )


def log_report(report: LogReport) -> OutputReport:
    """An explained log as a report."""
    failures, causes = len(report.diagnosis.failures), len(report.diagnosis.clusters)
    counts = [
        *([counted(len(report.installs), "failed installation")] if report.installs else []),
        *([f"{counted(failures, 'failure')}, {counted(causes, 'cause')}"] if failures else []),
    ]
    findings = [
        ReportedFinding(
            level=FindingLevel.ERROR,
            rule=install.failure.kind.value,
            title=install.failure.message,
            details=(*install.failure.details, *_known(install.change)),
        )
        for install in report.installs
    ]
    findings += [
        _cluster(cluster, change)
        for cluster, change in zip(report.diagnosis.clusters, report.changes, strict=True)
    ]
    return OutputReport(
        command="diagnose",
        backdate=__version__,
        project="the log",
        location="a CI log",
        standing=Standing.UNCLEAR if report.explains_nothing else Standing.BAD,
        heading="NO FAILURE FOUND" if report.explains_nothing else "FAILED",
        reason="; ".join(counts) or report.last_error or "no failure could be read",
        headline="; ".join(counts) or "no failure could be read",
        sides=(("Python", report.python),) if report.python else (),
        findings=tuple(findings),
        suites=(
            ReportedSuite(
                name="backdate",
                tests=tuple(
                    ReportedTest(
                        id=failure.test or "backdate.the_run_itself",
                        state="bad",
                        type=failure.cause.type or failure.cause.kind.value,
                        message=first_line(failure.cause.message),
                    )
                    for failure in report.diagnosis.failures
                ),
            ),
        ),
        notes=tuple(filtered.why for filtered in report.diagnosis.filters),
    )


def _cluster(cluster: Cluster, change: KnownChange | None) -> ReportedFinding:
    cause = cluster.cause
    return ReportedFinding(
        level=FindingLevel.ERROR,
        rule=cause.type or cause.kind.value,
        title=error_in_words(cause.type or cause.kind.value, first_line(cause.message)),
        culprit=f"{change.distribution} {change.since}" if change is not None else "",
        proof="a known change" if change is not None else "",
        places=places_of(tuple(placed.frame for placed in cluster.places)),
        tests=cluster.tests,
        details=(*((f"it says: {cause.hint}",) if cause.hint else ()), *_known(change)),
    )


def _known(change: KnownChange | None) -> Iterator[str]:
    if change is None:
        return
    if change.name and not change.added:
        use = f"; use {change.replacement}" if change.replacement else ""
        yield f"{change.distribution} dropped {change.name} in {change.since}{use}"
    if change.pin:
        yield f"it works unchanged with {change.pin}"
    if change.source:
        yield change.source
