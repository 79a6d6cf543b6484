"""A set-up's result as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from backdate.checking.setup_class import SetupClass
from backdate.cli.adviser import advice_lines
from backdate.cli.terminal import printable
from backdate.recipes.render import steps_of
from backdate.text import counted, first_line
from backdate.timeline.instants import format_day

if TYPE_CHECKING:
    from backdate.checking.ablation import Ablation
    from backdate.checking.setup_result import AttemptRecord, SetupResult
    from backdate.recipes.recipe import Provenance

_MOST_TESTS = 200
_MOST_GROUPS = 8
_VERDICTS: Mapping[SetupClass, str] = MappingProxyType(
    {
        SetupClass.PROVEN: "Proven",
        SetupClass.PROVEN_BUT_OUTSIDE: "Proven but for what wants the network, a service or absent files",
        SetupClass.WEAK: "Weak",
        SetupClass.NOT_PROVEN: "Not proven",
    }
)


def setup_lines(result: SetupResult, *, verbose: bool = False) -> Iterator[str]:
    """The report of one set-up, line by line."""
    for line in _lines(result, verbose=verbose):
        yield printable(line)


def _lines(result: SetupResult, *, verbose: bool) -> Iterator[str]:
    yield f"{_VERDICTS[result.setup_class]}: {result.reason}"
    python = result.choice.interpreter.version if result.choice is not None else "no interpreter"
    yield f"{result.project} as of {format_day(result.instant)}, Python {python}"
    if result.choice is not None:
        yield f"  ({result.choice.reason})"
    yield ""
    for attempt in result.attempts:
        yield from _attempt(attempt)
    if result.recipe is not None:
        yield ""
        yield "The recipe:" if result.proven else "The best recipe:"
        yield from (_step(*step) for step in steps_of(result.recipe))
    yield from _failures(result)
    yield from advice_lines(result.advice)
    for note in result.notes:
        yield f"Note: {note}"
    if verbose:
        yield from _bad_tests(result)
        for instruction in result.skipped:
            where = instruction.provenance.location or instruction.provenance.rule
            yield f"Not followed: {where}: {instruction.reason}"
    yield f"Logs: {result.folder}"


def _attempt(attempt: AttemptRecord) -> Iterator[str]:
    what = attempt.repair or attempt.source
    counts = f"{attempt.counts.passed} of {attempt.counts.ran} pass" if attempt.counts.ran else ""
    took = f"{attempt.build_s + attempt.tests_s:.1f} s"
    end = attempt.setup_class.value if attempt.error is None else f"{attempt.error} in {attempt.reached}"
    yield f"Attempt {attempt.number} (candidate {attempt.candidate}, round {attempt.round}): {what}"
    yield f"  {'; '.join(part for part in (end, counts, f'Python {attempt.python}', took) if part)}"
    if attempt.message:
        yield f"  {attempt.message}"
    if attempt.help:
        yield f"  what would help: {attempt.help}"


def _failures(result: SetupResult) -> Iterator[str]:
    """What failed with the recipe, by class and cause, where there were tests."""
    groups = [group for group in result.failures if group.tests]
    if not groups:
        return
    yield ""
    yield "What failed with it:"
    for group in groups[:_MOST_GROUPS]:
        yield f"  {group.error}: {counted(len(group.tests), 'test')}: {group.line}"
        others = f" and {len(group.tests) - 1} more" if len(group.tests) > 1 else ""
        yield f"    {group.tests[0]}{others}; what would help: {group.help}"
    if len(groups) > _MOST_GROUPS:
        yield f"  … and {len(groups) - _MOST_GROUPS} more causes"


def _step(kind: str, what: str, provenance: Provenance) -> str:
    where = f"{provenance.location}, {provenance.rule}" if provenance.location else provenance.rule
    return f"  {kind:<8}{what}    [{where}]"


def _bad_tests(result: SetupResult) -> Iterator[str]:
    bad = [test for test in result.run.results if test.outcome.bad] if result.run is not None else []
    for test in bad[:_MOST_TESTS]:
        why = (
            f": {test.raised[-1].type}: {first_line(test.raised[-1].message, most=200)}"
            if test.raised
            else ""
        )
        yield f"{test.outcome}: {test.id}{why}"
    if len(bad) > _MOST_TESTS:
        yield f"… and {len(bad) - _MOST_TESTS} more"


def ablation_lines(table: Ablation) -> Iterator[str]:
    """How many projects are proven with parts switched off, as a table in Markdown."""
    yield "| parts | proven | " + " | ".join(printable(name) for name in table.projects) + " |"
    yield "|---" * (2 + len(table.projects)) + "|"
    for row in table.rows:
        cells = " | ".join(printable(cell) for cell in row.outcomes)
        yield f"| {row.parts} | {row.proven} of {len(table.projects)} | {cells} |"
