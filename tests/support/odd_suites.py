"""Odd but honest suites: what real projects do to their runner, to their processes and to themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from backdate.testing.integrity import IntegrityReason, Witnessing
from backdate.testing.outcomes import Outcome, SuiteRun

TWO = "def test_1(): pass\ndef test_2(): pass\n"
WITNESSED, NOT_WITNESSED = Witnessing.WITNESSED, Witnessing.NOT_WITNESSED


@dataclass(frozen=True, slots=True, kw_only=True)
class OddSuite:
    """A suite whose outcomes are honest."""

    files: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    """Names of the pytest plugins that it wants."""
    runner: str = "pytest"
    states: frozenset[Witnessing] = frozenset({WITNESSED})
    """What may be said of it; never "forged"."""
    passed: int | None = None
    """How many of its tests pass, where that is told."""


def _suite(text: str, *arguments: str, files: Mapping[str, str] | None = None, **more: Any) -> OddSuite:
    return OddSuite(files={"test_odd.py": text, **(files or {})}, arguments=arguments, **more)


UNSEEN = frozenset({NOT_WITNESSED})
EITHER = frozenset({WITNESSED, NOT_WITNESSED})
"""It depends on the interpreter: before 3.12 nothing else may trace beside the witness."""

ODD: dict[str, OddSuite] = {
    "children that leave at once": _suite(
        "import os\ndef test_1():\n    if os.fork() == 0: os._exit(0)\n    os.wait()\n", passed=1
    ),
    "subprocesses that leave at once": _suite(
        """
import multiprocessing, os, subprocess, sys
def test_program():
    assert subprocess.run([sys.executable, "-c", "import os; os._exit(3)"]).returncode == 3
def test_process():
    process = multiprocessing.get_context("fork").Process(target=os._exit, args=(4,))
    process.start()
    process.join()
    assert process.exitcode == 4
def test_replaced():
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-c", "raise SystemExit(0)"])
    assert os.wait()[1] == 0
""",
        passed=3,
    ),
    "a fixture of the session that fails": _suite(
        f"import pytest\n@pytest.fixture(scope='session', autouse=True)\ndef bad(): raise OSError\n{TWO}"
    ),
    "warnings are errors": _suite(TWO, "-W", "error", "-p", "no:cacheprovider", "--strict-markers"),
    "stopped at the first failure": _suite("def test_1(): assert 0\n" + TWO, "-x"),
    "tests inherited": _suite(
        "class Base:\n    def test_1(self): pass\nclass TestX(Base): pass\nclass TestY(Base): pass\n",
        passed=2,
    ),
    "tests inherited from a library": _suite(
        "from library import ReusableTests\nclass TestOurs(ReusableTests):\n    value = 2\n",
        files={
            "library.py": (
                "class ReusableTests:\n    def test_value(self): assert self.value\n"
                "    def test_type(self): assert isinstance(self.value, int)\n"
            )
        },
        passed=2,
        states=EITHER,
    ),
    "cases inherited from a library": _suite(
        "from library import Reusable\nimport unittest\n"
        "class Ours(Reusable, unittest.TestCase):\n    value = 2\n",
        "test_odd",
        files={"library.py": "class Reusable:\n    def test_value(self): self.assertTrue(self.value)\n"},
        runner="unittest",
        passed=1,
        states=EITHER,
    ),
    "a decorator that runs nothing": _suite(
        "def leave_out(f): return lambda: None\n@leave_out\ndef test_1(): pass\n", states=UNSEEN
    ),
    "a decorator that swallows": _suite(
        "import functools\ndef raises(f):\n    @functools.wraps(f)\n    def g():\n        try: f()\n"
        "        except ValueError: pass\n    return g\n@raises\ndef test_1(): raise ValueError\n",
        states=UNSEEN,
    ),
    "a decorator that tries again": _suite(
        """
import functools
tries = []
def again(f):
    @functools.wraps(f)
    def g():
        for _ in range(3):
            try:
                return f()
            except AssertionError:
                continue
        raise AssertionError
    return g
@again
def test_1():
    tries.append(1)
    assert len(tries) == 3
""",
        passed=1,
        states=EITHER,
    ),
    "loops that end by an exception": _suite(
        """
class Three:
    def __init__(self): self.left = 3
    def __iter__(self): return self
    def __next__(self):
        self.left -= 1
        if self.left < 0: raise StopIteration
        return self.left
def three():
    yield from Three()
def test_1():
    for number in Three():
        assert number >= 0
def test_2():
    for number in three(): pass
def test_3():
    try:
        raise ValueError
    except ValueError: pass
def test_4():
    with open("/dev/null"):
        for number in Three(): continue
