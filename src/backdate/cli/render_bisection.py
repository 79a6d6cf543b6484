"""A bisection's result as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.bisection.narrowing import Narrowing
from backdate.bisection.result import BisectResult, Culprit, Finding, shown_at
from backdate.bisection.search import ProbeStatus
from backdate.checking.result import Verdict
from backdate.cli.render import Line, start_notes
from backdate.cli.render_explanations import explanations_lines
from backdate.output.advice_text import advice_lines
from backdate.output.culprit_words import (
    blamed_in_words,
    by_culprits,
    caught_in_words,
    companions_in_words,
    culprits_in_words,
    finding_in_a_line,
    placed_error_in_words,
    proof_in_words,
    turn_in_words,
)
from backdate.text import as_sentence, counted, first_line
from backdate.timeline.instants import Instant, format_day

_MOST_TESTS = 8
_MOST_TESTS_OF_SEVERAL = 3
"""Where one change shows by several errors: of each."""
_WIDTH = 50
"""Of the row of a timeline: with both days it fits a terminal of 80 columns."""
_MARKS = {ProbeStatus.GOOD: "o", ProbeStatus.BAD: "x", ProbeStatus.SKIP: "?"}


def bisection_lines(result: BisectResult, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line."""
    check = result.check
    yield f"{check.project} ({check.origin.location})", "bold"
    yield (
        (
            f"  {format_day(check.old_instant)}, Python {check.old_python}  ->  "
            f"{format_day(check.new_instant)}, Python {check.new_python}{_what_broke(result)}"
        ),
        "",
    )
    yield from start_notes(check.start)
    yield from _at_a_glance(result)
    for findings in by_culprits(result.findings):
        yield "", ""
        if len(findings) == 1:
            yield from _finding(result, findings[0], verbose)
        else:
            yield from _one_change(result, findings, verbose)
    if result.unattributed:
        yield "", ""
        yield f"Not attributed: {len(result.unattributed)}", "bold"
        shown = result.unattributed if verbose else result.unattributed[:_MOST_TESTS]
        for test in shown:
            yield f"      {test.test}: {test.reason}", "yellow"
        if len(shown) < len(result.unattributed):
            yield f"      and {len(result.unattributed) - len(shown)} more (--verbose shows all)", "dim"
    for note in result.notes:
        yield f"Note: {note}", "yellow"
    yield "", ""
    yield from _so_far(result.narrowing)
    yield _conclusion(result)
    yield from advice_lines(result.advice)
    yield f"Logs: {result.folder}", "dim"


def _what_broke(result: BisectResult) -> str:
    """What the check said; "" where that is the conclusion. An error that a finding tells is left to it."""
    if not result.findings and not result.unattributed and not result.not_searched:
        return ""
    reason = result.check.reason
    for finding in result.findings:
        reason = reason.removesuffix(f": {finding.error.message}")
    return f": {reason}"


def _at_a_glance(result: BisectResult) -> Iterator[Line]:
    """One line for each culprit, where there are several; their details follow."""
    changes = by_culprits(result.findings)
    if len(changes) < 2:
        return
    yield "", ""
    for findings in changes:
        yield f"  {finding_in_a_line(*findings)}", "bold red" if findings[0].culprits else "yellow"


def _confirmed(result: BisectResult, blamed: int) -> str:
    both = sum({"forward", "backward"} <= set(finding.confirmed) for finding in result.findings)
    if both == blamed:
        return "confirmed both ways"
    return f"{both} of them confirmed both ways" if both else "none of them confirmed both ways"


def _so_far(known: Narrowing | None) -> Iterator[Line]:
    """What is known of the cause whose search was interrupted."""
    if known is None:
        return
    tests = counted(len(known.tests), "test")
    good, bad = f"with {known.name} {known.good}", f"with {known.bad}"
    if known.last_good is not None and known.first_bad is not None:
        good = f"with the packages as of {format_day(known.last_good)}"
        bad = f"with those as of {format_day(known.first_bad)}"
    held = f" with {', '.join(known.held)}" if known.held else ""
    yield f"So far: good {good}, not good {bad}: {tests}, on Python {known.python}{held}", "bold"


