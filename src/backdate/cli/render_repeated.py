"""Flaky and time-bound tests of a check, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.checking.result import CheckResult
from backdate.output.run_words import flaky_sections
from backdate.testing.moved_clock import HOW_TO_GET
from backdate.text import counted, plural
from backdate.timeline.instants import format_day

_MOST_TESTS = 8
Line = tuple[str, str]


def repeated_lines(result: CheckResult, *, verbose: bool) -> Iterator[Line]:
    """The tests that say nothing of updates, and why; nothing where there are none."""
    repeated = result.repeated
    for title, lines in flaky_sections(repeated.flaky):
        yield "", ""
        yield f"{title}: {len(lines)}", "bold yellow"
        yield from _listed(lines, verbose=verbose)
    if repeated.time_bound:
        number = len(repeated.time_bound)
        day = f", its clock at {format_day(repeated.clock)}" if repeated.clock is not None else ""
        yield "", ""
        yield f"Bound to a time, so no breakage: {number}", "bold yellow"
        yield (
            (
                f"  {plural(number, 'fails', 'fail')} today in both environments; "
                f"{plural(number, 'passes', 'pass')} in the old one{day}"
            ),
            "",
        )
        yield from _listed(repeated.time_bound, verbose=verbose)
    if repeated.order_dependent:
        yield "", ""
        number = len(repeated.order_dependent)
        yield f"Broke only after the tests before {plural(number, 'it', 'them')}: {number}", "bold"
        yield from _listed(repeated.order_dependent, verbose=verbose)
    if repeated.clock_missing:
        yield "", ""
        text = counted(repeated.clock_missing, "test")
        yield f"Failed on both sides, perhaps bound to a time: {text}. To find out: {HOW_TO_GET}", "dim"


def _listed(tests: Sequence[str], *, verbose: bool) -> Iterator[Line]:
    for test in tests if verbose else tests[:_MOST_TESTS]:
        yield f"      {test}", ""
    if not verbose and len(tests) > _MOST_TESTS:
        yield f"      and {len(tests) - _MOST_TESTS} more (--verbose shows all)", "dim"