""",
        passed=4,
    ),
    "doctests": _suite(
        'def f():\n    """\n    >>> f()\n    1\n    """\n    return 1\n', "--doctest-modules", states=UNSEEN
    ),
    "other processes": _suite(TWO, "-n", "2", plugins=("pytest-xdist",), states=UNSEEN),
    "replaced functions": _suite(
        "import os\nfrom unittest import mock\n@mock.patch('os.write')\n@mock.patch('os.open')\n"
        "def test_1(a, b): pass\ndef test_2(): mock.patch('hashlib.sha256').start()\n"
    ),
    "unittest with a run of its own": _suite(
        "import unittest\nclass Own(unittest.TestCase):\n    def run(self, result=None):\n"
        "        return super().run(result)\n    def test_1(self):\n        with self.subTest(): pass\n"
    ),
    "subtests": _suite(
        "import unittest\nclass Own(unittest.TestCase):\n    def test_1(self):\n        for n in range(3):\n"
        "            with self.subTest(n=n): self.assertNotEqual(n, 1)\n    def test_2(self):\n"
        "        with self.subTest(): pass\n",
        "test_odd",
        runner="unittest",
    ),
    "a monkeypatched unittest": _suite(
        """
import unittest
real_equal, real_run = unittest.TestCase.assertEqual, unittest.TestCase.run
def equal(self, first, second, msg=None):
    return real_equal(self, first, second, msg or "ours")
def run(self, result=None):
    self.addCleanup(lambda: None)
    return real_run(self, result)
unittest.TestCase.assertEqual, unittest.TestCase.run = equal, run
unittest.TestCase.maxDiff = None
unittest.TextTestResult.separator1 = "~"
class Own(unittest.TestCase):
    def test_1(self): self.assertEqual(1, 1)
    def test_2(self): self.assertEqual(1, 2)
""",
        "test_odd",
        runner="unittest",
        passed=1,
    ),
    "plugins of its own": _suite(
        TWO,
        files={
            "conftest.py": """
import pytest
def pytest_collection_modifyitems(items): items.reverse()
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().sections.append(("ours", "seen"))
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    yield
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    item.user_properties.append(("ours", 1))
def pytest_report_teststatus(report, config):
    return None
def pytest_sessionfinish(session, exitstatus):
    session.config.ours = exitstatus
"""
        },
        passed=2,
    ),
    "an event loop of its own": _suite(
        "import asyncio\nasync def test_1():\n    await asyncio.sleep(0)\nasync def test_2():\n"
        "    await asyncio.sleep(0.01)\n    assert 0\n",
        files={
            "conftest.py": """
import asyncio, inspect, pytest
@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(pyfuncitem.obj())
        finally:
            loop.close()
        return True
"""
        },
        passed=1,
    ),
    "a forked server": _suite(
        """
import http.server, os, signal, socket, urllib.request
def test_server():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1)
        port = listening.getsockname()[1]
        server = os.fork()
        if server == 0:
            try:
                connection, _ = listening.accept()
                connection.recv(1000)
                connection.sendall(b"HTTP/1.0 200 OK" + bytes((13, 10)) * 2 + b"hello")
                connection.close()
            finally:
                os._exit(0)
        assert urllib.request.urlopen("http://127.0.0.1:%d/" % port).read() == b"hello"
        os.waitpid(server, 0)
def test_server_that_stays():
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.pause()
        os._exit(0)
""",
        passed=2,
    ),
    "threads that linger": _suite(
        """
import threading, time
def test_1():
    threading.Thread(target=time.sleep, args=(1,)).start()
    threading.Thread(target=time.sleep, args=(9999,), daemon=True).start()
def test_2():
    threading.Timer(0.5, lambda: 1 / 0).start()
""",
        passed=2,
    ),
    "tests that rewrite files": _suite(
        """
import os, importlib, sys
sys.path.insert(0, ".")
def test_1():
    with open(__file__) as file: text = file.read()
    with open(__file__, "w") as file: file.write("def test_1(): raise ValueError\\n")
    with open("other.py", "w") as file: file.write("x = 1\\n")
    importlib.invalidate_caches()
    import other
    assert other.x == 1
def test_2():
    os.unlink(__file__)
    for folder, folders, files in os.walk(".", topdown=False):
        for name in files: os.unlink(os.path.join(folder, name))
""",
        passed=2,
    ),
    "a trace function of its own": _suite(
        """
import sys, threading
def trace(frame, event, argument): return trace
def test_1():
    sys.settrace(trace)
    threading.settrace(trace)
def test_2(): pass
def test_3():
    sys.settrace(None)
    threading.settrace(None)
def test_4(): pass
""",
        passed=4,
        states=EITHER,
    ),
    "a profile function of its own": _suite(
        "import sys\ndef test_1(): sys.setprofile(lambda *_: None)\ndef test_2(): sys.setprofile(None)\n",
        passed=2,
    ),
    "coverage": _suite(TWO, "--cov=.", plugins=("pytest-cov",), states=EITHER, passed=2),
    "tests made at run time": _suite(
        """
import unittest
class Own(unittest.TestCase): pass
def make(n):
    def test(self): self.assertEqual(n, n)
    return test
