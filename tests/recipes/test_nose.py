"""What nose is told in commands and in its configuration, as pytest's words."""

from pathlib import Path

import pytest

from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import NOSE_SETUPS, SuitePlan

DOCTESTS = "[nosetests]\nwith-doctest=true\ndoctest-extension=doctest\ndoctest-options=+ELLIPSIS,+SKIP,-X\n"


def plan(root: Path, command: str, files: dict[str, str]) -> SuitePlan:
    for name, text in {"m/__init__.py": "", "tests/test_a.py": "", "tool.py": "1 / 0", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    actions = read_commands(command, files=Files(root), file="ci.yml", line=1, rule="CI")
    (found,) = [action for action in actions if isinstance(action, SuitePlan)]
    return found


def test_doctests_that_the_configuration_asks_for_are_run(tmp_path: Path) -> None:
    found = plan(tmp_path, "nosetests -v", {"setup.cfg": DOCTESTS})
    assert found.arguments == (
        *("--doctest-modules", "--doctest-glob=*doctest"),
        *("-o", "doctest_optionflags=ELLIPSIS SKIP"),
    )
    assert found.targets == ("m", "tests")  # as nose does: modules beside packages are not imported


@pytest.mark.parametrize(
    ("command", "arguments", "targets"),
    [
        ("nosetests --with-doctest m", ("--doctest-modules",), ("m",)),
        (
            "nosetests --with-doctest --doctest-extension=txt m",
            ("--doctest-modules", "--doctest-glob=*txt"),
            ("m",),
        ),
        ("nosetests -c nose.cfg", ("--doctest-modules",), ("m/a.py",)),
        ("nosetests", (), ()),
        ("nosetests --all-modules -w missing", ("-o", "python_files=*.py"), ("missing",)),
        ("nosetests --timer-top-n 50 --logging-level CRITICAL m", (), ("m",)),
        ("nose2 --with-doctest -s m", ("--doctest-modules",), ("m",)),
    ],
)
def test_doctests_of_commands(
    tmp_path: Path, command: str, arguments: tuple[str, ...], targets: tuple[str, ...]
) -> None:
    files = {"nose.cfg": "[nosetests]\nwith-doctest=1\ntests=m.a\n", "m/a.py": ""}
    found = plan(tmp_path, command, files)
    assert (found.arguments, found.targets) == (arguments, targets)


@pytest.mark.parametrize(
    ("command", "cwd", "targets"),
    [
        ("nosetests -v -w tests", "tests", ()),
        ("nosetests --where=tests test_a:T.test_b", "tests", ("test_a.py::T::test_b",)),
        ("nosetests -w tests -w ../m", "tests", ("../m",)),
        ("cd tests && nosetests -w ../m", "m", ()),
        ("nose2 -s tests", ".", ("tests",)),
    ],
)
def test_nose_works_in_the_first_folder_that_it_looks_into(
    tmp_path: Path, command: str, cwd: str, targets: tuple[str, ...]
) -> None:
    found = plan(tmp_path, command, {})
    assert (found.cwd, found.targets) == (cwd, targets)
    configured = plan(tmp_path, "nosetests", {"setup.cfg": "[nosetests]\nwhere=tests\n"})
    assert (configured.cwd, configured.targets) == ("tests", ())


def test_folders_that_the_configuration_names_are_targets(tmp_path: Path) -> None:
    found = plan(tmp_path, "nosetests", {"setup.cfg": "[nosetests]\ntests=tests, m\nwith-coverage=1\n"})
    assert (found.runner, found.arguments, found.targets) == ("pytest", (), ("tests", "m"))


@pytest.mark.parametrize(
    ("command", "around"), [("nosetests m", True), ("python -m nose m", True), ("nose2 -s m", False)]
)
def test_what_nose_calls_around_tests_is_asked_for(tmp_path: Path, command: str, around: bool) -> None:
    assert (NOSE_SETUPS in dict(plan(tmp_path, command, {}).environment)) == around
