"""A result of any command as text, and the exit status that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from backdate.cli import exit_codes

if TYPE_CHECKING:
    from backdate.cli.render import Line
    from backdate.fixing.result import FixOutcome
    from backdate.lowest.result import LowestVerdict
    from backdate.output.render import AnyResult


def lines_of(result: AnyResult, *, verbose: bool = False) -> Iterator[Line]:
    """What the command that made ``result`` prints, and what to do next."""
    from backdate.checking.setup_result import SetupResult
    from backdate.diagnosis.log_report import LogReport
    from backdate.output.next_steps import next_lines, next_steps

    yield from _lines_of(result, verbose=verbose)
    if not isinstance(result, (SetupResult, LogReport)):
        yield from next_lines(next_steps(result))


def _lines_of(result: AnyResult, *, verbose: bool) -> Iterable[Line]:
    from backdate.bisection.result import BisectResult
    from backdate.checking.answers import CheckAnswers
    from backdate.checking.result import CheckResult
    from backdate.checking.setup_result import SetupResult
    from backdate.cli.render import result_lines
    from backdate.cli.render_answers import answers_lines
    from backdate.cli.render_bisection import bisection_lines
    from backdate.cli.render_fix import fix_lines
    from backdate.cli.render_log import log_lines
    from backdate.cli.render_lowest import lowest_lines
    from backdate.cli.render_setup import setup_lines
    from backdate.fixing.result import FixResult
    from backdate.lowest.result import LowestResult

    if isinstance(result, CheckResult):
        return result_lines(result, verbose=verbose)
    if isinstance(result, CheckAnswers):
        return answers_lines(result, verbose=verbose)
    if isinstance(result, BisectResult):
        return bisection_lines(result, verbose=verbose)
    if isinstance(result, FixResult):
        return fix_lines(result, verbose=verbose)
    if isinstance(result, LowestResult):
        return lowest_lines(result, verbose=verbose)
    if isinstance(result, SetupResult):
        return ((line, "") for line in setup_lines(result, verbose=verbose))
    return log_lines(result, verbose=verbose)


def status_of_result(result: AnyResult) -> int:
    """The exit status of the command that made ``result``."""
    from backdate.checking.setup_result import SetupResult
    from backdate.diagnosis.log_report import LogReport
    from backdate.fixing.result import FixResult
    from backdate.lowest.result import LowestResult

    if isinstance(result, LowestResult):
        return of_lowest(result.verdict)
    if isinstance(result, FixResult):
        return of_fix(result.outcome)
    if isinstance(result, SetupResult):
        return exit_codes.OK if result.proven else exit_codes.CANNOT_TELL
    if isinstance(result, LogReport):
        return exit_codes.CANNOT_TELL if result.explains_nothing else exit_codes.OK
    return exit_codes.of_verdict(result.verdict)


def of_lowest(verdict: LowestVerdict) -> int:
    """The exit status for what was found of lower bounds."""
    from backdate.lowest.result import LowestVerdict

    return {
        LowestVerdict.TRUE: exit_codes.OK,
        LowestVerdict.NOT_TRUE: exit_codes.BROKE,
        LowestVerdict.CANNOT_TELL: exit_codes.CANNOT_TELL,
    }[verdict]


def of_fix(outcome: FixOutcome) -> int:
    """The exit status for what came of a fix."""
    from backdate.fixing.result import FixOutcome

    return {
        FixOutcome.FIXED: exit_codes.OK,
        FixOutcome.NOTHING_BROKE: exit_codes.OK,
        FixOutcome.PARTLY: exit_codes.BROKE,
        FixOutcome.NOT_FIXED: exit_codes.BROKE,
        FixOutcome.CANNOT_TELL: exit_codes.CANNOT_TELL,
    }[outcome]
