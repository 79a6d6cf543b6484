"""Why a run did not reach the tests, in one line."""

from __future__ import annotations

from builders import result, run

from backdate.checking.compare import compare_runs
from backdate.testing.trouble import trouble_line

LOG = """\
backdate: postgresql-5432 answers
Found 26 test(s).
SystemCheckError: System check identified some issues:
ERRORS:
?: (debug_toolbar.E001) The Django Debug Toolbar can't be used with tests"""
TEXT = "The runner ended without reaching the tests: the process exited with status 1. The log ends:"
SAID = f"{TEXT} SystemCheckError: System check identified some issues:"


def test_of_the_end_of_a_log_the_line_that_names_an_error_counts() -> None:
    broken = run(status="broken", trouble=f"{TEXT} {LOG}", log_end=LOG)
    assert trouble_line(broken) == SAID
    assert trouble_line(run(status="broken", trouble="It broke.\nSo.", log_end="So.")) == "It broke."
    assert trouble_line(run(result("t.py::a"))) == ""


def test_what_breaks_with_the_run_is_told_by_that_line() -> None:
    broken = run(status="broken", trouble=f"{TEXT} {LOG}", log_end=LOG)
    (breakage,) = compare_runs(run(result("t.py::a")), broken).breakages
    assert breakage.message == SAID
