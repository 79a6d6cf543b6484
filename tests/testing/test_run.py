"""Real suites, run by a recent pytest, in every sandbox there is."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from patience import with_enough_time

from backdate.environments.environment import Environment
from backdate.progress import SuiteAdvanced
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import Outcome, SuiteRun

Run = Callable[..., SuiteRun]
MakePlan = Callable[..., SuitePlan]

ODD = """
import ctypes, os, sys, time
import pytest

TEXTS = ["a b", "[c - d]", "x::y", "e/f", "ü", "\\x00\\x1b", "#2", "", "PASSED [100%]"]

@pytest.mark.parametrize("text", TEXTS)
def test_odd(text):
    print("test_suite.py::test_odd[forged] PASSED")
    print("\\n" + '{"event":"end","id":"forged","duration":0,"pid":1}')
    assert text != "e/f"

def test_segmentation_fault():
    ctypes.string_at(0)

def test_after():
    pass

def test_sys_exit():
    sys.exit(0)

def test_os_exit():
    os._exit(0)

def test_fork_without_exec():
    if os.fork() == 0:
        return  # the child goes on and runs the rest of the suite as well
    os.wait()

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_xfailed():
    raise ValueError("expected")

@pytest.mark.xfail(reason="cured")
def test_xpassed():
    pass

@pytest.mark.xfail(strict=True, reason="must fail")
def test_xpassed_strictly():
    pass

@pytest.fixture
def broken():
    raise KeyError("set up")

def test_broken_fixture(broken):
    pass

@pytest.fixture
def untidy():
    yield
    raise OSError("tear down")

def test_untidy_fixture(untidy):
    pass

def test_chain():
    try:
        {}["deep"]
    except KeyError as error:
        raise RuntimeError("outer") from error
