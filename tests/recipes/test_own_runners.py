"""Suites that only a project's own program, its metadata or an example project can run, told from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.commands import read_commands
from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.own_runners import runs_django_tests, runs_tests, starts_itself
from backdate.recipes.recipe import InstallStep, SuitePlan, Variable
from backdate.recipes.render import as_shell_script
from backdate.recipes.suite import plan_tests

CONFIGURED = "import sys\nfrom django.conf import settings\nsettings.configure(INSTALLED_APPS=['polls'])\n"
BY_COMMAND_LINE = f"""{CONFIGURED}
def runtests():
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv[:1] + ['test', 'polls'])
if __name__ == '__main__':
    runtests()
"""
BY_CALL_COMMAND = (
    f"{CONFIGURED}from django.core.management import call_command\ncall_command('test', 'polls')\n"
)
FOR_OTHERS = f"{CONFIGURED}def runtests():\n    get_runner(settings)().run_tests(['polls'])\n"
STARTED = f"{FOR_OTHERS}runtests()\n"
MANAGE = "from django.core.management import execute_from_command_line\nexecute_from_command_line(sys.argv)\n"
TESTS = "from django.test import TestCase\nclass T(TestCase):\n    def test_a(self): pass\n"
CASES = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def read(root: Path, text: str) -> tuple[Action, ...]:
    return read_commands(text, files=Files(root), file="ci.yml", line=10, rule="CI")


def plan_of(root: Path, text: str) -> SuitePlan:
    (plan,) = (action for action in read(root, text) if isinstance(action, SuitePlan))
    return plan


def shown(plan: SuitePlan | None) -> tuple[object, ...]:
    assert plan is not None
    return plan.runner, plan.targets, plan.arguments, plan.cwd, dict(plan.environment).get("PYTHONPATH")


@pytest.mark.parametrize("program", [BY_COMMAND_LINE, BY_CALL_COMMAND, STARTED])
@pytest.mark.parametrize("name", ["runtests.py", "quicktest.py", "check_all.py"])
def test_a_django_apps_own_program(tree: Path, program: str, name: str) -> None:
    write(tree, {name: program, "polls/tests.py": TESTS, "polls/__init__.py": ""})
    assert shown(plan_tests(tree)) == ("program", (name,), (), ".", None)
    assert shown(plan_of(tree, f"python {name} -v 2")) == ("program", (name,), ("-v", "2"), ".", None)


def test_programs_are_told_by_what_they_call() -> None:
    assert runs_django_tests(BY_COMMAND_LINE)
    assert not runs_tests(MANAGE)
    assert not starts_itself(FOR_OTHERS)
    assert starts_itself(STARTED)
    assert not starts_itself("def f(:\n")


def test_a_program_in_the_folder_of_tests_gets_the_root(tree: Path) -> None:
    write(tree, {"tests/runtests.py": STARTED, "tests/test_a.py": TESTS})
    assert shown(plan_tests(tree)) == ("program", ("tests/runtests.py",), (), ".", ".")


def test_pytest_where_it_is_configured(tree: Path) -> None:
    write(tree, {"runtests.py": STARTED, "polls/tests.py": TESTS, "pytest.ini": "[pytest]\n"})
    assert shown(plan_tests(tree))[0] == "pytest"


@pytest.mark.parametrize(
    "metadata",
    [
        {"setup.py": "from setuptools import setup\nsetup(name='p', test_suite='polls.runtests.runtests')\n"},
        {
            "setup.py": "",
            "setup.cfg": "[metadata]\nname = p\n[options]\ntest_suite = polls.runtests:runtests\n",
        },
    ],
)
def test_the_function_that_test_suite_names(tree: Path, metadata: dict[str, str]) -> None:
    write(tree, {"polls/runtests.py": FOR_OTHERS, "polls/tests.py": TESTS, **metadata})
    wanted = ("unittest", ("polls.runtests.runtests",), (), ".", None)
    assert shown(plan_tests(tree)) == wanted
    (tree / "tox.ini").write_text("[testenv]\ndeps = Django<4\ncommands = python setup.py test\n")
    (first, *_) = extract_recipes(tree).candidates
    assert shown(first.test) == wanted
    assert any("Django<4" in step.packages for step in first.install)


def test_a_test_suite_that_is_not_there_is_none(tree: Path) -> None:
    setup = "from setuptools import setup\nsetup(name='p', test_suite='gone.runtests')\n"
    write(tree, {"setup.py": setup, "tests/test_a.py": CASES})
    assert shown(plan_tests(tree)) == ("unittest", ("tests.test_a",), (), ".", None)


def test_a_command_of_setup_py(tree: Path) -> None:
    setup = (
        f"from setuptools import setup, Command\nclass T(Command):\n    def run(self):\n        {CONFIGURED}"
    )
    setup = setup.replace("\nfrom django", "; from django").replace("\nsettings", "; settings")
    setup += "        call_command('test')\nsetup(name='p', cmdclass={'test': T})\n"
    write(tree, {"setup.py": setup, "polls/tests.py": TESTS})
    assert shown(plan_tests(tree)) == ("program", ("setup.py",), ("test",), ".", None)


def test_an_example_project(tree: Path) -> None:
    write(
        tree,
        {
            "polls/__init__.py": "",
            "polls/tests/test_a.py": TESTS,
            "example/manage.py": MANAGE,
            "docs/manage.py": MANAGE,
        },
    )
    assert shown(plan_tests(tree)) == ("django", ("polls",), (), "example", "..")
    write(tree, {"example/site/tests.py": TESTS})
    assert shown(plan_tests(tree)) == ("django", ("polls", "."), (), "example", "..")


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("django-admin test --settings=tests.settings", ("django", (), ("--settings=tests.settings",), ".")),
        ("python -m django test polls", ("django", ("polls",), (), ".")),
        ("python -Wall example/manage.py test", ("django", ("..",), (), "example")),
        ("python example/manage.py test polls.tests", ("django", ("polls.tests",), (), "example")),
        ("cd example && ./manage.py test", ("django", (), (), "example")),
        ("python -m tests.run", ("program", ("tests/run.py",), (), ".")),
        ("stestr run --concurrency 2", ("unittest", (), ("discover", "-s", "./pkg/tests", "-t", "./"), ".")),
        ("OS_TEST_PATH=a stestr run", ("unittest", (), ("discover", "-s", "a", "-t", "./"), ".")),
        ("stestr --test-path b run", ("unittest", (), ("discover", "-s", "b", "-t", "./"), ".")),
    ],
)
def test_commands_that_run_djangos_and_unittests_suites(
    tree: Path, command: str, wanted: tuple[object, ...]
) -> None:
    stestr = "[DEFAULT]\ntest_path=${OS_TEST_PATH:-./pkg/tests}\ntop_dir=./\n"
    write(tree, {"example/manage.py": MANAGE, "tests/run.py": STARTED, ".stestr.conf": stestr})
    assert shown(plan_of(tree, command))[:4] == wanted


def test_testr_of_before(tree: Path) -> None:
    conf = (
        "[DEFAULT]\ntest_command=OS_DEBUG=1 ${PYTHON:-python} -m subunit.run discover -t ./ "
        "${OS_TEST_PATH:-./nova/tests} $LISTOPT $IDOPTION\n"
    )
    write(tree, {".testr.conf": conf})
    assert plan_of(tree, "testr run --parallel").arguments == ("discover", "-s", "./nova/tests", "-t", "./")


def test_zope_testrunner_runs_modules_and_their_suites(tree: Path) -> None:
    suite = f"{CASES}def test_suite():\n    return 1\n"
    write(
        tree,
        {
            "src/zz/tests/__init__.py": "",
            "src/zz/tests/test_a.py": suite,
            "src/zz/tests/test_b.py": CASES,
            "src/zz/tests/helpers.py": suite,
            "src/zz/sub/tests.py": CASES,
            "src/zz/test_alone.py": CASES,
        },
    )
    assert shown(plan_of(tree, "zope-testrunner --test-path=src -vc")) == (
        "unittest",
        ("zz.sub.tests", "zz.tests.test_a.test_suite", "zz.tests.test_b"),
        (),
        ".",
        "src",
    )


@pytest.mark.parametrize(
    "command", ["trial pkg", "green -q", "inv test", "just test", "python check.py", "python -m check"]
)
def test_what_ci_installs_beside_another_runner_is_kept(tree: Path, command: str) -> None:
    program = "import unittest\nif __name__ == '__main__':\n    unittest.TextTestRunner().run(load())\n"
    write(tree, {"check.py": program, "tests/test_a.py": CASES})
    assert isinstance(read(tree, command)[-1], Delegation)
    job = "{runs-on: ubuntu-latest, steps: [{run: 'pip install six==1.16'}, {run: '" + command + "'}]}"
    write(tree, {".github/workflows/t.yml": f"on: push\njobs:\n  t: {job}\n"})
    (first, *_) = extract_recipes(tree).candidates
    assert [step.packages for step in first.install] == [("six==1.16",)]
    assert first.test.targets == ("tests.test_a",)


@pytest.mark.parametrize(
    "command", ["FOO=1 pip install six", "env FOO=1 python -m pip install six", "FOO=1 uv pip install six"]
)
def test_variables_in_front_of_an_install_command_are_those_of_builds(tree: Path, command: str) -> None:
    (variable, step) = read(tree, command)
    assert isinstance(variable, Variable)
    assert isinstance(step, InstallStep)
    assert (variable.name, variable.value, variable.builds_only) == ("FOO", "1", True)
    write(tree, {"tests/test_a.py": CASES})
    write(tree, {"tox.ini": "[testenv]\nskip_install = true\nsetenv = BAR=2\ncommands =\n  sh run.sh\n"})
    write(tree, {"run.sh": f"{command}\npython -m unittest tests.test_a\n"})
    (first, *_) = extract_recipes(tree).candidates
    assert [(one.name, one.builds_only) for one in first.variables] == [("BAR", False), ("FOO", True)]
    assert first.test.environment == (("BAR", "2"),)
    assert "FOO=1 python -m pip install six" in as_shell_script(first)


def test_variables_in_front_of_what_installs_nothing_are_none(tree: Path) -> None:
    assert not any(isinstance(action, Variable) for action in read(tree, "FOO=1 pip freeze"))
