"""Programs run in forks of a warm process, and nothing that one does reaches another."""

import pytest
from patience import PATIENCE_S
from snippet_runner import bare_runner, side

from backdate.snippets.runs import ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.snippet import Harness, SnippetSide

CASES = ("(1,)", "(2,)", "(0,)")
GOOD = "def f(x):\n    print('in', x)\n    return 6 // x\n"
PATIENT = ProgramLimits(wall_s=PATIENCE_S)
VERSION = "3.8"
EVERY_VERSION = [
    "2.7",
    *(pytest.param(version, marks=pytest.mark.slow) for version in ("3.6", "3.8", "3.12")),
    "3.13",
]


def program(
    code: str, *, name: str = "p", cases: tuple[str, ...] = CASES, script: str = ""
) -> SnippetProgram:
    harness = Harness(script=script) if script else Harness(cases=cases)
    return SnippetProgram(id=name, code=code, entry="f", harness=harness)


def ran(
    *codes: str, version: str = VERSION, limits: ProgramLimits = PATIENT, cases: tuple[str, ...] = CASES
) -> list[ProgramRun]:
    programs = [program(code, name=str(number), cases=cases) for number, code in enumerate(codes)]
    runs = list(bare_runner().run(side(version), programs, limits))
    assert [run.id for run in runs] == [program.id for program in programs]
    return runs


def values(run: ProgramRun) -> list[str]:
    return [case.value for case in run.cases]


def is_as_alone(run: ProgramRun) -> bool:
    return run.end is ProgramEnd.FINISHED and values(run) == ["6", "3", ""]


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_each_case_gives_what_it_printed_returned_or_raised(version: str) -> None:
    code = "import warnings\nprint('loaded')\n" + GOOD + "\ndef g(x):\n    pass\n"
    code = code.replace("    return", "    warnings.warn('soon', DeprecationWarning)\n    return")
    (run,) = ran(code, version=version)
    assert is_as_alone(run)
    assert [case.printed.split() for case in run.cases] == [["in", "1"], ["in", "2"], ["in", "0"]] or (
        version == "2.7" and all(case.printed for case in run.cases)
    )
    assert run.cases[0].kind == "int"
    assert run.cases[2].error == "ZeroDivisionError"
    assert run.cases[2].lines == (6,)
    assert run.cases[0].warnings == ("DeprecationWarning: soon",)


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_code_that_cannot_be_loaded_says_why(version: str) -> None:
    syntax, missing, entry = ran("def f(x:\n", "import no_such_thing\n", "def g(): pass\n", version=version)
    assert {run.end for run in (syntax, missing, entry)} == {ProgramEnd.LOAD_ERROR}
    assert syntax.detail.startswith("SyntaxError")
    assert "no_such_thing" in missing.detail
    assert entry.detail.startswith("AttributeError")


@pytest.mark.slow
@pytest.mark.parametrize(
    "attack",
    [
        "os.kill(-1, 9)",
        "os.kill(os.getppid(), 9)",
        "import ctypes; ctypes.string_at(0)",
        "os._exit(0)",
        "[os.write(number, b'{}\\n') for number in range(100, 102)]",
        "[os.close(number) for number in range(100, 102)]",
        "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (3, 3)); os._exit(0)",
    ],
)
def test_a_program_that_breaks_its_processes_is_no_pass_and_reaches_no_sibling(attack: str) -> None:
    before, hostile, after = ran(GOOD, f"import os\ndef f(x):\n    {attack}\n", GOOD)
    assert is_as_alone(before)
    assert hostile.end is ProgramEnd.CRASHED
    assert is_as_alone(after)


def test_a_daemon_does_not_outlive_its_program() -> None:
    code = """
import os, time
def f(x):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while True:
            time.sleep(60)
    return x
"""
    looking = """
import os
def f(x):
    return sum(1 for name in os.listdir('/proc') if name.isdigit())
"""
    alone, daemon, after = ran(looking, code, looking)
    assert daemon.end is ProgramEnd.FINISHED
    assert values(after) == values(alone)


