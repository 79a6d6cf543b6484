"""A check whose result says what to do: the check, then advice where something broke."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from importlib import import_module
from typing import ParamSpec

from backdate.checking.check import check_project
from backdate.checking.result import CheckResult
from backdate.serial import to_json, write_whole

P = ParamSpec("P")


def _advised(check: Callable[P, CheckResult]) -> Callable[P, CheckResult]:
    """``check``, whose result says what to do where something broke."""

    @wraps(check, assigned=("__doc__",))
    def check_with_advice(*arguments: P.args, **options: P.kwargs) -> CheckResult:
        options.setdefault("on_new_failures", _get_ready)
        result = check(*arguments, **options)
        if result.comparison is None or not result.comparison.breakages:
            return result
        from backdate.advising.check_advice import advice_of_check  # most checks find nothing to diagnose

        advised = replace(result, advice=advice_of_check(result))
        if advised.advice:
            write_whole(result.folder / "result.json", to_json(advised, indent=2))
        return advised

    return check_with_advice


def _get_ready() -> None:
    """Import what gives advice while the tests of the other side still run."""
    import_module("backdate.advising.check_advice")


check_with_advice = _advised(check_project)
"""What dependency updates between two instants broke, and what to do where the errors themselves say so.

It is called as ``check_project`` is.
"""
