"""A bisection's result as renderers take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from backdate.bisection.result import BisectEnding, BisectResult, Explanation, Finding
from backdate.checking.result import Verdict
from backdate.output.check_report import HEADINGS, STANDINGS
from backdate.output.culprit_words import (
    blamed_in_words,
    caught_in_words,
    companions_in_words,
    culprits_in_words,
    proof_in_words,
    turn_in_words,
)
from backdate.output.question_words import WORDS
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
from backdate.output.run_words import error_in_words
from backdate.output.timeline import NARROW, WIDE, timeline_scene
from backdate.text import counted, plural
from backdate.timeline.instants import format_day

_MOST_EXPLAINED = 5
_ENDINGS: Mapping[BisectEnding, tuple[str, ...]] = MappingProxyType(
    {
        "complete": (),
        "first": ("it stopped at the first culprit, as --first asks: there may be more",),
        "interrupted": ("it was interrupted: this is what it had found by then",),
    }
)


def bisection_report(result: BisectResult) -> OutputReport:
    """The bisection as a report."""
    check = result.check
    heading, reason = HEADINGS[result.verdict], check.reason
    if blamed := blamed_in_words(result):
        heading, reason = "CULPRITS FOUND", f"for {blamed}; {check.reason}"
    elif result.findings or result.unattributed:
        reason = f"tests broke, but no culprit was found; {check.reason}"
    return OutputReport(
        command="bisect",
        backdate=result.backdate,
        project=check.project,
        location=check.origin.location,
        standing=STANDINGS[result.verdict],
        heading=heading,
        reason=reason,
        headline=_headline(result),
        sides=(
            ("asked", WORDS[check.question].title),
            ("old", f"{format_day(check.old_instant)}, Python {check.old_python}"),
            ("new", f"{format_day(check.new_instant)}, Python {check.new_python}"),
        ),
        findings=tuple(_findings(result)),
        advice=result.advice,
        sections=tuple(_edit(result)),
        suites=(_suite(result),),
        notes=(*_ENDINGS[result.ending], *result.notes),
        timeline=tuple(timeline_scene(result, width) for width in (WIDE, NARROW)) if result.findings else (),
        started=result.started,
        duration_s=result.duration_s,
        folder=str(result.folder),
    )


def _edit(result: BisectResult) -> Iterator[ReportedSection]:
    if result.advice.edit is not None:
        lines = tuple(result.advice.edit.patch.splitlines())
        yield ReportedSection(title="The edit", lines=lines, block=True)


def _headline(result: BisectResult) -> str:
    culprits = [culprit for finding in result.findings for culprit in finding.culprits]
    if not culprits:
        return {
            Standing.GOOD: "dependency updates broke nothing",
            Standing.BAD: "dependency updates broke tests",
            Standing.UNCLEAR: "no culprit found for what fails",
        }[STANDINGS[result.verdict]]
    names = list(dict.fromkeys(f"{one.name} {one.new}" if one.new else one.name for one in culprits))
    shown = " and ".join(names) if len(names) < 3 else f"{', '.join(names[:2])} and {len(names) - 2} more"
    tests = {test for finding in result.findings if finding.culprits for test in finding.tests}
    what = counted(len(tests), "test") if tests else "the build"
    return f"{shown} {plural(len(names), 'breaks', 'break')} {what}"


def _findings(result: BisectResult) -> Iterator[ReportedFinding]:
    for finding in result.findings:
        place = (finding.error.place,) if finding.error.place is not None else ()
        yield ReportedFinding(
            level=FindingLevel.ERROR if finding.culprits else FindingLevel.WARNING,
            rule=finding.error.type,
            title=error_in_words(finding.error.type, finding.error.message),
            culprit=_blamed(finding),
            proof=proof_in_words(finding, of_what_broke=False) if finding.culprits else "",
            places=places_of(place),
            tests=finding.tests,
            details=tuple(_details(finding)),
        )
    for test in result.unattributed:
        yield ReportedFinding(
            level=FindingLevel.WARNING,
            rule="not-attributed",
            title=f"not attributed: {test.reason}",
            tests=(test.test,),
        )


def _blamed(finding: Finding) -> str:
    together = " (together)" if len(finding.culprits) > 1 else ""
    return f"{culprits_in_words(finding)}{together}"


def _details(finding: Finding) -> Iterator[str]:
    if finding.first_error is not None:
        yield f"at first: {error_in_words(finding.first_error.type, finding.first_error.message)}"
    yield from map(caught_in_words, finding.caught)
    good, bad = finding.last_good, finding.first_bad
    if good is not None and bad is not None and good < bad:  # a later release of an older line may be good
        yield turn_in_words(finding)
    if finding.companions:
        yield companions_in_words(finding)
    for turn in finding.further_turns:
        error = error_in_words(turn.error.type, turn.error.message)
        yield f"turned again with {turn.culprit.name} {turn.culprit.new}: {error}"
    yield from finding.log_lines
    if finding.explanations is not None:
        yield from _explained(finding.explanations)
    yield from finding.notes


def _explained(explanations: Explanation) -> Iterator[str]:
    """What the releases say of the change."""
    for warning in explanations.warnings[:_MOST_EXPLAINED]:
        yield f"warned before: {warning.category}: {warning.message}"
    for excerpt in explanations.changelog[:_MOST_EXPLAINED]:
        words = " ".join(line.strip() for line in excerpt.lines)
        yield f"changelog of {excerpt.distribution} {excerpt.version}: {words}"


def _suite(result: BisectResult) -> ReportedSuite:
    tests = [
        ReportedTest(
            id=test,
            state="bad",
            type=finding.error.type,
            message=error_in_words(finding.error.type, finding.error.message),
            text="\n".join(filter(None, [_blamed(finding), *_details(finding)])),
        )
        for finding in result.findings
        for test in finding.tests
    ]
    tests += [
        ReportedTest(id=one.test, state="bad", type="not-attributed", message=one.reason)
        for one in result.unattributed
    ]
    if not tests and result.verdict is not Verdict.NOTHING_BROKE:
        tests.append(
            ReportedTest(
                id="backdate.the_bisection_itself",
                state="bad",
                type=result.verdict.value,
                message=result.check.reason,
            )
        )
    return ReportedSuite(name="backdate", tests=tuple(tests))
