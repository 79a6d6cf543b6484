"""A result that nobody had to compute."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from stored_results import make_check_result

from backdate.checking.result import CheckResult

MakeResult = Callable[..., CheckResult]


@pytest.fixture
def make_result() -> MakeResult:
    """A result in which ``t.py::b`` broke with ``message``; other fields as told."""
    return make_check_result
