"""Which errors of a test on two sides are one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import frame, raised, result

from backdate.checking.error_identity import same_error
from backdate.testing.outcomes import CaseResult, Outcome, Raised


def failed(*chain: Raised) -> CaseResult:
    return result("t.py::a", Outcome.FAILED, *chain)


SAME = [
    (raised("TypeError", "f() got 2, not 3"), raised("TypeError", "C.f() got 2, not 3")),
    (
        raised("ImportError", "cannot import name 'x'"),
        raised("ImportError", "cannot import name 'x' from 'y' (/e/lib/python3.9/site-packages/y.py)"),
    ),
    (
        raised("AttributeError", "no 'x'"),
        raised("AttributeError", "no 'x'. Did you mean: 'y'?"),
    ),
    (raised("numpy.AxisError", "axis 1"), raised("numpy.exceptions.AxisError", "axis 2")),
    (raised("OSError", "no /tmp/a-1/x"), raised("IOError", "no /tmp/b-2/x")),
    (
        raised("AssertionError", "1 != 2", frame("t.py", 3)),
        raised("AssertionError", "'a' != 'b'", frame("t.py", 4)),
    ),
    (
        raised("requests.exceptions.ConnectionError", "Temporary failure in name resolution"),
        raised("httpx.ConnectError", "[Errno -3] Temporary failure in name resolution"),
    ),
    (
        raised("RecursionError", "maximum recursion depth exceeded while calling a Python object"),
        raised("RecursionError", "maximum recursion depth exceeded"),
    ),
]
OTHER = [
    (raised("TypeError", "no"), raised("ValueError", "no")),
    (
        raised("AttributeError", "module 'numpy' has no attribute 'float'"),
        raised("AttributeError", "module 'numpy' has no attribute 'product'"),
    ),
    (
        raised("AssertionError", "1 != 2", frame("t.py", 3)),
        raised("AssertionError", "1 != 2", replace(frame("t.py", 3), source="assert other")),
    ),
]


@pytest.mark.parametrize(("old", "new"), SAME)
def test_one_error_in_two_wordings(old: Raised, new: Raised) -> None:
    assert same_error(failed(old), failed(new))


@pytest.mark.parametrize(("old", "new"), OTHER)
def test_two_errors(old: Raised, new: Raised) -> None:
    assert not same_error(failed(old), failed(new))


def test_what_led_to_the_last_exception_counts() -> None:
    last = raised("RuntimeError", "cannot be loaded")
    old, new = (failed(raised("ImportError", f"no {name}"), last) for name in ("a", "b"))
    assert not same_error(old, new)
    assert same_error(old, old)


def test_failures_without_exceptions() -> None:
    crash = replace(failed(), outcome=Outcome.CRASHED, reason="the process was killed by SIGSEGV")
    assert same_error(crash, crash)
    assert not same_error(crash, replace(crash, outcome=Outcome.TIMED_OUT))
    assert not same_error(crash, failed(raised("ValueError")))
