"""How a harness that reads logs runs a task's tests, and by which names it knows them.

Harnesses of SWE-bench's kind print what a runner prints and parse that. pytest's own summary serves where
``-rA`` asks for it; unittest's and Django's output names a test by its docstring, so that a result class of a
few lines prints one line a test instead, in pytest's words. So one parser reads all of them.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from backdate.errors import UsageError
from backdate.recipes.recipe import SuitePlan
from backdate.recipes.render import command_of
from backdate.tasks.scripts import suite_command, with_variable
from backdate.tasks.task import Role, Task, TaskTest
from backdate.testing.outcomes import Outcome

LOG_PARSER = "parse_log_pytest_v2"
"""As SWE-bench (from 5 on) and SWE-rebench V2 call it."""
_CONTROL = dict.fromkeys(range(1, 32))
_COLOUR = re.compile(r"\[\d+m")
_REPEATED = re.compile(r"#\d+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTests:
    """The tests that decide, by the names that a harness reads."""

    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    unreported: tuple[str, ...] = ()
    """Our ids of those that count here and that a log does not tell: two have one name, or their line is that
    of an expected failure."""


def reported_name(identity: str) -> str:
    """The name that ``parse_log_pytest_v2`` reads of the test with our id ``identity``.

    >>> reported_name("test_a.py::test_b[x   y]")
    'test_a.py::test_b[x y]'
    """
    return " ".join(_COLOUR.sub("", identity).translate(_CONTROL).split())


def first_word(identity: str) -> str:
    """The name that ``parse_log_pytest`` reads, with which SWE-bench-Live's evaluation begins and ends."""
    words = reported_name(identity).split(" ", 1)
    return words[0]


def reported_tests(task: Task, name: Callable[[str], str] = reported_name) -> ReportedTests:
    """The lists of ``task`` by ``name``, and what no log of its runner tells."""
    counting = [test for test in task.tests if test.role != "excluded"]
    names = Counter(name(test.id) for test in task.tests)
    roles: dict[str, set[Role]] = {}
    for test in task.tests:
        roles.setdefault(name(test.id), set()).add(test.role)
    told = [test for test in counting if _is_told(test) and len(roles[name(test.id)]) == 1]
    left_out = {test.id for test in counting} - {test.id for test in told}
    truncated = {text for text, count in names.items() if count > 1}
    left_out |= {test.id for test in told if name(test.id) in truncated and name is reported_name}
    kept = [test for test in told if test.id not in left_out]
    return ReportedTests(
        fail_to_pass=_unique(name(test.id) for test in kept if test.role == "fail-to-pass"),
        pass_to_pass=_unique(name(test.id) for test in kept if test.role == "pass-to-pass"),
        unreported=tuple(sorted(left_out)),
    )


def reporting_commands(task: Task) -> tuple[str, ...]:
    """Shell commands that run the tests in the project's folder so that ``LOG_PARSER`` reads what they print.

    Raises UsageError for a runner whose output nobody can be sure of.
    """
    if task.recipe is not None:
        return tuple(_reporting(task, plan) for plan in (task.recipe.test, *task.recipe.further_tests))
    if task.scripts is not None:
        _require_pytest(task, "script")
        return (f"PYTEST_ADDOPTS='-rA --color=no' bash {shlex.quote(task.scripts.test)}",)
    raise UsageError(f"{task.instance_id} is not set up yet; 'backdate bench verify' does that")


def _is_told(test: TaskTest) -> bool:
    outcome = test.reference or test.origin
    return outcome in (None, Outcome.PASSED) and _REPEATED.search(test.id) is None


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _reporting(task: Task, plan: SuitePlan) -> str:
    match plan.runner:
        case "pytest":
            return suite_command(replace(plan, arguments=(*plan.arguments, "-rA", "--color=no")))
        case "unittest":
            argv = ["unittest", *plan.arguments, *plan.targets]
            return _here_document(plan, f"{_RESULT}{_UNITTEST.format(argv=argv)}")
        case "django":
            tests = replace(plan, arguments=("--testrunner=backdate_reporting.Runner", *plan.arguments))
            return suite_command(tests, {"backdate_reporting": f"{_RESULT}{_DJANGO}"})
        case "program" | "script":
            _require_pytest(task, plan.runner)
            return command_of(with_variable(plan, "PYTEST_ADDOPTS", " ", after="-rA --color=no"))


def _require_pytest(task: Task, runner: str) -> None:
    """Whether a program or script runs pytest is told by the ids of the tests that it ran."""
    if not task.tests or any("::" not in test.id for test in task.tests if test.role != "excluded"):
        raise UsageError(
            f"{task.instance_id} is tested by a {runner} of its own, and not by pytest alone: "
            "no harness can read what it prints"
        )


def _here_document(plan: SuitePlan, text: str) -> str:
    """Python with ``text`` as its standard input, in the plan's folder and with its variables."""
    own = "".join(f"{name}={shlex.quote(value)} " for name, value in plan.environment)
    lines = f"{own}python - <<'END_OF_RUNNER'\n{text}END_OF_RUNNER"
    if plan.cwd == ".":
        return lines
    return f"(cd {shlex.quote(plan.cwd)} && {lines}\n)"


_RESULT = """\
import sys, unittest
class Reporting(unittest.TextTestResult):
    def say(self, word, test):
        print("\\n%s %s" % (word, test.id()), file=sys.__stdout__, flush=True)
    def addSuccess(self, test):
        super().addSuccess(test); self.say("PASSED", test)
    def addFailure(self, test, error):
        super().addFailure(test, error); self.say("FAILED", test)
    def addError(self, test, error):
        super().addError(test, error); self.say("ERROR", test)
    def addSkip(self, test, reason):
        super().addSkip(test, reason); self.say("SKIPPED", test)
    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error); self.say("XFAIL", test)
    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test); self.say("FAILED", test)
    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None: self.say("FAILED", test)
"""
_UNITTEST = """\
unittest.main(module=None, argv={argv!r}, verbosity=0, testRunner=unittest.TextTestRunner(
    resultclass=Reporting, verbosity=0))
"""
_DJANGO = """\
from django.conf import settings
from django.test.utils import get_runner
class Runner(get_runner(settings)):
    def get_resultclass(self):
        return Reporting
"""
