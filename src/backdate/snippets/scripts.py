"""Files of tests: how a program runs one, and when it has passed.

Such a file imports the code by a name, as it does where it comes from, and pytest runs it, as there. So the
code is a file beside it and loaded once, by the tests. What passed is counted: a file whose tests did not run
does not pass, however its process ended. The code runs in the process of its tests, and can tell them
anything; that is so where they come from, too. Who passes is judged by changed ones (``secret_tests.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from backdate.snippets.runs import ProgramLimits, SnippetProgram
from backdate.snippets.snippet import Harness

UNCOUNTED = "TestsDidNotRun"
"""The type of the error where tests that the file defines did not run."""
TESTS_WALL_S = 240.0
"""What the published harness gives a file of tests; Numba compiles in it."""

_DRIVER = """
class {uncounted}(Exception):
    pass

def _run_tests(name, code, tests, defined):
    import io, os, sys
    folder = os.getcwd()
    for module, source in ((name, code), ("test_" + name, tests)):
        with io.open(os.path.join(folder, module + ".py"), "w", encoding="utf-8") as file:
            file.write(source)
    sys.path.insert(0, folder)
    import pytest

    class Seen(object):
        def __init__(self):
            self.errors, self.ran, self.passed = [], set(), set()

        def pytest_exception_interact(self, node, call, report):
            error = call.excinfo.value
            while type(error).__name__ == "CollectError" and error.__cause__ is not None:
                error = error.__cause__
            if isinstance(error, Exception):  # what ends a process would end this one
                self.errors.append(error)

        def pytest_runtest_logreport(self, report):
            test = report.nodeid.partition("[")[0]
            if report.skipped or report.when == "call":
                self.ran.add(test)
            if report.passed and report.when == "call":
                self.passed.add(test)

    seen = Seen()
    options = ["-q", "--disable-warnings", "-p", "no:cacheprovider", "--rootdir", folder]
    status = pytest.main(options + [os.path.join(folder, "test_" + name + ".py")], plugins=[seen])
    if seen.errors:
        raise seen.errors[0]
    if int(status) or not seen.passed or len(seen.ran) < defined:
        passed, ran = len(seen.passed), len(seen.ran)
        raise {uncounted}("%d of %d tests ran, %d passed, status %d" % (ran, defined, passed, int(status)))

_run_tests({module!r}, {code!r}, {tests!r}, {defined!r})
"""


def runnable(program: SnippetProgram) -> SnippetProgram:
    """``program`` as one whose script runs after its code: itself, unless its script is a file of tests."""
    harness = program.harness
    if not harness.module:
        return program
    script = _DRIVER.format(
        uncounted=UNCOUNTED,
        module=harness.module,
        code=program.code,
        tests=harness.script,
        defined=defined_tests(harness.script),
    )
    return SnippetProgram(
        id=program.id, code="", entry="", harness=Harness(before=harness.before, script=script)
    )


def limits_for(programs: Iterable[SnippetProgram], limits: ProgramLimits) -> ProgramLimits:
    """``limits``, with the time of the published harness where one of the programs is a file of tests."""
    if any(program.harness.module for program in programs):
        return replace(limits, wall_s=max(limits.wall_s, TESTS_WALL_S))
    return limits


def defined_tests(source: str) -> int:
    """How many tests a file defines for pytest, of two branches those of the larger; at least one.

    A name that is defined again counts once, as of two such functions the last one runs.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    return max(1, len(set(_tests_in(tree.body, ""))))


def _tests_in(body: list[ast.stmt], around: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test") and not any(map(_is_fixture, node.decorator_list)):
                yield f"{around}.{node.name}"
        elif isinstance(node, ast.ClassDef):
            if node.name.startswith("Test") or any("TestCase" in ast.unparse(base) for base in node.bases):
                yield from _tests_in(node.body, f"{around}.{node.name}")
        elif isinstance(node, ast.If):
            yield from max((list(_tests_in(one, around)) for one in (node.body, node.orelse)), key=len)
        elif isinstance(node, ast.Try | ast.With):  # what follows an error takes the tests' place
            yield from _tests_in([*node.body, *getattr(node, "orelse", [])], around)


def _is_fixture(decorator: ast.expr) -> bool:
    return "fixture" in ast.unparse(decorator)
