"""The result of ``check --lowest`` as renderers take it."""

from __future__ import annotations

from typing import Literal

from backdate.advice import SourcePlace
from backdate.checking.result import Side
from backdate.lowest.result import DeclaredBound, FalseBound, LiftedBy, LowestResult, LowestVerdict
from backdate.output.report import (
    FindingLevel,
    OutputReport,
    ReportedFinding,
    ReportedSection,
    ReportedSuite,
    ReportedTest,
    Standing,
)
from backdate.output.run_words import counts_in_words
from backdate.text import counted
from backdate.timeline.instants import format_day

LOWEST_HEADINGS = {
    LowestVerdict.TRUE: "LOWER BOUNDS HOLD",
    LowestVerdict.NOT_TRUE: "LOWER BOUNDS DO NOT HOLD",
    LowestVerdict.CANNOT_TELL: "CANNOT TELL",
}
_STANDINGS = {
    LowestVerdict.TRUE: Standing.GOOD,
    LowestVerdict.NOT_TRUE: Standing.BAD,
    LowestVerdict.CANNOT_TELL: Standing.UNCLEAR,
}


def lowest_report(result: LowestResult) -> OutputReport:
    """The answer as a report: what was tested of each bound, and which is not true."""
    sides = (("newest", result.newest), ("lowest", result.lowest), ("proof", result.proof))
    declared = [f"{bound.requirement}: {bound_in_words(bound)}" for bound in result.bounds]
    declared += [f"{requirement}: no lower bound" for requirement in result.unbounded]
    edits = edits_of(result)
    headline = {
        LowestVerdict.TRUE: "the declared lower bounds hold",
        LowestVerdict.NOT_TRUE: "; ".join(f"{old} is not true" for old, _ in edits) or result.reason,
        LowestVerdict.CANNOT_TELL: "cannot tell whether the lower bounds hold",
    }[result.verdict]
    sections = [ReportedSection(title="What is declared, and what was tested", lines=tuple(declared))]
    if edits:
        lines = tuple(f"{old}  ->  {new}" for old, new in edits)
        sections.append(ReportedSection(title="Do this", lines=lines, block=True))
    return OutputReport(
        command="check --lowest",
        backdate=result.backdate,
        project=result.project,
        location=result.origin.location,
        standing=_STANDINGS[result.verdict],
        heading=LOWEST_HEADINGS[result.verdict],
        reason=result.reason,
        headline=headline,
        sides=tuple((name, f"Python {result.python}, {side_in_words(side)}") for name, side in sides if side),
        findings=tuple(_findings(result)),
        sections=tuple(sections),
        suites=(ReportedSuite(name="backdate", tests=tuple(_tests(result))),),
        notes=(f"the index as of {format_day(result.instant)}", *result.notes),
        started=result.started,
        duration_s=result.duration_s,
        folder=str(result.folder),
    )


def side_in_words(side: Side) -> str:
    """What an environment holds and what its tests said."""
    if side.environment is None:
        return "the environment does not build"
    ran = f": {counts_in_words(side.run)}" if side.run is not None else ""
    return f"{counted(len(side.environment.lock.distributions), 'distribution')}{ran}"


def bound_in_words(bound: DeclaredBound) -> str:
    """The version that was tested, and why that is not the lowest one where it is not."""
    tested = bound.tested or "not tested"
    if bound.lifted is None:
        return tested
    lifted = bound.lifted
    why = {
        LiftedBy.REQUIREMENT: f"{lifted.by} requires {lifted.requires}",
        LiftedBy.INTERPRETER: f"that is not for {lifted.by}",
        LiftedBy.TEST_REQUIREMENTS: "what the tests are installed with does not go with that",
        LiftedBy.UNKNOWN: "that cannot be installed with the others",
    }[lifted.why]
    return f"{tested}, not {bound.lowest}: {why}"


def edits_of(result: LowestResult) -> tuple[tuple[str, str], ...]:
    """What to write: the requirement as it is declared, and as it is true."""
    edits = [(bound.requirement, bound.true_requirement) for bound in result.false_bounds if bound.passes]
    if result.false_python is not None:
        python = result.false_python
        edits.append((f"requires-python {python.declared}", f"requires-python >={python.passes}"))
    return tuple(edits)


def _findings(result: LowestResult) -> list[ReportedFinding]:
    findings = [_finding(bound) for bound in result.false_bounds]
    if result.false_python is not None:
        python = result.false_python
        findings.append(
            ReportedFinding(
                level=FindingLevel.ERROR,
                rule="requires-python",
                title=f"requires-python {python.declared} is not true: Python {python.fails} fails",
                details=(python.conflict, f"the first that works: {python.passes}"),
            )
        )
    if result.remaining:
        findings.append(
            ReportedFinding(
                level=FindingLevel.ERROR,
                rule="lowest",
                title="tests that fail with the lowest versions, and that no bound mends",
                tests=result.remaining,
            )
        )
    if result.failing_newest:
        findings.append(
            ReportedFinding(
                level=FindingLevel.WARNING,
                rule="newest",
                title="tests that fail with the newest versions already, and tell nothing of bounds",
                tests=result.failing_newest,
            )
        )
    findings += [
        ReportedFinding(
            level=FindingLevel.NOTE,
            rule="lifted",
            title=f"{bound.requirement} was not tested at its lowest: {bound_in_words(bound)}",
            places=_places(bound.file, bound.line),
        )
        for bound in result.lifted
    ]
    return findings


def _finding(bound: FalseBound) -> ReportedFinding:
    error = ": ".join(filter(None, (bound.error_type, bound.error_message)))
    return ReportedFinding(
        level=FindingLevel.ERROR,
        rule="lower-bound",
        title=f"{bound.requirement} is not true: {bound.distribution} {bound.fails} fails; "
        f"write {bound.true_requirement}",
        culprit=f"{bound.distribution} {bound.fails}",
        proof=f"with {bound.passes} it works, with {bound.fails} it does not" if bound.proven else "",
        places=_places(bound.file, bound.line),
        tests=bound.tests,
        details=(error,) if error else (),
    )


def _places(file: str, line: int) -> tuple[SourcePlace, ...]:
    return (SourcePlace(file=file, line=line),) if file else ()


def _tests(result: LowestResult) -> list[ReportedTest]:
    """One entry a bound, as tools count tests: good where it is true, aside where it was not tested."""
    false = {bound.distribution: bound for bound in result.false_bounds}
    tests = []
    for bound in result.bounds:
        untrue = false.get(bound.distribution)
        if untrue is not None:
            message = f"write {untrue.true_requirement}"
            tests.append(ReportedTest(id=bound.requirement, state="bad", type="LowerBound", message=message))
        else:
            state: Literal["good", "aside"] = (
                "aside" if bound.lifted is not None or not result.lowest else "good"
            )
            tests.append(ReportedTest(id=bound.requirement, state=state, message=bound_in_words(bound)))
    if result.verdict is not LowestVerdict.TRUE and not false:
        tests.append(
            ReportedTest(id="backdate.lowest", state="bad", type=result.verdict.value, message=result.reason)
        )
    return tests