def _conclusion(result: BisectResult) -> Line:
    most = f" of at most {result.most_environments}" if result.most_environments else ""
    effort = (
        f"{result.environments} environments{most}, {result.builds} of them built now, "
        f"{result.runs} test runs, {result.duration_s:.0f} s"
    )
    blamed = sum(bool(finding.culprits) for finding in result.findings)
    if result.ending == "interrupted":
        found = f"{counted(blamed, 'culprit')} found so far" if blamed else "no culprit found so far"
        waiting = (
            f"; not searched: {counted(len(result.not_searched), 'test')}" if result.not_searched else ""
        )
        return f"INTERRUPTED: {found}{waiting}. This is a part of the answer.", "bold yellow"
    if result.ending == "first":
        tests = counted(len(result.not_searched), "test")
        return f"FIRST CULPRIT FOUND ({effort}). Not searched (--first): {tests}.", "bold red"
    if blamed:
        return (
            f"CULPRITS FOUND for {blamed_in_words(result)}, {_confirmed(result, blamed)} ({effort}).",
            "bold red",
        )
    if result.verdict is Verdict.NOTHING_BROKE:
        broke = result.check.verdict is Verdict.BROKE  # others did
        reason = "of the tests that were asked for" if broke else result.check.reason
        return f"NOTHING BROKE: {reason}.", "bold green"
    if result.verdict is Verdict.FAILS_DIFFERENTLY:
        return f"FAILS DIFFERENTLY: {as_sentence(result.check.reason)}", "bold yellow"
    if result.check.verdict is Verdict.CANNOT_TELL:
        return f"CANNOT TELL: {as_sentence(result.check.reason)}", "bold yellow"
    if not result.check.broke and not result.findings:
        return f"CANNOT TELL since when: {as_sentence(result.check.reason)}", "bold yellow"
    return f"CANNOT TELL: tests broke, but no culprit was found ({effort}).", "bold yellow"


def _finding(result: BisectResult, finding: Finding, verbose: bool) -> Iterator[Line]:
    yield f"{_names(finding)}: {placed_error_in_words(finding.error)}", "bold red"
    yield from _what(finding)
    yield from _held_back(finding)
    yield from _turn(result, finding)
    yield from _details(finding, verbose)


def _one_change(result: BisectResult, findings: Sequence[Finding], verbose: bool) -> Iterator[Line]:
    """Several errors of one change: what they have in common once, then each."""
    first = findings[0]
    tests = counted(len({test for finding in findings for test in finding.tests}), "test")
    alike = all(finding.confirmed == first.confirmed for finding in findings)
    proof = f"; {proof_in_words(first)}" if alike else ""
    yield f"{_names(first)}: {tests} by {len(findings)} errors{proof}", "bold red"
    told = set(_turn(result, first))
    yield from _turn(result, first)
    for finding in findings:
        own = "" if alike else f" ({proof_in_words(finding)})"
        yield f"  {counted(len(finding.tests), 'test')}{own}: {placed_error_in_words(finding.error)}", "red"
        yield from _before_it(finding)
        said = [
            *_held_back(finding),
            *_turn(result, finding),
            *_details(finding, verbose, most=_MOST_TESTS_OF_SEVERAL),
        ]
        yield from (line for line in said if line not in told)
        told |= set(said)


def _names(finding: Finding) -> str:
    together = " (together)" if len(finding.culprits) > 1 else ""
    return f"{culprits_in_words(finding, reasons=True) or 'no culprit'}{together}"


