"""Logs of real runs in every form, old forms as they were printed, and made-up ones."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.diagnosis.diagnose import diagnose_log
from backdate.diagnosis.logs import Log, read_log
from backdate.diagnosis.result import CauseKind, FilterName
from backdate.testing.traceback_text import FATAL, read_chain

SUITE = '''
import unittest, warnings, pytest
def inner():
    raise KeyError("k")
def test_cause():
    try:
        inner()
    except KeyError as error:
        raise ValueError("two\\nlines") from error
def test_context():
    try:
        inner()
    except KeyError:
        {}.gone
@pytest.mark.parametrize("x", ["a b", "c - d"])
def test_p(x):
    assert x == "z"
class TestC:
    def test_m(self):
        import not_there_at_all
@pytest.fixture
def bad():
    raise RuntimeError("in set-up")
def test_setup(bad): pass
@pytest.fixture
def late():
    yield
    raise RuntimeError("in tear-down")
def test_teardown(late): pass
def test_group():
    raise ExceptionGroup("eg", [ValueError(1), ExceptionGroup("in", [TypeError("t")]), KeyError(2)])
def test_warn():
    warnings.warn("gone soon", DeprecationWarning)
def test_fail():
    pytest.fail("no\\nmore", pytrace=False)
def test_ok():
    print("FAILED test_x.py::fake - no")
class U(unittest.TestCase):
    def test_u(self):
        """Described."""
        self.assertEqual(1, 5)
'''
EXPECTED = {
    "test_a.py::test_cause": ["KeyError", "ValueError"],
    "test_a.py::test_context": ["KeyError", "AttributeError"],
    "test_a.py::test_p[a b]": ["AssertionError"],
    "test_a.py::test_p[c - d]": ["AssertionError"],
    "test_a.py::TestC::test_m": ["ModuleNotFoundError"],
    "test_a.py::test_setup": ["RuntimeError"],
    "test_a.py::test_teardown": ["RuntimeError"],
    "test_a.py::test_group": ["ValueError", "TypeError", "ExceptionGroup", "KeyError", "ExceptionGroup"],
    "test_a.py::test_fail": ["Failed"],
    "test_a.py::U::test_u": ["AssertionError"],
    "test_b.py": ["ImportError"],
    "test_c.py": ["SyntaxError"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_a.py").write_text(SUITE)
    (folder / "test_b.py").write_text("from collections import Mapping\n")
    (folder / "test_c.py").write_text("def f(:\n    pass\n")
    return folder


def python(folder: Path, *arguments: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "COV"))}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**clean, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout


def pytest_log(folder: Path, *arguments: str) -> str:
    plain = ("-p", "no:cacheprovider", "-c", os.devnull, f"--rootdir={folder}")
    return python(folder, "-m", "pytest", *plain, "--continue-on-collection-errors", "-rA", *arguments)


def types(log: Log) -> dict[str | None, list[str]]:
    return {failure.test: [raised.type for raised in failure.raised] for failure in log.failures}


@pytest.mark.parametrize(
    ("style", "color"),
    [("auto", "yes"), ("auto", "no"), ("long", "no"), ("short", "no"), ("native", "no"), ("no", "no")],
)
def test_pytest_in_every_style(folder: Path, style: str, color: str) -> None:
    log = read_log(pytest_log(folder, f"--tb={style}", f"--color={color}"))
    raised_types = types(log)
    assert set(raised_types) == set(EXPECTED)
    assert len(log.failures) == len(EXPECTED)
    if style == "no":
        assert raised_types["test_a.py::test_p[c - d]"] == ["AssertionError"]
        return
    assert raised_types == EXPECTED
    by_id = {failure.test: failure for failure in log.failures}
    assert by_id["test_a.py::test_cause"].raised[-1].message == "two\nlines"
    assert by_id["test_a.py::test_cause"].raised[-1].link == "cause"
    assert by_id["test_a.py::test_context"].raised[-1].link == "context"
    assert by_id["test_a.py::test_group"].raised[-1].link == "member"
    inner = by_id["test_a.py::test_cause"].raised[0].frames[-1]
    assert (inner.file, inner.line, inner.function, inner.source) == (
        "test_a.py",
        4,
        "inner",
        'raise KeyError("k")',
    )
    syntax = by_id["test_c.py"].raised[0].frames[-1]
    assert (syntax.file, syntax.line) == ("test_c.py", 1)
    assert by_id["test_a.py::test_setup"].phase == "setup"
    assert by_id["test_a.py::test_teardown"].phase == "teardown"
    assert by_id["test_b.py"].phase == "collection"


def test_pytest_with_a_line_for_each(folder: Path) -> None:
    log = read_log(pytest_log(folder, "--tb=line"))
    assert {failure.test for failure in log.failures} >= set(EXPECTED) - {"test_a.py::test_fail"}
    assert types(log)["test_a.py::test_context"] == ["KeyError", "AttributeError"]
    assert len(log.failures) == len(EXPECTED)


def test_pytest_warnings(folder: Path) -> None:
    (warning,) = read_log(pytest_log(folder)).warnings
    assert (warning.category, warning.message, warning.file) == (
        "DeprecationWarning",
        "gone soon",
        "test_a.py",
    )


def test_unittest(folder: Path) -> None:
    log = read_log(python(folder, "-m", "unittest", "discover"), root=str(folder))
    assert types(log) == {
        "test_b": ["ImportError"],
        "test_c": ["SyntaxError"],
        "test_a.U.test_u": ["AssertionError"],
    }
    assert {failure.test: failure.phase for failure in log.failures}["test_b"] == "collection"
    by_id = {failure.test: failure for failure in log.failures}
    assert by_id["test_b"].raised[0].frames[0].file == "test_b.py"


def test_bare_tracebacks(folder: Path) -> None:
    for statement, expected in (
        ("test_a.test_cause()", ["KeyError", "ValueError"]),
        ("test_a.test_group()", EXPECTED["test_a.py::test_group"]),
        ("import test_c", ["SyntaxError"]),
    ):
        log = read_log(python(folder, "-c", f"import test_a\nprint('before')\n{statement}"), root=str(folder))
        assert types(log) == {None: expected}


def test_a_conftest_that_does_not_import(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("import not_there_at_all\n")
    (tmp_path / "test_x.py").write_text("def test_x(): pass\n")
    log = read_log(pytest_log(tmp_path))
    assert types(log) == {None: ["ModuleNotFoundError"]}
    diagnosis = diagnose_log(log)
    assert diagnosis.failures[0].cause.name == "not_there_at_all"
    assert FilterName.MISSING_TOP_LEVEL_MODULE in {applied.name for applied in diagnosis.filters}


def test_a_fatal_error(folder: Path) -> None:
    code = "import faulthandler, os; faulthandler.enable(); print('a'); faulthandler._sigsegv()"
    log = read_log(python(folder, "-c", code))
    assert types(log) == {None: [FATAL]}
    assert diagnose_log(log).failures[0].cause.kind is CauseKind.CRASH


OLD_PYTEST = """\
============================= test session starts ==============================
platform linux -- Python 3.6.15, pytest-3.10.1, py-1.11.0, pluggy-1.0.0
rootdir: /srv/p, inifile: setup.cfg
collected 2 items