def test_files_folders_and_shared_memory_of_a_program_are_gone_for_the_next() -> None:
    leaving = """
import os
def f(x):
    for place in ('/tmp', os.path.expanduser('~'), '/dev/shm', '.'):
        os.makedirs(os.path.join(place, 'a%d/b' % x))
        open(os.path.join(place, 'a%d/b/c' % x), 'w').close()
        os.chmod(os.path.join(place, 'a%d/b' % x), 0)
        os.symlink('/etc', os.path.join(place, 'link%d' % x))
"""
    looking = """
import os
def f(x):
    places = ('/tmp', os.path.expanduser('~'), '/dev/shm', '.')
    return [sorted(os.listdir(place)) for place in places]
"""
    alone, left, after = ran(looking, leaving, looking)
    assert not any(case.error for case in left.cases)
    assert values(after) == values(alone)


def test_the_process_above_cannot_be_read() -> None:
    reading = """
import os
def f(x):
    got = []
    for name in ('mem', 'fd', 'environ', 'maps'):
        path = '/proc/%d/%s' % (os.getppid(), name)
        try:
            got.append(os.listdir(path) if name == 'fd' else open(path, 'rb').read(1))
        except OSError as error:
            pass
    return got
"""
    (run,) = ran(reading)
    assert values(run) == ["[]"] * 3


def test_nothing_of_an_earlier_program_is_in_the_memory_of_a_later_one() -> None:
    """A fork begins with all that its parent has in memory: no parent may have read an answer."""
    told = "def f(x):\n    return '-'.join(['told', 'by', 'another', str(x)])\n"
    searching = """
def f(x):
    wanted, found = b'-'.join([b'told', b'by', b'another']), 0
    with open('/proc/self/mem', 'rb', 0) as memory:
        for line in open('/proc/self/maps').read().splitlines():
            place, rights = line.split()[:2]
            start, end = [int(part, 16) for part in place.split('-')]
            if 'w' in rights:
                memory.seek(start)
                held = memory.read(end - start).split(wanted)
                found += sum(1 for after in held[1:] if after[:1] == b'-')
    return found
"""
    before, after = ran(told, searching)
    assert values(before)[0] == "told-by-another-1"
    assert values(after) == ["0"] * 3


def test_a_child_has_no_descriptor_but_its_own() -> None:
    listing = "import os\ndef f(x):\n    return [os.readlink('/proc/self/fd/%s' % n).split(':')[0] for n in "
    (run,) = ran(listing + "os.listdir('/proc/self/fd') if os.path.lexists('/proc/self/fd/%s' % n)]\n")
    assert set(run.cases[0].value.replace("'", "").strip("[]").split(", ")) == {"/dev/null", "pipe"}


@pytest.mark.parametrize("stream", ["None", "open('/dev/full', 'w')", "__import__('io').StringIO()", "7"])
def test_another_standard_output_keeps_the_report(stream: str) -> None:
    run, after = ran(f"import sys\ndef f(x):\n    sys.stdout = {stream}\n    return x\n", GOOD)
    assert values(run) == ["1", "2", "0"]
    assert is_as_alone(after)


def test_output_without_end_and_a_value_without_end_are_cut_off() -> None:
    printing, valued, after = ran(
        "def f(x):\n    while True:\n        print('x' * 1000)\n",
        "def f(x):\n    return 'x' * (1 << 26)\n",
        GOOD,
    )
    assert (printing.end, valued.end) == (ProgramEnd.OUTPUT, ProgramEnd.OUTPUT)
    assert is_as_alone(after)


def test_a_loop_is_timed_out_and_memory_is_limited() -> None:
    (loop,) = ran("def f(x):\n    while True: pass\n", limits=ProgramLimits(wall_s=1.0))
    memory, after = ran("def f(x):\n    return len(b'x' * (8 << 30))\n", GOOD)
    assert loop.end is ProgramEnd.TIMED_OUT
    assert memory.end is ProgramEnd.MEMORY
    assert is_as_alone(after)


