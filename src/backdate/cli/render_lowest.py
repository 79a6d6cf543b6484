"""The result of ``check --lowest`` as text."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.cli.render import Line
from backdate.lowest.result import FalseBound, LowestResult, LowestVerdict
from backdate.output.lowest_report import LOWEST_HEADINGS, bound_in_words, edits_of, side_in_words
from backdate.timeline.instants import format_day

_STYLES = {
    LowestVerdict.TRUE: "bold green",
    LowestVerdict.NOT_TRUE: "bold red",
    LowestVerdict.CANNOT_TELL: "bold yellow",
}
_MOST_TESTS = 5


def lowest_lines(result: LowestResult, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line."""
    yield f"{result.project} ({result.origin.location})", "bold"
    yield f"  Python {result.python}, the index as of {format_day(result.instant)}", ""
    for name, side in (("newest", result.newest), ("lowest", result.lowest), ("proof", result.proof)):
        if side is not None:
            yield f"  {name}  {side_in_words(side)}", ""
    yield from _bounds(result)
    for bound in result.false_bounds:
        yield "", ""
        yield from _false(bound, verbose=verbose)
    yield from _python(result)
    if result.remaining:
        yield "", ""
        yield f"Fail with the lowest versions, and no bound mends them: {len(result.remaining)}", "bold"
        yield from _tests(result.remaining, verbose)
    if result.failing_newest:
        yield "", ""
        failing = (
            f"Fail with the newest versions already, and tell nothing of bounds: {len(result.failing_newest)}"
        )
        yield failing, "bold yellow"
        yield from _tests(result.failing_newest, verbose)
    for note in result.notes:
        yield f"Note: {note}", "yellow"
    yield "", ""
    yield f"{LOWEST_HEADINGS[result.verdict]}: {result.reason}.", _STYLES[result.verdict]
    yield from _do_this(result)
    yield f"Logs: {result.folder}", "dim"


def _bounds(result: LowestResult) -> Iterator[Line]:
    if result.bounds:
        yield "", ""
        yield "What is declared, and what was tested", "bold"
    width = max((len(bound.requirement) for bound in result.bounds), default=0)
    for bound in result.bounds:
        yield f"  {bound.requirement:{width}}  {bound_in_words(bound)}", "yellow" if bound.lifted else ""
    for requirement in result.unbounded:
        yield f"  {requirement:{width}}  no lower bound is declared: left at its newest", "yellow"


def _false(bound: FalseBound, *, verbose: bool) -> Iterator[Line]:
    where = f" ({bound.file}:{bound.line})" if bound.file else ""
    yield f"{bound.requirement}{where} is not true: {bound.distribution} {bound.fails} fails", "bold red"
    error = ": ".join(filter(None, (bound.error_type, bound.error_message)))
    if error:
        yield f"  {error}", "red"
    if bound.passes:
        proof = f"a run with it passes, one with {bound.fails} does not"
        proof = proof if bound.tests else f"it can be installed, {bound.fails} cannot"
        yield f"  the first that works: {bound.passes} ({proof})", ""
    if bound.skipped:
        yield f"  passed over, as they cannot be installed: {', '.join(bound.skipped)}", "dim"
    if bound.together_with:
        yield f"  together with newer {', '.join(bound.together_with)}", ""
    if bound.tests:
        yield f"  tests that it mends: {len(bound.tests)}", ""
        yield from _tests(bound.tests, verbose)


def _tests(tests: tuple[str, ...], verbose: bool) -> Iterator[Line]:
    shown = tests if verbose else tests[:_MOST_TESTS]
    for test in shown:
        yield f"      {test}", ""
    if len(shown) < len(tests):
        yield f"      and {len(tests) - len(shown)} more (--verbose shows all)", "dim"


def _python(result: LowestResult) -> Iterator[Line]:
    python = result.false_python
    if python is not None:
        yield "", ""
        yield f"requires-python {python.declared} is not true: Python {python.fails} fails", "bold red"
        yield f"  {python.conflict}", "red"
        yield f"  the first that works: {python.passes}", ""


def _do_this(result: LowestResult) -> Iterator[Line]:
    edits = edits_of(result)
    if edits:
        yield "", ""
        yield "Do this:", "bold"
    for old, new in edits:
        yield f"  {old}  ->  {new}", ""
