"""Programs that run their project's tests themselves, without network."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import Outcome, SuiteRun

Run = Callable[..., SuiteRun]
MakePlan = Callable[..., SuitePlan]
Plain = Callable[[str], Environment]

TESTS = """
from __main__ import FOUND, unittest
import neighbour

class One(unittest.TestCase):
    def test_found(self):
        self.assertEqual(FOUND, ["--fast"])
    def test_failed(self):
        self.assertEqual(1, 2)
"""
BY_UNITTEST = """
import sys, unittest
FOUND = sys.argv[1:]
from checks.of_main import *
if __name__ == "__main__":
    {}
"""
MAIN = "unittest.main(argv=sys.argv[:1])"
RUNNER = (
    "sys.exit(not unittest.TextTestRunner().run("
    "unittest.defaultTestLoader.loadTestsFromName('checks.of_main')).wasSuccessful())"
)


def outcomes(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id.rpartition(".")[2]: result.outcome for result in run.results}


@pytest.mark.parametrize("ending", [MAIN, RUNNER])
@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.13"])
def test_a_program_finds_in_itself_what_it_set_up(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str, ending: str
) -> None:
    files = {
        "tools/run_tests.py": BY_UNITTEST.format(ending),
        "tools/neighbour.py": "",
        "tools/checks/__init__.py": "",
        "tools/checks/of_main.py": TESTS,
    }
    program = plan("program", "--fast", targets=("tools/run_tests.py",))
    found = run(one_sandbox, plain_environment(version), files, program)
    assert (found.status, found.suspicions) == ("completed", ())
    assert outcomes(found) == {"test_found": Outcome.PASSED, "test_failed": Outcome.FAILED}


def test_a_program_that_hands_its_tests_to_pytest(
    run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan
) -> None:
    program = "import sys, pytest\nif __name__ == '__main__':\n    sys.exit(pytest.main(['checks.py']))\n"
    tests = "def test_good(): pass\ndef test_bad(): assert 0\n"
    files = {"runtests.py": program, "checks.py": tests}
    found = run(one_sandbox, bare_pytest, files, plan("program", targets=("runtests.py",)))
    assert (found.status, found.suspicions) == ("completed", ())
    assert found.runner.startswith("pytest ")
    assert outcomes(found) == {
        "py::test_good": Outcome.PASSED,
        "py::test_bad": Outcome.FAILED,
    }


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("import no_such_module\n", "broken", "inside runtests.py: ModuleNotFoundError"),
        ("print('nothing')\n", "broken", "without reaching the tests"),
        (None, "broken", "runtests.py"),
    ],
)
def test_a_program_that_runs_nothing(
    run: Run,
    one_sandbox: Sandbox,
    plain_environment: Plain,
    plan: MakePlan,
    text: str | None,
    status: str,
    said: str,
) -> None:
    files = {} if text is None else {"runtests.py": text}
    found = run(one_sandbox, plain_environment("3.8"), files, plan("program", targets=("runtests.py",)))
    assert found.status == status
    assert said in found.trouble
