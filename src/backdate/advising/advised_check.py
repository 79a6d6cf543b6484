"""A check whose result says what to do: the check, then advice where something broke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from importlib import import_module
from typing import ParamSpec, TypeVar

from backdate.checking.answer import answer_project
from backdate.checking.answers import CheckAnswers
from backdate.checking.check import check_project
from backdate.checking.result import CheckResult
from backdate.serial import to_json, write_whole

P = ParamSpec("P")
R = TypeVar("R")
_WHERE_TESTS_FAIL = (
    *("advising.check_advice", "checking.broken_plugin", "checking.caps", "checking.python_cap"),
    "checking.suite_tools",
)
"""Modules of backdate that a check needs once all runs are over, where tests of the new side fail."""


def _advised(check: Callable[P, R], with_advice: Callable[[R], R]) -> Callable[P, R]:
    """``check``, whose result says what to do where something broke."""

    @wraps(check, assigned=("__doc__",))
    def check_with_advice(*arguments: P.args, **options: P.kwargs) -> R:
        options.setdefault("on_new_failures", _get_ready)
        return with_advice(check(*arguments, **options))

    return check_with_advice


def _of_result(result: CheckResult) -> CheckResult:
    advised = _add_advice(result)
    if advised.advice:
        write_whole(result.folder / "result.json", to_json(advised, indent=2))
    return advised


def _of_answers(answers: CheckAnswers) -> CheckAnswers:
    declared, lifted = (
        None if one is None else _add_advice(one) for one in (answers.declared, answers.lifted)
    )
    advised = replace(answers, declared=declared, lifted=lifted)
    if advised != answers:
        write_whole(answers.deciding.folder / "result.json", to_json(advised, indent=2))
    return advised


def _add_advice(result: CheckResult) -> CheckResult:
    if result.comparison is None or not result.comparison.breakages:
        return result
    from backdate.advising.check_advice import advice_of_check  # most checks find nothing to diagnose

    return replace(result, advice=advice_of_check(result))


def _get_ready() -> None:
    """Import what reads failures and gives advice while the tests of the other side still run."""
    for name in _WHERE_TESTS_FAIL:
        import_module(f"backdate.{name}")


check_with_advice = _advised(check_project, _of_result)
"""What dependency updates between two instants broke, and what to do where the errors themselves say so.

It is called as ``check_project`` is.
"""
answer_with_advice = _advised(answer_project, _of_answers)
"""The same for both questions. It is called as ``answer_project`` is."""
