"""Files of tests: what passes, what does not, and what is counted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backdate.snippets.runs import ProgramLimits, SnippetProgram
from backdate.snippets.scripts import TESTS_WALL_S, UNCOUNTED, defined_tests, limits_for, runnable
from backdate.snippets.snippet import Harness
from backdate.snippets.warm.preload import groups_of
from backdate.snippets.warm.wire import job_of

UNITTEST = """
import unittest
from unittest.mock import patch
import sample_7
from sample_7 import double

class TestDouble(unittest.TestCase):
    def test_two(self):
        self.assertEqual(double(2), 4)

    @patch("sample_7.helper", return_value=10)
    def test_patched(self, helper):
        self.assertEqual(double(2), 10)

if __name__ == "__main__":
    unittest.main()
"""
FIXTURES = """
import pytest
from sample_7 import double

@pytest.fixture
def test_value():
    return 3

class TestDouble:
    def test_fixture(self, test_value):
        assert double(test_value) == 6

@pytest.mark.parametrize("value", [1, 2])
def test_each(value):
    assert double(value) == 2 * value
"""
BRANCHES = """
import unittest
try:
    import x
    class TestA(unittest.TestCase):
        def test_1(self): pass
        def test_2(self): pass
except ImportError:
    class TestA(unittest.TestCase):
        @unittest.skip("x is not there")
        def test_skipped(self): pass
if True:
    def test_3(): pass
else:
    def test_4(): pass
"""
RIGHT = "def helper(x):\n    return 2 * x\n\ndef double(x):\n    return helper(x)\n"


def _run(folder: Path, code: str, script: str) -> str:
    """How a process ends that runs the program as the runner does: the error's type, or its end."""
    harness = Harness(script=script, module="sample_7")
    program = runnable(SnippetProgram(id="p", code=code, entry="double", harness=harness))
    lines = ["space = {'__name__': 'snippet'}", f"exec({program.code!r}, space)", "try:"]
    lines += [f"    exec({program.harness.script!r}, space)", "except Exception as error:"]
    lines += ["    print('raised', type(error).__name__)", "else:", "    print('passed')"]
    made = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return (made.stdout.splitlines() or ["nothing"])[-1] if made.returncode == 0 else "failed"


@pytest.mark.parametrize("tests", [UNITTEST, FIXTURES])
def test_tests_of_either_style_pass(tmp_path: Path, tests: str) -> None:
    assert _run(tmp_path, RIGHT, tests) == "passed"


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("def helper(x): pass\ndef double(x):\n    return x + 1\n", "raised AssertionError"),
        ("import nothing_of_this_name\n", "raised ModuleNotFoundError"),
        pytest.param(
            "def helper(x): pass\ndef double(x):\n    return [].nothing\n",
            "raised AttributeError",
            marks=pytest.mark.slow,
        ),
        pytest.param("def double(:\n", "raised SyntaxError", marks=pytest.mark.slow),
        ("def helper(x): pass\ndef double(x):\n    import os\n    os._exit(0)\n", "nothing"),
        ("def helper(x): pass\ndef double(x):\n    raise SystemExit(0)\n", f"raised {UNCOUNTED}"),
        pytest.param("raise SystemExit(0)\n", f"raised {UNCOUNTED}", marks=pytest.mark.slow),
        ("import pytest\npytest.exit('done', returncode=0)\n", "raised Exit"),
        pytest.param(
            "import unittest\nraise unittest.SkipTest('no')\n", f"raised {UNCOUNTED}", marks=pytest.mark.slow
        ),
    ],
)
def test_what_did_not_pass_says_why(tmp_path: Path, code: str, ends: str) -> None:
    assert _run(tmp_path, code, UNITTEST) == ends


def test_a_file_without_tests_does_not_pass(tmp_path: Path) -> None:
    assert _run(tmp_path, RIGHT, "from sample_7 import double\n") == f"raised {UNCOUNTED}"


def test_skipped_tests_alone_do_not_pass(tmp_path: Path) -> None:
    skipping = "import pytest\ndef test_double():\n    pytest.skip('no')\n"
    assert _run(tmp_path, RIGHT, skipping) == f"raised {UNCOUNTED}"


def test_cases_and_plain_scripts_stay_as_they_are() -> None:
    harness = Harness(script="assert double(2) == 4")
    program = SnippetProgram(id="p", code=RIGHT, entry="double", harness=harness)
    assert runnable(program) is program


@pytest.mark.parametrize(
    ("source", "count"),
    [
        (UNITTEST, 2),
        (FIXTURES, 2),
        ("def test_a(): pass\ndef test_a(): pass\n", 1),
        ("class Helper:\n    def test_no(self): pass\ndef test_a(): pass\n", 1),
        (
            BRANCHES,
            3,
        ),
        ("assert 1\n", 1),
        ("def broken(:\n", 1),
        ("(" * 5000, 1),
    ],
)
def test_tests_are_counted_as_the_file_defines_them(source: str, count: int) -> None:
    assert defined_tests(source) == count


def test_files_of_tests_share_a_process_that_knows_pytest_and_not_the_code() -> None:
    programs = [
        SnippetProgram(
            id=name,
            code="import foo\n",
            entry="f",
            harness=Harness(script=f"import foo.bar\nfrom {name} import f\n", module=name),
        )
        for name in ("sample_1", "sample_2")
    ]
    assert groups_of(programs) == ((("foo", "foo.bar", "pytest"), tuple(programs)),)


def test_what_is_sent_is_what_runs_the_tests() -> None:
    harness = Harness(script=FIXTURES, module="sample_7")
    job = job_of(SnippetProgram(id="p", code=RIGHT, entry="double", harness=harness), ProgramLimits())
    assert job.code == ""
    assert "pytest.main" in job.script


def test_files_of_tests_have_the_time_of_the_published_harness() -> None:
    plain = SnippetProgram(id="p", code=RIGHT, entry="double", harness=Harness(script="double(1)"))
    tests = SnippetProgram(id="t", code=RIGHT, entry="", harness=Harness(script=FIXTURES, module="sample_7"))
    assert limits_for([plain], ProgramLimits()) == ProgramLimits()
    assert limits_for([plain, tests], ProgramLimits()) == ProgramLimits(wall_s=TESTS_WALL_S)