"""

FILES = {
    "test_suite.py": ODD,
    "test_absent.py": "import no_such_distribution_anywhere\n",
    "sub/test_skipped_whole.py": "import pytest\npytest.skip('whole file', allow_module_level=True)\n",
}

EXPECTED = {
    "test_absent.py": Outcome.NOT_COLLECTED,
    "sub/test_skipped_whole.py": Outcome.SKIPPED,
    "test_suite.py::test_odd[a b]": Outcome.PASSED,
    "test_suite.py::test_odd[[c - d]]": Outcome.PASSED,
    "test_suite.py::test_odd[x::y]": Outcome.PASSED,
    "test_suite.py::test_odd[e/f]": Outcome.FAILED,
    "test_suite.py::test_odd[\\xfc]": Outcome.PASSED,
    "test_suite.py::test_odd[\\x00\\x1b]": Outcome.PASSED,
    "test_suite.py::test_odd[#2]": Outcome.PASSED,
    "test_suite.py::test_odd[]": Outcome.PASSED,
    "test_suite.py::test_odd[PASSED [100%]]": Outcome.PASSED,
    "test_suite.py::test_segmentation_fault": Outcome.CRASHED,
    "test_suite.py::test_after": Outcome.PASSED,
    "test_suite.py::test_sys_exit": Outcome.FAILED,
    "test_suite.py::test_os_exit": Outcome.CRASHED,
    "test_suite.py::test_fork_without_exec": Outcome.PASSED,
    "test_suite.py::test_skipped": Outcome.SKIPPED,
    "test_suite.py::test_xfailed": Outcome.XFAILED,
    "test_suite.py::test_xpassed": Outcome.XPASSED,
    "test_suite.py::test_xpassed_strictly": Outcome.FAILED,
    "test_suite.py::test_broken_fixture": Outcome.ERROR,
    "test_suite.py::test_untidy_fixture": Outcome.ERROR,
    "test_suite.py::test_chain": Outcome.FAILED,
}


def outcomes(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id: result.outcome for result in run.results}


def result_of(run: SuiteRun, identity: str):
    return next(result for result in run.results if result.id == identity)


class Recorded:
    def __init__(self) -> None:
        self.events: list[SuiteAdvanced] = []

    def report(self, event: SuiteAdvanced) -> None:
        self.events.append(event)


def test_every_outcome_is_known_whatever_crashes(
    run: Run, sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    progress = Recorded()
    done = run(sandbox, bare_pytest, FILES, plan("pytest"), progress=progress)
    assert outcomes(done) == EXPECTED
    assert done.status == "completed"
    assert done.attempts == 3
    assert done.runner.startswith("pytest ")
    assert done.exit_code == 1
    assert done.suspicions == ()
    assert "test_segmentation_fault" in done.trouble
    assert "SIGSEGV" in result_of(done, "test_suite.py::test_segmentation_fault").reason
    assert "status 0" in result_of(done, "test_suite.py::test_os_exit").reason
    last = progress.events[-1]
    assert last.total == len([test for test in EXPECTED if "::" in test])
    assert last.finished >= last.total - 2  # the two that crashed never ended


def test_failures_carry_structured_chains(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    done = run(one_sandbox, bare_pytest, FILES, plan("pytest"), only=["test_suite.py::test_chain"])
    chain = result_of(done, "test_suite.py::test_chain").raised
    assert [(one.type, one.message, one.link) for one in chain] == [
        ("KeyError", "'deep'", ""),
        ("RuntimeError", "outer", "cause"),
    ]
    [frame] = chain[1].frames
    assert (frame.file, frame.function) == ("test_suite.py", "test_chain")
    assert frame.source == 'raise RuntimeError("outer") from error'
    absent = result_of(done, "test_absent.py")
    assert absent.raised[0].type == "ModuleNotFoundError"
    assert absent.raised[0].frames[-1].file == "test_absent.py"
    assert absent.raised[0].frames[-1].line == 1


def test_only_and_exclude_are_exact(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = """
import pytest
@pytest.mark.parametrize("x", ["a", "a b", "[a]", "ab"])
def test_it(x): pass
def test_it_too(): pass
"""
    files = {"test_a.py": suite}
    chosen = ["test_a.py::test_it[a]", "test_a.py::test_it[[a]]", "test_a.py::gone"]
    done = run(one_sandbox, bare_pytest, files, plan("pytest"), only=chosen)
    assert list(outcomes(done)) == chosen[:2]
    assert any("test_a.py::gone" in one for one in done.suspicions)
    done = run(one_sandbox, bare_pytest, files, plan("pytest"), exclude=["test_a.py::test_it[a b]"])
    assert list(outcomes(done)) == [
        "test_a.py::test_it[a]",
        "test_a.py::test_it[[a]]",
        "test_a.py::test_it[ab]",
        "test_a.py::test_it_too",
    ]
    assert done.exit_code == 0


def test_an_endless_loop_times_out_and_the_rest_is_named(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = "def test_a(): pass\ndef test_loop():\n    while True: pass\ndef test_z(): pass\n"
    files = {"test_a.py": suite}
    done = with_enough_time(
        lambda wall_s: run(one_sandbox, bare_pytest, files, plan("pytest"), wall_s=wall_s),
        lambda done: "test_a.py::test_loop" in outcomes(done),
        4.0,
    )
    assert done.status == "timeout"
    assert outcomes(done) == {
        "test_a.py::test_a": Outcome.PASSED,
        "test_a.py::test_loop": Outcome.TIMED_OUT,
    }
    assert "test_loop" in done.trouble
    assert "1 collected tests were not run: test_a.py::test_z" in done.trouble


@pytest.mark.slow
def test_a_suite_that_is_done_and_never_exits_is_completed(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = "import threading, time\ndef test_a(): threading.Thread(target=time.sleep, args=(99,)).start()\n"
    files = {"test_a.py": suite}
    done = with_enough_time(
        lambda wall_s: run(one_sandbox, bare_pytest, files, plan("pytest"), wall_s=wall_s),
        lambda done: done.status == "completed",
        12.0,
    )
    assert done.status == "completed"
    assert outcomes(done) == {"test_a.py::test_a": Outcome.PASSED}
    assert done.suspicions == ("the runner said that it was done, and then the time limit struck",)


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_a_suite_that_is_done_and_never_exits_is_ended_before_the_time_limit(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan, runner: str
) -> None:
    suite = (
        "import signal, threading, time, unittest, backdate_capture_events\n"
        "class Case(unittest.TestCase):\n    def test_a(self):\n"
        "        backdate_capture_events.LINGERING_S = 1\n"
        "        signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "        threading.Thread(target=time.sleep, args=(999,)).start()\n"
    )
    done = run(one_sandbox, bare_pytest, {"test_a.py": suite}, plan(runner), wall_s=300.0)
    assert (done.status, done.exit_code, done.signal) == ("completed", 0, None)
    assert set(outcomes(done).values()) == {Outcome.PASSED}
    assert done.suspicions == ()


def test_a_lingering_thread_fails_no_script_and_loses_no_output(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = (
        "import sys, threading, time, backdate_capture_events\n"
        "def test_a():\n"
        "    backdate_capture_events.LINGERING_S = 1\n"
        "    threading.Thread(target=time.sleep, args=(999,)).start()\n"
    )
    late = "import sys\ndef pytest_unconfigure(): sys.__stdout__.write('printed at the end')\n"
    script = "#!/bin/sh\nset -e\npython -m pytest -s\necho the next step\n"
    files = {"test_a.py": suite, "conftest.py": late, "run.sh": script}
    done = run(one_sandbox, bare_pytest, files, plan("script", "run.sh"), wall_s=300.0)
    assert (done.status, done.exit_code) == ("completed", 0)
    assert outcomes(done) == {"test_a.py::test_a": Outcome.PASSED}
    log = done.log.read_text()
    assert "printed at the end" in log
    assert "the next step" in log


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["pytest", "script"])
def test_a_suite_that_cannot_end_itself_is_ended_by_the_system(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan, runner: str
) -> None:
    suite = (
        "import ctypes, threading, backdate_capture_events as events\n"
        "def hold():\n    ctypes.PyDLL(None).sleep(999)\n"  # and keeps the interpreter's lock
        "def pytest_unconfigure(): threading.Thread(target=hold).start()\n"
    )
    files = {
        "conftest.py": suite,
        "test_a.py": "import backdate_capture_events as e\ndef test_a(): e.LINGERING_S = e.STUCK_S = 1\n",
        "run.sh": "#!/bin/sh\nset -e\npython -m pytest\n",
    }
    targets = ("run.sh",) if runner == "script" else ()
    done = run(one_sandbox, bare_pytest, files, plan(runner, *targets), wall_s=300.0)
    ended = (None, signal.SIGALRM) if runner == "pytest" else (128 + signal.SIGALRM, None)
    assert (done.status, done.exit_code, done.signal) == ("completed", *ended)
    assert outcomes(done) == {"test_a.py::test_a": Outcome.PASSED}
    assert done.suspicions == (
        "the runner said that it was done, and then its process did not end by itself",
    )


@pytest.mark.slow
def test_a_process_that_clears_up_for_long_is_left_to_end(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    # while an interpreter ends, no thread of it runs: only the system could end it, and has to wait
    suite = (
        "import time, backdate_capture_events as events\n"
        "class Heavy:\n    def __del__(self, sleep=time.sleep): sleep(8)\n"
        "heavy = Heavy()\n"
        "def test_a(): events.LINGERING_S = 1\n"
    )
    files = {"test_a.py": suite, "run.sh": "#!/bin/sh\nset -e\npython -m pytest\n"}
    done = run(one_sandbox, bare_pytest, files, plan("script", "run.sh"), wall_s=300.0)
    assert (done.status, done.exit_code, done.suspicions) == ("completed", 0, ())


def test_a_crash_after_the_end_is_a_suspicion(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = "import atexit, ctypes\ndef test_a():\n    atexit.register(ctypes.string_at, 0)\n"
    done = run(one_sandbox, bare_pytest, {"test_a.py": suite}, plan("pytest"))
    assert (done.status, done.signal) == ("completed", 11)
    assert done.suspicions == (
        "the runner said that it was done, and then the process was killed by SIGSEGV",
    )


@pytest.mark.slow
def test_a_module_that_kills_its_importer_is_left_out(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    files = {
        "test_a.py": "def test_a(): pass\n",
        "test_b.py": "import ctypes; ctypes.string_at(0)\ndef test_b(): pass\n",
        "test_c.py": "def test_c(): pass\n",
    }
    done = run(one_sandbox, bare_pytest, files, plan("pytest"))
    assert done.status == "completed"
    assert outcomes(done) == {
        "test_b.py": Outcome.NOT_COLLECTED,
        "test_a.py::test_a": Outcome.PASSED,
        "test_c.py::test_c": Outcome.PASSED,
    }
    assert "SIGSEGV" in result_of(done, "test_b.py").reason


@pytest.mark.slow
def test_too_many_crashes_leave_tests_that_are_said_not_to_have_run(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = "import os, pytest\n@pytest.mark.parametrize('n', range(7))\ndef test_a(n): os.abort()\n"
    done = run(one_sandbox, bare_pytest, {"test_a.py": suite}, plan("pytest"))
    assert (done.status, done.attempts, done.signal) == ("crashed", 5, 6)
    assert list(outcomes(done).values()) == [Outcome.CRASHED] * 5
    assert "2 collected tests were not run" in done.trouble


@pytest.mark.slow
def test_interruptions_do_not_hide_the_rest(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = (
        "import pytest\ndef test_a(): pass\ndef test_b(): raise KeyboardInterrupt\n"
        "def test_c(): pytest.exit('enough')\ndef test_d(): pass\n"
    )
    done = run(one_sandbox, bare_pytest, {"test_a.py": suite}, plan("pytest"))
    assert outcomes(done) == {
        "test_a.py::test_a": Outcome.PASSED,
        "test_a.py::test_b": Outcome.CRASHED,
        "test_a.py::test_c": Outcome.CRASHED,
        "test_a.py::test_d": Outcome.PASSED,
    }
    assert done.status == "completed"
    assert result_of(done, "test_a.py::test_b").raised[-1].type == "KeyboardInterrupt"


def test_the_projects_wish_to_stop_early_is_not_followed(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    files = {
        "pytest.ini": "[pytest]\naddopts = -x --strict-markers -W error\n",
        "test_a.py": "def test_a(): assert 0\ndef test_b(): pass\n",
    }
    done = run(one_sandbox, bare_pytest, files, plan("pytest", "--maxfail=1"))
    assert list(outcomes(done).values()) == [Outcome.FAILED, Outcome.PASSED]


@pytest.mark.parametrize(
    ("files", "arguments", "kind"),
    [
        ({"conftest.py": "import absent_thing\n", "test_a.py": ""}, (), "ModuleNotFoundError"),
        ({"sub/conftest.py": "1/0\n", "sub/test_a.py": "def test_a(): pass\n"}, (), "ZeroDivisionError"),
        (
            {"conftest.py": "def pytest_collection_modifyitems(items): raise LookupError('hook')\n"},
            (),
            "LookupError",
        ),
        ({"test_a.py": "def test_a(): pass\n"}, ("no_such_file.py",), "UsageError"),
        ({"test_a.py": "def test_a(): pass\n"}, ("--no-such-option",), None),
    ],
    ids=["conftest", "conftest-below", "hook", "no-such-file", "no-such-option"],
)
def test_what_stops_the_runner_is_broken_with_its_exception(
    run: Run,
    one_sandbox: Sandbox,
    bare_pytest: Environment,
    plan: MakePlan,
    files: dict[str, str],
    arguments: tuple[str, ...],
    kind: str | None,
) -> None:
    done = run(one_sandbox, bare_pytest, files, plan("pytest", *arguments))
    assert done.status in ("broken", "completed")
    if done.status == "completed":  # pytest itself makes it a collection error
        assert [one.outcome for one in done.results] == [Outcome.NOT_COLLECTED]
        raised = done.results[0].raised
    else:
        assert done.results == ()
        assert done.trouble
        raised = done.raised
    if kind is not None:
        assert kind in {one.type.rpartition(".")[2] for one in raised}


def test_no_tests(run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan) -> None:
    done = run(one_sandbox, bare_pytest, {"README": ""}, plan("pytest"))
    assert (done.status, done.exit_code, done.results) == ("no-tests", 5, ())
    assert done.trouble == "The runner found no tests."


def test_no_runner(
    run: Run, one_sandbox: Sandbox, plain_environment: Callable[[str], Environment], plan: MakePlan
) -> None:
    done = run(one_sandbox, plain_environment("3.8"), {"test_a.py": ""}, plan("pytest"))
    assert done.status == "broken"
    assert "No module named pytest" in done.trouble


def test_a_broken_sandbox_run_is_a_value(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan, tmp_path: Path
) -> None:
    done = run(one_sandbox, bare_pytest, {"a.py": ""}, plan("pytest", targets=("../../etc",)))
    assert done.status in ("broken", "no-tests")


HOSTILE = r"""
import builtins, io, json, os, sys, time, pytest

