"""A fix as text: the patch with why for every part, what remains broken, what helps meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.checking.result import Breakage
from backdate.checking.start_instant import start_lines
from backdate.fixing.result import BUILD, FixOutcome, FixResult
from backdate.knowledge.changes import PYTHON
from backdate.solvers.reasons import CaughtError, HunkReason, ProposalOrigin
from backdate.text import counted
from backdate.timeline.instants import format_day

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""

_HEADINGS = {
    FixOutcome.FIXED: ("FIXED", "bold green"),
    FixOutcome.PARTLY: ("PARTLY FIXED", "bold yellow"),
    FixOutcome.NOT_FIXED: ("NOT FIXED", "bold red"),
    FixOutcome.NOTHING_BROKE: ("NOTHING BROKE", "bold green"),
    FixOutcome.CANNOT_TELL: ("CANNOT TELL", "bold yellow"),
}
_BY = {
    ProposalOrigin.WRITTEN_RULE: "a rule",
    ProposalOrigin.MINED_RULE: "a rule mined from its releases",
    ProposalOrigin.MESSAGE: "what the error says",
    ProposalOrigin.WARNING: "what it warned of before",
    ProposalOrigin.ANNOUNCEMENT: "what a release in between announced",
    ProposalOrigin.CHANGELOG: "what its changelog says",
    ProposalOrigin.UNUSED_IMPORT: "nothing uses what the line imports",
    ProposalOrigin.NEW_HOME: "where the object is now",
    ProposalOrigin.SIGNATURE: "what its signature became",
    ProposalOrigin.CHANGED_DEFAULT: "the default that the call had before",
    ProposalOrigin.RECORDED_CALL: "what the call gave before",
    ProposalOrigin.RESTRUCTURING: "what the error says of its use",
    ProposalOrigin.KEPT_DEFINITION: "how the library defined it",
    ProposalOrigin.FIXER: "another tool's edit",
}
_MOST_REMAINING = 8
_MOST_TESTS = 3
_LIBRARY_SAYS = (
    EvidenceKind.WARNING,
    EvidenceKind.MESSAGE,
    EvidenceKind.CHANGELOG,
    EvidenceKind.ANNOUNCED,
)


def fix_lines(result: FixResult, *, verbose: bool = False) -> Iterator[Line]:
    """The whole answer. ``verbose``: every test of a reason."""
    heading, style = _HEADINGS[result.outcome]
    yield f"{heading}: {result.reason}", style
    old, new = result.check.old, result.check.new
    sides = (
        f"{format_day(side.instant)} with Python {side.choice.interpreter.version}" for side in (old, new)
    )
    yield f"{result.check.project}: {', '.join(sides)}", "dim"
    for line in () if result.check.start is None else start_lines(result.check.start):
        yield line, "dim"
    if result.patch:
        yield "", ""
        yield from _patch_lines(result.patch)
        yield from _why(result.reasons, verbose=verbose)
    if result.elsewhere:
        yield "", ""
        yield "The same names where no failing test runs them (not part of the patch):", "bold"
        yield from _patch_lines(result.elsewhere)
    yield from _missing(result)
    yield from _remaining(result.remaining)
    yield from _caught(result.caught)
    for held in result.held_back:
        yield f"  Meanwhile: {held.requirement} (not tried: {held.because})", "green"
    if result.runs > 1:
        yield "", ""
        yield _account(result), "dim"


def _patch_lines(patch: str) -> Iterator[Line]:
    for line in patch.rstrip("\n").split("\n"):
        yield line, _style(line)


def _style(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _why(reasons: Sequence[HunkReason], *, verbose: bool) -> Iterator[Line]:
    """Why, each reason once, with the lines that it is for."""
    if not reasons:
        return
    yield "", ""
    yield "Why:", "bold"
    together: dict[tuple[object, ...], list[HunkReason]] = {}
    for reason in reasons:
        key = (reason.cause, reason.origin, reason.rule, reason.distribution, reason.evidence)
        together.setdefault(key, []).append(reason)
    for same in together.values():
        first = same[0]
        places = [f"{each.file}:{max(each.first_line, 1)}" for each in same]
        yield f"  {', '.join(dict.fromkeys(places))}", "bold"
        yield f"    {_failed(first)}", ""
        if change := _change(first):
            yield f"    {change}", ""
        for evidence in first.evidence:
            if text := _said(evidence):
                yield f"    {text}", ""
        yield f"    edit by {_BY[first.origin]}{f' ({first.rule})' if first.rule else ''}", "dim"
        if verbose:
            for test in dict.fromkeys(test for each in same for test in each.tests):
                yield f"      {test}", "dim"


def _failed(reason: HunkReason) -> str:
    if not reason.cause:
        return "no error names this line: the library does not read any more what it says"
    if not reason.failed:
        before = "the failing tests catch" if reason.caught else "the next error would be"
        return f"{before} {reason.cause}"
    what = BUILD if reason.tests == (BUILD,) else counted(reason.failed, "test")
    return f"{what} failed with {reason.cause}"


def _change(reason: HunkReason) -> str:
    if not reason.distribution:
        return ""
    name = "Python" if reason.distribution == PYTHON else reason.distribution
    if not reason.old_version or not reason.new_version:
        return name
    when = f" of {reason.released:%Y-%m-%d}" if reason.released else ""
    return f"{name} {reason.old_version} -> {reason.new_version}{when}"


def _said(evidence: AdviceEvidence) -> str:
    since = f" since {evidence.since}" if evidence.since else ""
    source = f" ({evidence.source})" if evidence.source else ""
    if not evidence.text:
        return f"changed{since}{source}" if since or source else ""
    if evidence.kind in _LIBRARY_SAYS:
        return f'the library says{since}: "{evidence.text}"{source}'
    return f"{evidence.text}{since}{source}"


def _missing(result: FixResult) -> Iterator[Line]:
    if not result.missing:
        return
    yield "", ""
    yield f"Add to what the project requires: {', '.join(result.missing)}", "bold"
    if result.requirements:
        yield from _patch_lines(result.requirements)


def _remaining(remaining: Sequence[Breakage]) -> Iterator[Line]:
    if not remaining:
        return
    yield "", ""
    yield "Still broken:", "bold red"
    for breakage in remaining[:_MOST_REMAINING]:
        yield f"  {counted(len(breakage.tests), 'test')}: {breakage.type}: {breakage.message}", ""
        for place in breakage.places[:1]:
            yield f"    {place.file}:{place.line}", "dim"
        for test in breakage.tests[:_MOST_TESTS]:
            yield f"    {test}", "dim"
    if len(remaining) > _MOST_REMAINING:
        yield f"  and {len(remaining) - _MOST_REMAINING} more errors (--format json has all)", "dim"


def _caught(errors: Sequence[CaughtError]) -> Iterator[Line]:
    if errors:
        yield "", ""
        yield "Caught on the way to it, and not raised in the old environment:", "bold"
    for each in errors[:_MOST_REMAINING]:
        yield f"  {each.error}", ""
        yield f"    {each.file}:{each.line}", "dim"
    if len(errors) > _MOST_REMAINING:
        yield f"  and {len(errors) - _MOST_REMAINING} more (--format json has all)", "dim"


def _account(result: FixResult) -> str:
    parts = [
        f"{counted(result.runs, 'run')} of the new side, {result.side_runs + 1} of the old one",
        f"{result.duration_s:.0f} s, of which {result.own_s:.0f} s beside runs and builds",
    ]
    if result.usage.requests:
        cost = "" if result.usage.cost_usd is None else f", {result.usage.cost_usd:.2f} US dollars"
        parts.append(f"{counted(result.usage.requests, 'request')} to a model{cost}")
    if result.detail:
        parts.append(result.detail)
    return "; ".join(parts)
