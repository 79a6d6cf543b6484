"""Files that an sdist leaves out, and that its tests open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import INSTANT, ran

from backdate.checking.lacking_files import lacking_files
from backdate.checking.setup_class import SetupClass, assess, failed_tests
from backdate.recipes.defined_tests import DefinedTests
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.setup_failure import Problem, read_failure
from backdate.testing.outcomes import Raised, SuiteRun

NOT_THERE = "[Errno 2] No such file or directory: '{}'"


def failing(message: str, type_: str = "FileNotFoundError") -> SuiteRun:
    run = ran(passed=19, failed=1)
    raised = (Raised(type=type_, message=message, frames=()),)
    results = [replace(one, raised=raised) if one.outcome.bad else one for one in run.results]
    return replace(run, results=tuple(results))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "package" / "there").mkdir(parents=True)
    (tmp_path / "package" / "there" / "known.json").touch()
    return tmp_path


@pytest.mark.parametrize("path", ["package/devices.json", "devices.json", "/work/package/devices.json"])
def test_a_file_that_is_nowhere_in_the_tree_is_lacking(tree: Path, path: str) -> None:
    run = failing(NOT_THERE.format(path))
    assert lacking_files(run, tree) == ("devices.json",)
    (group,) = failed_tests(run, apt=False, absent=("devices.json",))
    assert group.error is ErrorClass.MISSING_DATA
    assert "repository" in group.help


@pytest.mark.parametrize("path", ["toml-test/tests/valid/", "toml-test/tests"])
def test_a_folder_that_is_not_there_is_lacking(tree: Path, path: str) -> None:
    run = failing(NOT_THERE.format(path))
    assert lacking_files(run, tree) == (path,)
    assert failed_tests(run, apt=False, absent=(path,))[0].error is ErrorClass.MISSING_DATA


def test_a_module_of_the_trees_own_that_is_not_there_is_lacking(tree: Path) -> None:
    run = failing("No module named 'package.helpers'", "ModuleNotFoundError")
    assert lacking_files(run, tree) == ("package.helpers",)
    assert failed_tests(run, apt=False, absent=("package.helpers",))[0].error is ErrorClass.MISSING_DATA


@pytest.mark.parametrize("module", ["other.helpers", "package.there", "package", "helpers"])
def test_another_module_is_no_file_of_the_sdist(tree: Path, module: str) -> None:
    assert lacking_files(failing(f"No module named {module!r}", "ModuleNotFoundError"), tree) == ()


@pytest.mark.parametrize(
    ("message", "type_"),
    [
        (NOT_THERE.format("package/made"), "FileNotFoundError"),
        (NOT_THERE.format("there/made"), "FileNotFoundError"),
        (NOT_THERE.format("./toml-test/tests"), "FileNotFoundError"),
        (NOT_THERE.format("package/known.json"), "FileNotFoundError"),  # it lies elsewhere: a wrong folder
        (NOT_THERE.format("known.json"), "FileNotFoundError"),
        (NOT_THERE.format("/tmp/made/devices.json"), "FileNotFoundError"),
        (NOT_THERE.format("/usr/bin/program.bin"), "FileNotFoundError"),
        (NOT_THERE.format("xmlsec1"), "FileNotFoundError"),  # a program
        (NOT_THERE.format("devices.json"), "AssertionError"),
        ("[Errno 13] Permission denied: 'devices.json'", "FileNotFoundError"),
    ],
)
def test_other_failures_want_no_file_of_the_sdist(tree: Path, message: str, type_: str) -> None:
    assert lacking_files(failing(message, type_), tree) == ()


def test_a_run_that_passes_or_is_none_lacks_nothing(tree: Path) -> None:
    assert lacking_files(None, tree) == ()
    assert lacking_files(ran(passed=3), tree) == ()


def test_links_of_the_tree_are_not_followed(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "devices.json").touch()
    (tree / "away").symlink_to(outside)
    assert lacking_files(failing(NOT_THERE.format("devices.json")), tree) == ("devices.json",)


def test_tests_for_want_of_such_files_are_left_out_of_the_share() -> None:
    run = failing(NOT_THERE.format("devices.json"))
    more = replace(run, results=(*run.results[1:], run.results[-1]))  # 18 of 20
    none = DefinedTests(names={})
    assert assess(more, 0.95, lambda: none).setup_class is SetupClass.NOT_PROVEN
    with_names = assess(more, 0.95, lambda: none, absent=("devices.json",))
    assert with_names.setup_class is SetupClass.PROVEN_BUT_OUTSIDE


def test_the_class_of_a_set_up_that_stops_for_want_of_such_a_file() -> None:
    problem = Problem(type="FileNotFoundError", message=NOT_THERE.format("package/devices.json"))
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=(f"FileNotFoundError: {problem.message}",),
        python="3.8.18",
        instant=INSTANT,
        problems=(problem,),
        ran=1,
    )
    assert classify(failure) is ErrorClass.WRONG_FOLDER
    assert classify(replace(failure, absent=("devices.json",))) is ErrorClass.MISSING_DATA
    assert classify(replace(failure, absent=("others.json",))) is ErrorClass.WRONG_FOLDER