tests/test_x.py F                                                        [100%]

=================================== FAILURES ===================================
____________________________________ test_x ____________________________________

    def test_x():
>       assert 1 == 2
E       assert 1 == 2

tests/test_x.py:2: AssertionError
----------------------------- Captured stdout call -----------------------------
Traceback (most recent call last):
ValueError: printed
=========================== short test summary info ============================
FAIL tests/test_x.py::test_x
=========================== 1 failed in 0.02 seconds ===========================
"""
OLD_UNITTEST = """\
======================================================================
ERROR: test_m (tests.test_m.TestM)
Says what it does.
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/p/tests/test_m.py", line 7, in test_m
    f(1)
  File "/env/lib/python3.8/site-packages/yaml/__init__.py", line 3, in f
    raise AttributeError("module 'numpy' has no attribute 'float'.\\n`np.float` …")
AttributeError: module 'numpy' has no attribute 'float'.

`np.float` was a deprecated alias for the builtin `float`.

======================================================================
ERROR: setUpClass (tests.test_m.TestN)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/srv/p/tests/test_m.py", line 9, in setUpClass
    import gone
ModuleNotFoundError: No module named 'gone'

======================================================================
ERROR: Failure: ImportError (No module named imp)
----------------------------------------------------------------------
Ran 1 test in 0.1s