@pytest.mark.slow
def test_a_stopped_process_is_waited_for_no_longer_than_its_time() -> None:
    stopping = "import os, time\ndef f(x):\n    os.kill(os.getppid(), 19)\n    time.sleep(600)\n"
    hostile, after = ran(stopping, "def f(x):\n    return x\n", limits=ProgramLimits(wall_s=5.0))
    assert hostile.end is ProgramEnd.TIMED_OUT
    assert after.end is ProgramEnd.FINISHED


def test_folders_of_this_machine_are_not_told() -> None:
    code = (
        "import json, os, sys, warnings\n"
        "def f(x):\n"
        "    print(json.__file__)\n"
        "    warnings.warn(os.__file__)\n"
        "    if not x:\n"
        "        raise ValueError(sys.prefix + '-more', sys.prefix)\n"
        "    return os.__file__\n"
    )
    broken = "import json\nraise ValueError(json.__file__)\n"
    shown, loaded = ran(code, broken)
    assert values(shown)[0].strip("'") == "/python/lib/python3.8/os.py"
    assert shown.cases[0].printed.strip() == "/python/lib/python3.8/json/__init__.py"
    assert shown.cases[0].warnings == ("UserWarning: /python/lib/python3.8/os.py",)
    assert shown.cases[2].message.endswith("-more', '/python')")
    assert not shown.cases[2].message.startswith("('/python-more")  # another folder
    assert loaded.detail == "ValueError: /python/lib/python3.8/json/__init__.py"


def test_seeds_are_fixed_and_addresses_are_left_out() -> None:
    code = "import random\ndef f(x):\n    return [random.random(), hash('a'), object()]\n"
    first, second = ran(code, code)
    assert values(first) == values(second)
    assert "object at 0x…" in first.cases[0].value


@pytest.mark.parametrize("version", EVERY_VERSION)
def test_tests_are_counted_and_an_early_exit_is_no_pass(version: str) -> None:
    tests = """
import unittest
class T(unittest.TestCase):
    def test_one(self):
        self.assertEqual(f(1), 1)
    def test_two(self):
        self.assertEqual(f(2), 2)
if __name__ == "__main__":
    unittest.main()
"""
    codes = {
        "right": "def f(x):\n    return x\n",
        "wrong": "def f(x):\n    return 1\n",
        "leaves": "import sys\ndef f(x):\n    sys.exit(0)\n",
        "exits": "import os\ndef f(x):\n    os._exit(0)\n",
    }
    programs = [program(code, name=name, script=tests) for name, code in codes.items()]
    runs = {run.id: run for run in bare_runner().run(side(version), programs, PATIENT)}
    assert {name: [case.error for case in run.cases] for name, run in runs.items()} == {
        "right": [""],
        "wrong": ["AssertionError"],
        "leaves": ["SystemExit"],
        "exits": [],
    }
    assert runs["exits"].end is ProgramEnd.CRASHED


def test_what_is_preloaded_was_imported_by_every_program_of_its_process() -> None:
    from backdate.snippets.warm.preload import groups_of

    first = program("import scipy.stats\nimport os\n", name="first")
    second = program("import scipy\nfrom numpy import array\n", name="second")
    third = program("from scipy import io\nfrom scipy.stats import norm\n", name="third")
    broken = program("import scipy\ndef f(:\n", name="broken")
    groups = groups_of([first, second, third, broken])
    assert {modules: [member.id for member in members] for modules, members in groups} == {
        ("scipy", "scipy.stats"): ["first", "third"],
        ("numpy", "scipy"): ["second"],
        (): ["broken"],
    }


def test_a_side_without_an_environment_is_an_answer() -> None:
    lacking = SnippetSide(version="3.1", python="3.1", not_had="Python 3.1 cannot be had")
    (run,) = bare_runner().run(lacking, [program(GOOD)])
    assert (run.end, run.detail) == (ProgramEnd.NO_ENVIRONMENT, "Python 3.1 cannot be had")
