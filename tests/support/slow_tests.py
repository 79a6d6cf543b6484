"""Which tests are left to ``./dev test --all``."""

from __future__ import annotations

from collections.abc import Container, Iterable

import pytest
from _pytest.mark import ParameterSet

_LONGEST = (
    "tests/bisection/test_bisect.py",
    "tests/checking/test_check.py",
    "tests/testing/test_run.py",
    "tests/evaluation/flags/test_traced.py",
    "tests/construction/test_build.py",
    "tests/testing/test_run_matrix.py",
    "tests/construction/issue/test_issue_build.py",
    "tests/checking/test_set_up.py",
    "tests/tasks/test_local_runner.py",
    "tests/tasks/test_disk_budget.py",
)
"""Files that take longest. They come first, so that no worker is left alone with one of them at the end."""


def is_slow(item: pytest.Item) -> bool:
    """Whether the default command leaves the test out; a Debian of its own takes a minute to make."""
    return any(item.get_closest_marker(name) for name in ("slow", "debian", "docker"))


def leave_out_slow(items: list[pytest.Item], config: pytest.Config) -> int:
    """Take slow tests out of ``items`` and return how many.

    None when all are asked for, or when tests are named one by one.
    """
    if config.getoption("--all") or any("::" in argument for argument in config.args):
        return 0
    slow = [item for item in items if is_slow(item)]
    if slow:
        items[:] = [item for item in items if not is_slow(item)]
        config.hook.pytest_deselected(items=slow)
    return len(slow)


def put_longest_first(items: list[pytest.Item]) -> None:
    """Sort the longest files to the beginning; everything else keeps its order."""
    ranks = {file: rank for rank, file in enumerate(_LONGEST)}
    items.sort(key=lambda item: ranks.get(item.nodeid.partition("::")[0], len(ranks)))


def others_slow(values: Iterable[object], *, kept: Container[object]) -> list[ParameterSet]:
    """Parameters of which only ``kept`` run by default: the representatives of a matrix of real builds.

    A tuple is several arguments, as in ``parametrize``.
    """
    rows = [(value, value if isinstance(value, tuple) else (value,)) for value in values]
    assert any(value in kept for value, _ in rows), "nothing of this matrix would run by default"
    return [pytest.param(*row, marks=() if value in kept else pytest.mark.slow) for value, row in rows]