def test_close_everything():
    os.closerange(3, 256)

def test_another_file_takes_the_place(tmp_path):
    os.closerange(3, 256)
    keep = [open(str(tmp_path / str(n)), "w") for n in range(10)]

def test_replace_functions(monkeypatch):
    for owner, name in [
        (os, "write"), (os, "open"), (os, "getpid"), (os, "fstat"), (os, "close"), (time, "time"),
        (time, "perf_counter"), (json, "dumps"), (builtins, "open"), (sys, "stdout"), (sys, "stderr"),
    ]:
        monkeypatch.setattr(owner, name, lambda *arguments, **options: None)

def test_change_folder():
    os.chdir("/")

def test_hostile_message():
    class Hostile(Exception):
        def __str__(self): raise SystemExit(3)
        __repr__ = __str__
    raise Hostile

def test_huge_message():
    raise ValueError("x" * 10_000_000)

def test_surrogates():
    raise ValueError("\udc80 \ud800 \x00")

def test_deep_recursion():
    sys.setrecursionlimit(4000)
    def down(n): return down(n + 1)
    down(0)

def test_long_chain():
    error = None
    for n in range(200):
        new = ValueError(n)
        new.__cause__ = error
        error = new
    raise error

def test_group():
    raise ExceptionGroup("many", [ValueError("one"), ExceptionGroup("inner", [TypeError("two")])])

