"""Packages whose import runs their suite, and what goes on after it, in interpreters of all ages."""

from __future__ import annotations

from pathlib import Path

import pytest
from patience import PATIENCE_S
from slow_tests import others_slow
from small_runner import MIB, bare_environment, bubblewrap, write_files

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.testing.run import run_suite

ON_IMPORT = """
import sys, unittest
import backdate_capture_events
backdate_capture_events.LINGERING_S = 1  # what goes on is ended soon
sys.stderr.write("imported: %s\\n" % __name__)

class All(unittest.TestCase):
    def test_good(self):
        pass
    def test_bad(self):
        self.assertEqual(1, 2)

unittest.main(sys.modules[__name__], argv=["checks"])
"""
AFTER = """
import sys, time, unittest
sys.stderr.write("imported: %s\\n" % __name__)

class After(unittest.TestCase):
    def test_after(self):
        time.sleep(3)
"""
PROGRAM = """
import sys, time, unittest
import backdate_capture_events
backdate_capture_events.LINGERING_S = 1

class First(unittest.TestCase):
    def test_first(self):
        pass

class Second(unittest.TestCase):
    def test_second(self):
        time.sleep(3)
        sys.stderr.write("the second suite was run\\n")

load = unittest.defaultTestLoader.loadTestsFromTestCase
results = [unittest.TextTestRunner().run(load(case)) for case in (First, Second)]
sys.exit(not all(result.wasSuccessful() for result in results))
"""
VERSIONS = ("2.7", "3.6", "3.12")


def run(tmp_path: Path, version: str, files: dict[str, str], plan: SuitePlan) -> SuiteRun:
    return run_suite(
        bubblewrap(),
        bare_environment(version),
        write_files(tmp_path / "tree", files),
        plan,
        limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
        log_folder=tmp_path / "logs",
    )


@pytest.mark.parametrize(
    ("version", "arguments"),
    others_slow(
        [(version, how) for version in VERSIONS for how in ("names", "discover")],
        kept={("2.7", "discover"), ("3.12", "names")},
    ),
)
def test_the_process_ends_with_the_suite_that_an_import_ran(
    tmp_path: Path, version: str, arguments: str
) -> None:
    targets = ("discover", "-p", "*.py", "checks") if arguments == "discover" else ("checks.a", "checks.b")
    plan = SuitePlan(runner="unittest", targets=targets, provenance=Provenance(rule="a test"))
    files = {"checks/__init__.py": "", "checks/a.py": ON_IMPORT, "checks/b.py": AFTER}
    done = run(tmp_path, version, files, plan)
    log = done.log.read_text()
    assert (done.status, done.exit_code, done.signal) == ("completed", 1, None), log
    outcomes = {one.id.rpartition(".")[2]: one.outcome for one in done.results}
    assert outcomes == {"test_good": Outcome.PASSED, "test_bad": Outcome.FAILED}
    assert log.count("imported: ") == 1
    assert log.count("Ran 2 tests") == 1
    assert "it is ended" not in log
    assert not done.suspicions


@pytest.mark.parametrize("version", others_slow(["2.7", "3.12"], kept={"3.12"}))
def test_a_second_suite_of_a_program_is_let_run(tmp_path: Path, version: str) -> None:
    plan = SuitePlan(runner="program", targets=("run.py",), provenance=Provenance(rule="a test"))
    done = run(tmp_path, version, {"run.py": PROGRAM}, plan)
    log = done.log.read_text()
    assert "the second suite was run" in log
    assert (done.status, done.exit_code) == ("completed", 0), log
