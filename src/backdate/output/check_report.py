"""A check's result as renderers take it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from backdate.checking.repeated import RepeatedTests
from backdate.checking.result import Breakage, CheckResult, Comparison, Side, Verdict
from backdate.checking.start_instant import start_lines
from backdate.output.report import (
    FindingLevel,
    OutputReport,
    ReportedFinding,
    ReportedMove,
    ReportedSection,
    ReportedSuite,
    ReportedTest,
    Standing,
    places_of,
)
from backdate.output.run_words import counts_in_words, error_in_words, fails_alike, flaky_sections
from backdate.testing.junit import traceback_text
from backdate.testing.outcomes import CaseResult, SuiteRun
from backdate.text import counted
from backdate.timeline.instants import format_day

STANDINGS: Mapping[Verdict, Standing] = MappingProxyType(
    {
        Verdict.NOTHING_BROKE: Standing.GOOD,
        Verdict.BROKE: Standing.BAD,
        Verdict.FAILS_DIFFERENTLY: Standing.UNCLEAR,
        Verdict.CANNOT_TELL: Standing.UNCLEAR,
    }
)
HEADINGS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.NOTHING_BROKE: "NOTHING BROKE",
        Verdict.BROKE: "BROKE",
        Verdict.FAILS_DIFFERENTLY: "FAILS DIFFERENTLY",
        Verdict.CANNOT_TELL: "CANNOT TELL",
    }
)


def check_report(result: CheckResult) -> OutputReport:
    """The check as a report."""
    return OutputReport(
        command="check",
        backdate=result.backdate,
        project=result.project,
        location=location_of(result),
        standing=STANDINGS[result.verdict],
        heading=HEADINGS[result.verdict],
        reason=result.reason,
        headline=headline(result),
        sides=check_sides(result),
        findings=tuple(check_findings(result)),
        advice=result.advice,
        moves=moves_of(result),
        sections=check_sections(result),
        suites=(check_suite(result, "backdate"),),
        notes=notes_of(result),
        started=result.started,
        duration_s=result.duration_s,
        folder=str(result.folder),
    )


def headline(result: CheckResult) -> str:
    """What a title says of a check that looked for no culprit."""
    if result.verdict is Verdict.BROKE:
        broke = len(result.comparison.broke) if result.comparison is not None else 0
        if not broke:
            return "dependency updates broke the build"
        return f"dependency updates broke {counted(broke, 'test')}"
    return {
        Verdict.NOTHING_BROKE: "dependency updates broke nothing",
        Verdict.FAILS_DIFFERENTLY: "tests fail differently from before",
        Verdict.CANNOT_TELL: "cannot tell what dependency updates broke",
    }[result.verdict]


def location_of(result: CheckResult) -> str:
    """Where the tree came from, with its revision."""
    origin = result.origin
    revision = f" at {origin.revision[:12]}" if origin.kind == "git" and origin.revision else ""
    return f"{origin.location}{revision}{' with uncommitted changes' if origin.modified else ''}"


def check_sides(result: CheckResult) -> tuple[tuple[str, str], ...]:
    """Both sides in words."""
    return (("old", side_in_words(result.old)), ("new", side_in_words(result.new)))


def side_in_words(side: Side) -> str:
    """When, with which interpreter, what was built and what its tests said."""
    built = "environment does not build"
    if side.environment is not None:
        built = counted(len(side.environment.lock.distributions), "distribution")
    ran = f": {counts_in_words(side.run)}" if side.run is not None else ""
    return f"{format_day(side.instant)}, Python {side.choice.interpreter.version}, {built}{ran}"


def moves_of(result: CheckResult) -> tuple[ReportedMove, ...]:
    """What changed between the two environments."""
    return tuple(
        ReportedMove(name=change.name, old=change.old or "", new=change.new or "", released=change.released)
        for change in result.changes
    )


def notes_of(result: CheckResult) -> tuple[str, ...]:
    """Why the old side lies where it lies, and what a reader has to know besides."""
    return (*(start_lines(result.start) if result.start is not None else ()), *result.notes)


def check_findings(
    result: CheckResult, *, group: str = "", old_is_told: bool = False
) -> Iterator[ReportedFinding]:
    """What broke as errors, and what else a reader has to look at as warnings.

    ``old_is_told``: what stood in the way of the old side is told elsewhere.
    """
    yield from _obstacles(result, group, old_is_told=old_is_told)
    comparison: Comparison | None = result.comparison
    if comparison is None:
        return
    for breakage in comparison.breakages:
        yield _breakage(breakage, FindingLevel.ERROR, group, "broke")
    for change in comparison.error_changes:
        yield ReportedFinding(
            level=FindingLevel.WARNING,
            rule=change.type,
            title=f"{error_in_words(change.type, change.message)} "
            f"(before: {error_in_words(change.old_type, change.old_message)})",
            places=places_of(change.places),
            tests=change.tests,
            group=group,
        )
    for failure in comparison.new_failures:
        yield _breakage(failure, FindingLevel.WARNING, group, "not there or skipped before")


def _breakage(breakage: Breakage, level: FindingLevel, group: str, what: str) -> ReportedFinding:
    tests = counted(len(breakage.tests), "item of a linter" if breakage.lint else "test")
    return ReportedFinding(
        level=level,
        rule=breakage.type,
        title=error_in_words(breakage.type, breakage.message),
        places=places_of(breakage.places),
        tests=breakage.tests,
        details=(f"{tests} {what}",) if what != "broke" or breakage.lint else (),
        group=group,
    )


def _obstacles(result: CheckResult, group: str, *, old_is_told: bool) -> Iterator[ReportedFinding]:
    """What stood in the way of a side, where no test tells it."""
    broke = result.comparison is not None and bool(result.comparison.broke)
    alike = fails_alike(result.old, result.new) and not old_is_told
    for name, side in (("old", result.old), ("new", result.new)):
        obstacle, failure = side.obstacle, side.failure
        if side is result.old and (alike or old_is_told):
            continue  # what is told of the new side is told of both
        if (obstacle is None and failure is None) or (broke and failure is None):
            continue
        message = obstacle.line if obstacle is not None else failure.message if failure is not None else ""
        details = (f"To try: {obstacle.help}",) if obstacle is not None else ()
        what = (
            f"the {name} side's {'environment does not build' if failure is not None else 'tests do not run'}"
        )
        if alike:
            what = "the environment of neither side builds"
        yield ReportedFinding(
            level=FindingLevel.ERROR
            if name == "new" and result.verdict is Verdict.BROKE
            else FindingLevel.WARNING,
            rule=str(obstacle.error) if obstacle is not None else "environment",
            title=f"{what}: {message}",
            details=details,
            group=group,
        )


def check_sections(result: CheckResult) -> tuple[ReportedSection, ...]:
    """What was loosened for the new side."""
    sections = []
    if result.unpinning:
        sections.append(
            ReportedSection(
                title="Loosened for the new side", lines=tuple(result.unpinning.splitlines()), block=True
            )
        )
    if result.not_loosened:
        sections.append(ReportedSection(title="Not loosened", lines=result.not_loosened))
    return (*sections, *_repeated(result.repeated))


def _repeated(repeated: RepeatedTests) -> Iterator[ReportedSection]:
    """Tests that say nothing of updates, and why."""
    for title, lines in flaky_sections(repeated.flaky):
        yield ReportedSection(title=title, lines=lines)
    if repeated.time_bound:
        yield ReportedSection(title="Bound to a time, so no breakage", lines=repeated.time_bound)
    if repeated.order_dependent:
        title = "Broke only after the tests before them"
        yield ReportedSection(title=title, lines=repeated.order_dependent)


def check_suite(result: CheckResult, name: str) -> ReportedSuite:
    """The tests of the new side: what broke is bad, and what failed before as well is aside."""
    tests = [*_compared_tests(result)]
    if result.verdict in (Verdict.CANNOT_TELL, Verdict.FAILS_DIFFERENTLY) or (
        result.verdict is Verdict.BROKE and not any(test.state == "bad" for test in tests)
    ):
        tests.append(
            ReportedTest(
                id="backdate.the_check_itself", state="bad", type=result.verdict.value, message=result.reason
            )
        )
    return ReportedSuite(name=name, tests=tuple(tests))


def _compared_tests(result: CheckResult) -> Iterator[ReportedTest]:
    if result.comparison is None or result.new.run is None:
        return
    comparison, run = result.comparison, result.new.run
    why = {test: breakage for breakage in comparison.breakages for test in breakage.tests}
    broke = set(comparison.broke)
    of_new = {test.id: test for test in run.results}
    for test in comparison.broke:
        breakage, now = why.get(test), of_new.get(test)
        yield ReportedTest(
            id=test,
            state="bad",
            type=breakage.type if breakage is not None else "not-there",
            message=error_in_words(breakage.type, breakage.message)
            if breakage is not None
            else "not reached",
            text=_text_of(now, run, test),
            file=now.file if now is not None else None,
            duration_s=now.duration_s if now is not None else 0.0,
        )
    for case in run.results:
        if case.id not in broke:
            yield ReportedTest(
                id=case.id,
                state="good" if case.outcome.good else "aside",
                message=_why_aside(case, result.repeated),
                file=case.file,
                duration_s=case.duration_s,
            )


def _why_aside(case: CaseResult, repeated: RepeatedTests) -> str:
    if case.outcome.good:
        return ""
    if any(test.id == case.id for test in repeated.flaky):
        return f"{case.outcome.value}; it is flaky"
    if case.id in repeated.time_bound:
        return f"{case.outcome.value}; it is bound to a time"
    return case.reason or (f"{case.outcome.value}; it did not pass before" if case.outcome.bad else "")


def _text_of(now: CaseResult | None, run: SuiteRun, test: str) -> str:
    """The traceback of a test that broke; of one that was not collected that of its file."""
    if now is not None:
        return traceback_text(now.raised)
    file = test.partition("::")[0]
    return next((traceback_text(case.raised) for case in run.results if case.id == file), "")