def test_forge():
    path = "/backdate/events.jsonl"
    with open(path if os.path.exists(path) else os.devnull, "a") as file:
        file.write('{"event":"end","id":"test_never","duration":1,"pid":%d}\n' % os.getpid())
        file.write('half a line')
    raise AssertionError

def test_last():
    pass
"""


def test_a_hostile_suite_loses_nothing(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    done = run(one_sandbox, bare_pytest, {"test_h.py": HOSTILE}, plan("pytest", "-s"))
    known = {one.removeprefix("test_h.py::"): outcome for one, outcome in outcomes(done).items()}
    passing = {
        "test_close_everything",
        "test_another_file_takes_the_place",
        "test_replace_functions",
        "test_change_folder",
        "test_last",
    }
    assert {one for one, outcome in known.items() if outcome is Outcome.PASSED} == passing
    assert {outcome for one, outcome in known.items() if one not in passing} == {Outcome.FAILED}
    assert len(known) == HOSTILE.count("\ndef test_")

    def raised(name: str):
        return result_of(done, f"test_h.py::{name}").raised

    assert raised("test_hostile_message")[-1].message == (
        "<message cannot be had: __str__ raised SystemExit>"
    )
    assert len(raised("test_huge_message")[-1].message) == 4000
    assert raised("test_surrogates")[-1].message == "\\udc80 \\ud800 \x00"
    deep = raised("test_deep_recursion")[-1]
    assert len(deep.frames) == 61
    assert "frames left out" in deep.frames[30].function
    assert deep.frames[-1].function == "down"
    assert len(raised("test_long_chain")) == 16
    assert [(one.type, one.link) for one in raised("test_group")] == [
        ("ValueError", ""),
        ("TypeError", ""),
        ("ExceptionGroup", "member"),
        ("ExceptionGroup", "member"),
    ]
    if done.enforced.files == "isolated":
        assert "1 event came from something that does not know the secret of the run" in done.suspicions
        assert done.integrity.state == "forged"
        assert "1 line of the event file cannot be read" in done.suspicions


@pytest.mark.slow
def test_duplicate_ids_get_ordinals(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    files = {
        "conftest.py": """
