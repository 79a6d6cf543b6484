"""A runner that is done and whose process goes on, in interpreters of all ages."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from slow_tests import others_slow
from small_runner import MIB, bare_environment, bubblewrap, write_files

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.testing.outcomes import Outcome
from backdate.testing.run import run_suite

SUITE = """
import atexit, sys, threading, time, unittest
import backdate_capture_events

class All(unittest.TestCase):
    def test_it(self):
        backdate_capture_events.LINGERING_S = 1
        threading.Thread(target=time.sleep, args=(999,)).start()
        sys.stdout.write("printed while it ran")  # without a line's end: it waits in a buffer
"""
SCRIPT = "#!/bin/sh\nset -e\npython -m unittest tests.test_all\necho the next step\n"
FILES = {"tests/__init__.py": "", "tests/test_all.py": SUITE, "run.sh": SCRIPT}
RUNS = [(version, runner) for version in ("2.7", "3.6", "3.12") for runner in ("unittest", "script")]


@pytest.mark.parametrize(
    ("version", "runner"), others_slow(RUNS, kept={("2.7", "script"), ("3.12", "unittest")})
)
def test_a_thread_that_lingers_fails_no_suite_and_loses_no_output(
    tmp_path: Path, version: str, runner: str
) -> None:
    target = "run.sh" if runner == "script" else "tests.test_all"
    plan = SuitePlan(runner=runner, targets=(target,), provenance=Provenance(rule="a test"))  # type: ignore[arg-type]
    done = run_suite(
        bubblewrap(),
        bare_environment(version),
        write_files(tmp_path / "tree", FILES),
        plan,
        limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
        log_folder=tmp_path / "logs",
    )
    log = done.log.read_text()
    assert (done.status, done.exit_code, done.signal) == ("completed", 0, None), log
    assert [one.outcome for one in done.results] == [Outcome.PASSED]
    assert "printed while it ran" in log
    assert ("the next step" in log) is (runner == "script")
