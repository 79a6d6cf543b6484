"""A result of any command as text, and the exit status that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from backdate.cli import exit_codes

if TYPE_CHECKING:
    from backdate.checking.setup_result import SetupResult
    from backdate.cli.render import Line
    from backdate.diagnosis.log_report import LogReport
    from backdate.fixing.result import FixOutcome
    from backdate.lowest.result import LowestVerdict
    from backdate.output.next_steps import LaterResult, ResultWithNext
    from backdate.output.render import AnyResult

    OtherResult = LaterResult | SetupResult | LogReport


def lines_of(result: AnyResult, *, verbose: bool = False) -> Iterator[Line]:
    """What the command that made ``result`` prints, and what to do next."""
    from backdate.checking.answers import CheckAnswers
    from backdate.checking.result import CheckResult

    # Each command imports its own result and what prints it: those of all of them are a hundred modules.
    if isinstance(result, CheckAnswers):
        from backdate.cli.render_answers import answers_lines

        yield from answers_lines(result, verbose=verbose)
    elif isinstance(result, CheckResult):
        from backdate.cli.render import result_lines

        yield from result_lines(result, verbose=verbose)
    else:
        yield from _lines_of_others(result, verbose=verbose)
        return
    yield from _next_lines(result)


def _lines_of_others(result: OtherResult, *, verbose: bool) -> Iterator[Line]:
    from backdate.bisection.result import BisectResult
    from backdate.fixing.result import FixResult
    from backdate.lowest.result import LowestResult

    if isinstance(result, BisectResult):
        from backdate.cli.render_bisection import bisection_lines

        yield from bisection_lines(result, verbose=verbose)
    elif isinstance(result, FixResult):
        from backdate.cli.render_fix import fix_lines

        yield from fix_lines(result, verbose=verbose)
    elif isinstance(result, LowestResult):
        from backdate.cli.render_lowest import lowest_lines

        yield from lowest_lines(result, verbose=verbose)
    else:
        yield from _lines_without_next(result, verbose=verbose)
        return
    yield from _next_lines(result)


def _lines_without_next(result: SetupResult | LogReport, *, verbose: bool) -> Iterable[Line]:
    from backdate.checking.setup_result import SetupResult

    if isinstance(result, SetupResult):
        from backdate.cli.render_setup import setup_lines

        return ((line, "") for line in setup_lines(result, verbose=verbose))
    from backdate.cli.render_log import log_lines

    return log_lines(result, verbose=verbose)


def _next_lines(result: ResultWithNext) -> Iterator[Line]:
    from backdate.output.next_steps import next_lines, next_steps

    return next_lines(next_steps(result))


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
