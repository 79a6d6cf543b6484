"""Odd but honest suites are never taken for forged ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.integrity import (
    UNKNOWN_INTEGRITY,
    Integrity,
    IntegrityReason,
    Witnessing,
    integrity_of,
    merge_integrities,
)
from backdate.testing.outcomes import Outcome, SuiteRun

TWO = "def test_1(): pass\ndef test_2(): pass\n"
WITNESSED, NOT_WITNESSED = Witnessing.WITNESSED, Witnessing.NOT_WITNESSED
ODD: dict[str, tuple[str, tuple[str, ...], Witnessing]] = {
    "children that leave at once": (
        "import os\ndef test_1():\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n",
        (),
        WITNESSED,
    ),
    "a fixture of the session that fails": (
        f"import pytest\n@pytest.fixture(scope='session', autouse=True)\ndef bad(): raise OSError\n{TWO}",
        (),
        WITNESSED,
    ),
    "warnings are errors": (TWO, ("-W", "error", "-p", "no:cacheprovider", "--strict-markers"), WITNESSED),
    "stopped at the first failure": ("def test_1(): assert 0\n" + TWO, ("-x",), WITNESSED),
    "tests inherited": (
        "class Base:\n    def test_1(self): pass\nclass TestX(Base): pass\nclass TestY(Base): pass\n",
        (),
        WITNESSED,
    ),
    "a decorator that runs nothing": (
        "def leave_out(f): return lambda: None\n@leave_out\ndef test_1(): pass\n",
        (),
        NOT_WITNESSED,
    ),
    "a decorator that swallows": (
        (
            "import functools\ndef raises(f):\n    @functools.wraps(f)\n    def g():\n        try: f()\n"
            "        except ValueError: pass\n    return g\n@raises\ndef test_1(): raise ValueError\n"
        ),
        (),
        NOT_WITNESSED,
    ),
    "doctests": (
        'def f():\n    """\n    >>> f()\n    1\n    """\n    return 1\n',
        ("--doctest-modules",),
        NOT_WITNESSED,
    ),
    "other processes": (TWO, ("-n", "2"), NOT_WITNESSED),
    "replaced functions": (
        (
            "import os\nfrom unittest import mock\n@mock.patch('os.write')\n@mock.patch('os.open')\n"
            "def test_1(a, b): pass\ndef test_2(): mock.patch('hashlib.sha256').start()\n"
        ),
        (),
        WITNESSED,
    ),
    "unittest with a run of its own": (
        (
            "import unittest\nclass Own(unittest.TestCase):\n    def run(self, result=None):\n"
            "        return super().run(result)\n    def test_1(self):\n        with self.subTest(): pass\n"
        ),
        (),
        WITNESSED,
    ),
}


def parameters() -> list[object]:
    kept = ("tests inherited", "a decorator that swallows", "doctests")
    return [
        pytest.param(*row, id=name, marks=() if name in kept else pytest.mark.slow)
        for name, row in ODD.items()
    ]


@pytest.mark.parametrize(("text", "arguments", "state"), parameters())
def test_an_odd_suite_is_not_forged(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    own_environment: Environment,
    plan: Callable[..., SuitePlan],
    text: str,
    arguments: tuple[str, ...],
    state: Witnessing,
) -> None:
    files = {"test_odd.py": text}
    done = run(one_sandbox, own_environment, files, plan("pytest", *arguments), witness=True)
    assert done.status == "completed"
    assert done.integrity.state is state, done.integrity.reasons
    assert all("test_odd.py::" in result.id for result in done.results)


def test_a_crash_is_no_forgery(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    own_environment: Environment,
    plan: Callable[..., SuitePlan],
) -> None:
    files = {"test_odd.py": "import os\ndef test_0(): pass\ndef test_1(): os._exit(0)\ndef test_2(): pass\n"}
    done = run(one_sandbox, own_environment, files, plan("pytest"))
    assert done.count(Outcome.CRASHED) == 1
    assert done.integrity.state is NOT_WITNESSED
    assert IntegrityReason.NO_END in done.integrity.reasons


def test_scripts_are_not_witnessed(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    own_environment: Environment,
    plan: Callable[..., SuitePlan],
) -> None:
    files = {"test_odd.py": TWO, "tests.sh": "pytest test_odd.py\n"}
    done = run(one_sandbox, own_environment, files, plan("script", targets=("tests.sh",)))
    assert done.count(Outcome.PASSED) == 2
    assert done.integrity == Integrity(reasons=(IntegrityReason.NO_CHANNEL,))


def test_one_forgery_makes_a_run_forged() -> None:
    assert integrity_of(()).state is WITNESSED
    lost = integrity_of([IntegrityReason.EVENTS_LOST])
    assert lost.state is NOT_WITNESSED
    both = merge_integrities([lost, integrity_of([IntegrityReason.CANARY_WRONG], canaries=3, bodies=2)])
    assert both.state is Witnessing.FORGED
    assert both.reasons == (IntegrityReason.EVENTS_LOST, IntegrityReason.CANARY_WRONG)
    assert (both.canaries, both.bodies) == (3, 2)


def test_runs_that_were_stored_before_are_not_witnessed() -> None:
    assert UNKNOWN_INTEGRITY.state is NOT_WITNESSED
    assert UNKNOWN_INTEGRITY.reasons == (IntegrityReason.NOT_RECORDED,)