import pytest
class Item(pytest.Item):
    def runtest(self): assert self.good
class File(pytest.File):
    def collect(self):
        for good in (True, False, True):
            item = Item.from_parent(self, name="same")
            item.good = good
            yield item
def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".same":
        return File.from_parent(parent, path=file_path)
""",
        "a.same": "",
    }
    done = run(one_sandbox, bare_pytest, files, plan("pytest"))
    assert list(outcomes(done).items()) == [
        ("a.same::same", Outcome.PASSED),
        ("a.same::same#2", Outcome.FAILED),
        ("a.same::same#3", Outcome.PASSED),
    ]
    done = run(one_sandbox, bare_pytest, files, plan("pytest"), only=["a.same::same#2"])
    assert outcomes(done) == {"a.same::same#2": Outcome.FAILED}


def test_subtests_and_doctests(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    files = {
        "test_s.py": """
import unittest
def test_native(subtests):
    for n in range(3):
        with subtests.test(n=n):
            assert n != 1
class Case(unittest.TestCase):
    def test_sub(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)
    def test_good(self):
        with self.subTest():
            pass
""",
        "mod.py": "def f():\n    '''\n    >>> 1 + 1\n    3\n    '''\n"
        "def g():\n    '''\n    >>> h()\n    '''\ndef h():\n    import inspect\n    inspect.NoSuchName\n",
    }
    done = run(one_sandbox, bare_pytest, files, plan("pytest", "--doctest-modules"))
    assert outcomes(done) == {
        "mod.py::mod.f": Outcome.FAILED,
        "mod.py::mod.g": Outcome.FAILED,
        "test_s.py::test_native": Outcome.FAILED,
        "test_s.py::Case::test_sub": Outcome.FAILED,
        "test_s.py::Case::test_good": Outcome.PASSED,
    }
    assert result_of(done, "test_s.py::test_native").raised[-1].type == "AssertionError"
    raised = result_of(done, "mod.py::mod.g").raised[-1]
    assert (raised.type, raised.frames[-1].file, raised.frames[-1].function) == (
        "AttributeError",
        "mod.py",
        "h",
    )
    assert "no attribute 'NoSuchName'" in raised.message


@pytest.mark.slow
def test_warnings_are_shown_when_asked_for(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    files = {
        "pytest.ini": "[pytest]\nfilterwarnings =\n    ignore\n",
        "test_w.py": "import warnings\ndef test_w(): warnings.warn('use new_thing', DeprecationWarning)\n",
    }
    done = run(one_sandbox, bare_pytest, files, plan("pytest"))
    assert "use new_thing" not in done.log.read_text()
    done = run(one_sandbox, bare_pytest, files, plan("pytest"), python_warnings=True)
    assert "use new_thing" in done.log.read_text()


def test_the_process_sees_a_fixed_world(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = """
import os, sys, time
def test_world():
    assert os.environ["TZ"] == "UTC" and time.tzname[0] == "UTC"
    assert os.environ["LC_ALL"] == "C.UTF-8" and os.environ["PYTHONHASHSEED"] == "0"
    assert os.environ["PATH"].startswith(os.environ["VIRTUAL_ENV"] + "/bin:")
    assert os.environ["PYTHONPATH"].endswith(":src") and os.environ["EXTRA"] == "yes"
    assert "BACKDATE_CAPTURE_EVENTS" not in os.environ
    assert sys.prefix == os.environ["VIRTUAL_ENV"]
"""
    done = run(one_sandbox, bare_pytest, {"test_w.py": suite}, plan("pytest", PYTHONPATH="src", EXTRA="yes"))
    assert outcomes(done) == {"test_w.py::test_world": Outcome.PASSED}, done.results


def test_a_test_that_takes_all_memory_does_not_hide_the_rest(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    suite = """
def test_a(): pass
def test_greedy():
    kept = []
    while True:
        kept.append(bytearray(64 * 1024 * 1024))
def test_z(): pass
"""
    done = run(one_sandbox, bare_pytest, {"test_m.py": suite}, plan("pytest"))
    known = outcomes(done)
    # killed by the limit of the whole tree, or, where only a process can be limited, a MemoryError
    assert known.pop("test_m.py::test_greedy") in (Outcome.CRASHED, Outcome.FAILED)
    assert known == {"test_m.py::test_a": Outcome.PASSED, "test_m.py::test_z": Outcome.PASSED}
    assert done.status == "completed"