for n in range(3): setattr(Own, "test_%d" % n, make(n))
globals().update({"test_made_%d" % n: (lambda n=n: None) for n in range(2)})
""",
        states=EITHER,
    ),
    "descriptors closed": _suite(
        "import os\ndef test_1(): os.closerange(3, 256)\ndef test_2(): pass\n", states=EITHER
    ),
    "an environment cleared": _suite(
        "import os\ndef test_1():\n    os.environ.clear()\n    os.chdir('/')\ndef test_2(): pass\n", passed=2
    ),
    "a helper of a test's name that is called before": _suite(
        "import unittest\nclass Helper:\n    def test_1(self): raise OSError\n"
        "class TestX(unittest.TestCase):\n    def setUp(self):\n        try: Helper().test_1()\n"
        "        except OSError: pass\n    def test_1(self): pass\n",
        states=EITHER,
        passed=1,
    ),
    "a body in another thread": _suite(
        "import functools, threading\ndef apart(f):\n    @functools.wraps(f)\n    def g():\n"
        "        t = threading.Thread(target=f)\n        t.start()\n        t.join()\n    return g\n"
        "class Marks: apart = staticmethod(apart)\ndef test_1(): pass\ntest_1 = apart(test_1)\n"
        "@Marks.apart\ndef test_2(): pass\n",
        states=EITHER,
        passed=2,
    ),
    "a debugger": _suite(
        "import bdb\ndef test_1(): bdb.Bdb().runcall(lambda: 1)\ndef test_2(): pass\n",
        states=EITHER,
        passed=2,
    ),
    "another clock": _suite(
        "import time\ndef test_1():\n    time.time = lambda: 0.0\n    time.monotonic = lambda: 5.0\n"
        "    time.perf_counter = lambda: 1.0\ndef test_2(): pass\n",
        passed=2,
    ),
}


def odd_suites(default: Collection[str] = ()) -> list[object]:
    """One parameter for each; those that are not ``default`` are slow."""
    return [
        pytest.param(suite, id=name, marks=() if name in default else pytest.mark.slow)
        for name, suite in ODD.items()
    ]


_OWN = "class Own(unittest.TestCase):\n"
OLD = {
    "children that leave at once": f"""
import os, subprocess, sys, unittest
{_OWN}    def test_1(self):
        if os.fork() == 0: os._exit(0)
        os.wait()
    def test_2(self):
        self.assertEqual(subprocess.call([sys.executable, "-c", "import os; os._exit(3)"]), 3)
""",
    "threads that linger": f"""
import threading, time, unittest
{_OWN}    def test_1(self):
        thread = threading.Thread(target=time.sleep, args=(1000,))
        thread.daemon = True
        thread.start()
    def test_2(self): pass
""",
    "a server that stays": f"""
import os, signal, unittest
{_OWN}    def test_1(self):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.pause()
            os._exit(0)
    def test_2(self): pass
""",
    "tests that rewrite files": f"""
import os, unittest
{_OWN}    def test_1(self):
        with open(__file__.replace(".pyc", ".py"), "a") as file: file.write("# changed" + os.linesep)
    def test_2(self):
        with open("other.py", "w") as file: file.write("x = 1")
        os.remove("other.py")
""",
    "a trace function of its own": f"""
import sys, unittest
{_OWN}    def setUp(self): sys.settrace(lambda *_: None)
    def tearDown(self): sys.settrace(None)
    def test_1(self): pass
    def test_2(self): pass
""",
    "a monkeypatched unittest": f"""
import unittest
real_run = unittest.TestCase.run
def run(self, result=None):
    self.addCleanup(lambda: None)
    return real_run(self, result)
unittest.TestCase.run = run
{_OWN}    def test_1(self): self.assertEqual(1, 1)
    def test_2(self): self.assertTrue(True)
""",
    "tests made at run time": f"""
import unittest
{_OWN}    pass
for number in (1, 2):
    setattr(Own, "test_%d" % number, lambda self: self.assertTrue(self))
""",
    "a runner's exit that is caught": f"""
import sys, unittest
{_OWN}    def test_1(self):
        self.assertRaises(SystemExit, sys.exit, 3)
    def test_2(self):
        sys.stdout, before = sys.stderr, sys.stdout
        sys.stdout = before
""",
}
"""Under unittest, in Python as 2.7 reads it; two tests each, which pass."""


def old_suites() -> dict[str, OddSuite]:
    """Odd suites that run on every Python, without any distribution."""
    return {
        name: _suite(text, "test_odd", runner="unittest", states=EITHER, passed=2)
        for name, text in OLD.items()
    }


def check_odd_run(done: SuiteRun, suite: OddSuite) -> None:
    """The run of an honest suite is whole, and nothing of it is called forged."""
    assert done.status == "completed", done.log_end
    assert not [reason for reason in done.integrity.reasons if reason.is_forgery]
    assert done.integrity.state in suite.states, done.integrity.reasons
    assert all("test_odd" in result.id for result in done.results)
    if suite.passed is not None:
        assert done.count(Outcome.PASSED) == suite.passed
    assert IntegrityReason.NOT_RECORDED not in done.integrity.reasons