def _what(finding: Finding) -> Iterator[Line]:
    """What broke, and how well that is proven."""
    proof = f"; {proof_in_words(finding)}" if finding.culprits else ""
    what = "the environment" if finding.breaks == "build" else counted(len(finding.tests), "test")
    what += ", which did not pass before" if finding.failed_before else ""
    yield f"  {what}{proof}", ""
    for line in finding.log_lines:
        if line != finding.error.message:
            yield f"      | {line}", "dim"
    yield from _before_it(finding)


def _before_it(finding: Finding) -> Iterator[Line]:
    """Another error that tests failed with first, and what something catches on the way to this one."""
    if finding.first_error is not None:
        yield f"  at first: {placed_error_in_words(finding.first_error)}", ""
    for error in finding.caught:
        yield f"  {caught_in_words(error)}", ""


def _turn(result: BisectResult, finding: Finding) -> Iterator[Line]:
    """Since when, where packages were searched."""
    if finding.axis != "packages":
        return
    searched = "versions" if finding.searched == "versions" else "packages"
    turn = turn_in_words(finding)
    yield f"  {searched} searched on Python {finding.python}{f', {turn}' if turn else ''}", ""
    yield from _timeline(result, finding)


def _details(finding: Finding, verbose: bool, *, most: int = _MOST_TESTS) -> Iterator[Line]:
    """The tests, and what is known of the change behind their error."""
    count = len(finding.tests)
    for test in finding.tests if verbose else finding.tests[:most]:
        yield f"      {test}", ""
    if not verbose and count > most:
        yield f"      and {count - most} more (--verbose shows all)", "dim"
    if finding.explanations is not None:
        yield from explanations_lines(finding.explanations)
    for note in finding.notes:
        yield f"  Note: {note}", "yellow"
    if verbose:
        for probe in finding.probes:
            built = ", built" if probe.built else ""
            why = f" ({first_line(probe.detail)})" if probe.detail else ""
            yield f"    {_MARKS[probe.status]} Python {probe.python}: {probe.why}{built}{why}", "dim"


def _held_back(finding: Finding) -> Iterator[Line]:
    """What else holding the culprit back takes, and its other turns."""
    if finding.companions:
        yield f"  {companions_in_words(finding)}: the newer do not work with it", ""
    for turn in finding.further_turns:
        error = placed_error_in_words(turn.error)
        yield f"  turned again with {turn.culprit.name} {turn.culprit.new}: {error}", ""


def _timeline(result: BisectResult, finding: Finding) -> Iterator[Line]:
    """One row of the window: where it was looked at, and the colour that was seen there."""
    start, end = result.check.old_instant, result.check.new_instant
    if finding.last_good is None or finding.first_bad is None:
        return
    row = ["=" if _column(finding.first_bad, start, end) <= column else "-" for column in range(_WIDTH)]
    for probe in finding.probes:
        instant = shown_at(finding, probe)
        if instant is not None:
            row[_column(instant, start, end)] = _MARKS[probe.status]
    row[0] = _MARKS[ProbeStatus.GOOD]
    yield f"  {start:%Y-%m-%d} {''.join(row)} {end:%Y-%m-%d}", ""
    legend = "  o good, x bad, ? cannot be told"
    for culprit in finding.culprits:
        yield _releases(result, culprit)
        legend += f"; {culprit.name}: . a release, ^ {culprit.new or 'gone'}"
    yield legend, "dim"


def _releases(result: BisectResult, culprit: Culprit) -> Line:
    """When the culprit's distribution was released, below the timeline."""
    start, end = result.check.old_instant, result.check.new_instant
    row = [" "] * _WIDTH
    for release in result.releases:
        if release.name == culprit.name and not release.prerelease:
            row[_column(release.uploaded, start, end)] = "."
    if culprit.released is not None and start <= culprit.released <= end:
        row[_column(culprit.released, start, end)] = "^"
    return f"  {'':10} {''.join(row)}".rstrip(), "dim"


def _column(instant: Instant, start: Instant, end: Instant) -> int:
    share = (instant - start) / (end - start)
    return min(_WIDTH - 1, max(0, int(share * (_WIDTH - 1) + 0.5)))
