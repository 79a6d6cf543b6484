"""A single test that hangs ends its process, and the rest of the suite goes on."""

from __future__ import annotations

import pytest
from patience import with_enough_time

from backdate.testing.outcomes import Outcome

HANGING = """
import time, unittest

class Cases(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        time.sleep(100_000)

    def test_c(self):
        pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_the_rest_of_the_suite_goes_on(run, one_sandbox, bare_pytest, plan, runner) -> None:
    def attempt(case_wall_s: float):
        return run(one_sandbox, bare_pytest, {"test_it.py": HANGING}, plan(runner), case_wall_s=case_wall_s)

    done = with_enough_time(attempt, lambda one: one.attempts == 2 and one.status == "completed", 2.0)
    assert (done.status, done.attempts) == ("completed", 2)
    assert [one.outcome for one in sorted(done.results, key=lambda one: one.id)] == [
        Outcome.PASSED,
        Outcome.TIMED_OUT,
        Outcome.PASSED,
    ]