FAILED (errors=3)
"""


def test_logs_of_old_runners() -> None:
    (failure,) = read_log(OLD_PYTEST).failures
    assert failure.test == "tests/test_x.py::test_x"
    assert [(raised.type, raised.message) for raised in failure.raised] == [
        ("AssertionError", "assert 1 == 2")
    ]
    log = read_log(OLD_UNITTEST, root="/srv/p")
    assert [failure.test for failure in log.failures] == [
        "tests.test_m.TestM.test_m",
        "tests.test_m.TestN",
        None,
    ]
    assert log.failures[0].raised[0].message.endswith("builtin `float`.")
    assert log.failures[0].line == 2
    assert log.failures[0].raised[0].frames[0].file == "tests/test_m.py"
    assert log.failures[2].raised[0].message == "No module named imp"
    diagnosis = diagnose_log(log)
    assert diagnosis.failures[0].cause.dotted == "numpy.float"
    assert diagnosis.failures[0].responsible is not None
    assert diagnosis.failures[2].cause.related == ("builtin",)


LINES = st.sampled_from(
    [
        *(
            "",
            "text",
            "    indented",
            "E   KeyError: 'a'",
            "E       assert x",
            ">       f()",
            "x.py:3: KeyError",
        ),
        *("x.py:3: in f", "x.py:7: ", "_ _ _ _ _", "Traceback (most recent call last):", "ValueError: no"),
        *(
            '  File "a.py", line 3, in f',
            '  File "a.py", line 99999999999999',
            "  + Exception Group Traceback ",
        ),
        *(
            "  + Exception Group Traceback (most recent call last):",
            "  | ValueError: 1",
            "    +-----------------",
        ),
        *("  +-+---------------- 1 ----------------", "    +---------------- 2 ----------------"),
        *("During handling of the above exception, another exception occurred:", "Fatal Python error: x"),
        *("The above exception was the direct cause of the following exception:", "=" * 70, "-" * 70),
        *(
            "=== short test summary info ===",
            "FAILED a.py::b - KeyError: 'a'",
            "ERROR a.py",
            "ERROR: t (m.C)",
        ),
        *(
            "=== FAILURES ===",
            "=== ERRORS ===",
            "=== PASSES ===",
            "__ test_x __",
            "__ ERROR collecting a.py __",
        ),
        *(
            "Current thread 0x1 (most recent call first):",
            "INTERNALERROR> x",
            "ImportError while loading conftest",
        ),
        *(
            "--- Captured stdout call ---",
            "x.py:1: DeprecationWarning: old",
            "\x1b[31mE   x: y\x1b[0m",
            "rootdir: /a",
        ),
    ]
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=300)
@given(st.one_of(st.text(), st.lists(LINES, max_size=60).map("\n".join)))
def test_reading_never_fails(text: str) -> None:
    log = read_log(text)
    diagnose_log(log)
    read_chain(text.splitlines())


BODY = st.lists(
    LINES.filter(lambda line: not line.startswith(("==", "__", "ERROR", "FAILED", "rootdir"))), max_size=12
)
NAMES = st.from_regex(r"test_[a-z]{1,8}(\[[a-z -]{0,8}\])?", fullmatch=True)


@given(
    st.lists(st.tuples(NAMES, BODY), min_size=1, max_size=6, unique_by=lambda pair: pair[0]), st.booleans()
)
def test_no_pytest_failure_is_lost(tests: list[tuple[str, list[str]]], summary: bool) -> None:
    lines = ["=== FAILURES ==="]
    for name, body in tests:
        lines += [f"_______ {name} _______", "", *body]
    if summary:
        lines += ["=== short test summary info ===", *(f"FAILED t.py::{name} - X: y" for name, _ in tests)]
    failures = [failure for failure in read_log("\n".join(lines)).failures if failure.header]
    prefix = "t.py::" if summary else ""
    assert [failure.test for failure in failures] == [prefix + name for name, _ in tests]


@given(
    st.lists(st.tuples(st.sampled_from(["ERROR", "FAIL"]), NAMES.map(lambda n: n.partition("[")[0]), BODY))
)
def test_no_unittest_failure_is_lost(tests: list[tuple[str, str, list[str]]]) -> None:
    lines = []
    for word, name, body in tests:
        lines += ["=" * 70, f"{word}: {name} (m.C)", "-" * 70, *body]
    failures = [failure for failure in read_log("\n".join(lines)).failures if failure.header]
    assert [failure.test for failure in failures] == [f"m.C.{name}" for _, name, _ in tests]


@given(st.lists(NAMES, unique=True))
def test_no_line_of_the_summary_is_lost(names: list[str]) -> None:
    lines = ["=== short test summary info ===", *(f"FAILED t.py::{name} - KeyError: 'a'" for name in names)]
    assert [failure.test for failure in read_log("\n".join(lines)).failures] == [
        f"t.py::{name}" for name in names
    ]


def test_what_would_take_long_is_read_as_well() -> None:
    head = "Traceback (most recent call last):"
    link = "During handling of the above exception, another exception occurred:"
    chain = "\n".join([head, '  File "a.py", line 1, in f', "KeyError: 1", "", link, ""] * 3000)
    (failure,) = read_log(chain).failures
    assert len(failure.raised) <= 32
    for piece in ("-", "^", "_ ", "( ", " ", "+-", "a.", "E   ", "=", "FAILED x - ", "\x1b[", "rootdir: /  "):
        for end in ("", "x", " _"):
            line = piece * 20_000 + end
            read_log("\n".join(["=== FAILURES ===", f"__ {line} __", f"  +{line}", line, head, line, line]))
            read_log("\n".join(["=== short test summary info ===", f"FAILED {line}", f"rootdir: /{line}"]))
    for line in ("E   ImportError: x", 'E     File "a.py", line 1'):
        read_log("=== FAILURES ===\n" + f"{line}\n" * 60_000)
    names = [f"test_{number}" for number in range(3000)]
    blocks = "\n".join(f"__ {name} __\nE   X: y" for name in names)
    summary = "\n".join(f"FAILED a.py::{name} - X: y" for name in reversed(names))
    log = read_log(f"=== FAILURES ===\n{blocks}\n=== short test summary info ===\n{summary}")
    assert [failure.test for failure in log.failures] == [f"a.py::{name}" for name in names]
