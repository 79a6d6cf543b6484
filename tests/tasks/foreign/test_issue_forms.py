"""Issue tasks in the forms of other people's harnesses."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from issue_rows import (
    DATASET,
    GOLD,
    PROJECT,
    RECIPE,
    RULE,
    TEST_PATCH,
    TESTS,
    case,
    evaluated,
    issue_task,
    live_row,
    rebench_v2_row,
    shapes_repository,
    swe_bench_row,
)
from slow_tests import others_slow

from backdate.errors import UsageError
from backdate.recipes.recipe import NOSE_SETUPS, STAND_IN_SETTINGS, SuitePlan, SystemPackages
from backdate.tasks.dataset import Dataset
from backdate.tasks.foreign.container import container_file
from backdate.tasks.foreign.eval_script import END, START
from backdate.tasks.foreign.exporting import export_tasks
from backdate.tasks.foreign.issue_rows import task_of_issue_row
from backdate.tasks.foreign.reported_tests import (
    first_word,
    reported_name,
    reported_tests,
    reporting_commands,
)
from backdate.tasks.foreign.row_forms import RowForm, form_of
from backdate.tasks.task import Task
from backdate.tasks.trees import Sources


@pytest.fixture
def exported(tmp_path: Path):
    """Writes the task in a form; the path that was written."""

    def export(form: str, task: Task | None = None) -> Path:
        clone = tmp_path / "clones" / "owner" / "shapes"
        commit = shapes_repository(clone) if not clone.exists() else ""
        made = task or issue_task(commit)
        sources = Sources(
            index_url="https://index.example/simple",
            downloads=tmp_path / "d",
            pages=tmp_path / "p",
            repositories=tmp_path / "clones",
        )
        dataset = Dataset.create(tmp_path / "set", [made], DATASET)
        export_tasks(dataset, dataset.tasks, form, tmp_path / "out", sources=sources)
        return tmp_path / "out"

    return export


def test_an_instance_of_swe_bench_has_all_its_fields(exported) -> None:
    instance = json.loads(exported("swebench").read_text())
    assert set(swe_bench_row()) <= set(instance)
    assert (instance["patch"], instance["test_patch"]) == (GOLD, TEST_PATCH)
    assert instance["problem_statement"] == "area() is wrong\nIt gives the radius.\n"
    assert (instance["hints_text"], instance["created_at"]) == ("Of a square?", "2024-03-02T10:00:00Z")
    assert (instance["version"], instance["origin"]) == ("1.2", "issue")
    assert json.loads(instance["FAIL_TO_PASS"]) == ["test_shapes.py::test_two"]
    assert json.loads(instance["PASS_TO_PASS"]) == ["test_shapes.py::test_one"]
    assert instance["environment_setup_commit"] == instance["base_commit"]


@pytest.mark.parametrize(
    ("form", "row", "own"),
    [
        ("swebench-live", live_row(), RowForm.SWE_BENCH_LIVE),
        ("swe-rebench-v2", rebench_v2_row(), RowForm.SWE_REBENCH_V2),
    ],
)
def test_rows_of_other_sets_are_read_again_as_the_same_task(exported, form, row, own) -> None:
    written = json.loads(exported(form).read_text())
    assert set(row) <= set(written)
    assert form_of(written, what="the row") is own
    again = task_of_issue_row(written, own)
    ours = issue_task(written["base_commit"])
    assert (again.patches, again.source.revision) == (ours.patches, ours.source.revision)
    assert written["FAIL_TO_PASS"] == ["test_shapes.py::test_two"]
    if own is RowForm.SWE_BENCH_LIVE:
        assert (written["pull_number"], written["issue_numbers"]) == ("12", ["7", "9"])
    else:
        assert written["meta"]["llm_metadata"] == []
        assert written["install_config"]["test_cmd"] == ["python -m pytest -rA --color=no"]


@pytest.mark.parametrize(
    ("form", "row"),
    [("swebench", swe_bench_row()), ("swebench-live", live_row()), ("swe-rebench-v2", rebench_v2_row())],
)
def test_an_imported_row_is_written_as_it_was(exported, form: str, row) -> None:
    imported = task_of_issue_row(row, form_of(row, what="the row"))
    assert json.loads(exported(form, imported).read_text()) == row


def test_what_is_not_set_up_or_not_proven_is_refused(exported) -> None:
    pending = task_of_issue_row(live_row(), RowForm.SWE_BENCH_LIVE)
    with pytest.raises(UsageError, match="bench verify"):
        exported("swe-rebench-v2", pending)


def test_names_are_those_that_the_log_parsers_read() -> None:
    assert reported_name("a.py::test[x \t  y\x1b[1m]") == "a.py::test[x y]"
    assert first_word("a.py::test[log(photon /  cm)]") == "a.py::test[log(photon"
    tests = [
        case("test_a[x  y]", "fail-to-pass"),
        case("test_a[x y]", "pass-to-pass"),
        case("test_b[1 2]", "fail-to-pass"),
        case("test_b[1 3]", "fail-to-pass"),
        case("test_c#2", "fail-to-pass"),
    ]
    told = reported_tests(issue_task(tests=tests))
    assert told.fail_to_pass == ("test_shapes.py::test_b[1 2]", "test_shapes.py::test_b[1 3]")
    assert told.pass_to_pass == ()
    assert len(told.unreported) == 3
    live = reported_tests(issue_task(tests=tests), first_word)
    assert live.fail_to_pass == ("test_shapes.py::test_b[1",)


@pytest.mark.parametrize("fixed", others_slow([True, False], kept=[True]))
def test_the_script_lays_the_tests_over_an_answer_and_tells_each(tmp_path: Path, fixed: bool) -> None:
    log = evaluated(tmp_path, issue_task(), fixed=fixed)
    assert "PASSED test_shapes.py::test_one" in log
    assert ("PASSED" if fixed else "FAILED") + " test_shapes.py::test_two" in log


@pytest.mark.parametrize("fixed", [True, False])
def test_unittest_is_made_to_tell_its_tests_by_their_ids(tmp_path: Path, fixed: bool) -> None:
    from backdate.editing.diff import diff_files

    old = b"import unittest\nfrom shapes import area\n\n\nclass Shapes(unittest.TestCase):\n    pass\n"
    new = old.replace(
        b"    pass\n",
        b'    def test_two(self):\n        """A docstring."""\n        self.assertEqual(area(2), 4)\n',
    )
    plan = SuitePlan(runner="unittest", targets=("test_shapes",), provenance=RULE)
    task = issue_task(recipe=replace(RECIPE, test=plan))
    patches = replace(task.patches, test=diff_files({"test_shapes.py": old}, {"test_shapes.py": new}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PROJECT, "test_shapes.py", old)
        log = evaluated(tmp_path, replace(task, patches=patches), fixed=fixed)
    assert f"\n{'PASSED' if fixed else 'FAILED'} test_shapes.Shapes.test_two\n" in log


def test_a_program_of_the_projects_own_is_refused_unless_it_runs_pytest() -> None:
    plan = SuitePlan(runner="program", targets=("runtests.py",), provenance=RULE)
    task = issue_task(recipe=replace(RECIPE, test=plan))
    assert reporting_commands(task) == ("PYTEST_ADDOPTS='-rA --color=no' python runtests.py",)
    other = replace(task, tests=(replace(TESTS[0], id="tests.Shapes.test_two"),))
    with pytest.raises(UsageError, match="no harness can read"):
        reporting_commands(other)


def test_what_nose_calls_around_tests_comes_with_the_script(tmp_path: Path) -> None:
    plan = SuitePlan(runner="pytest", environment=((NOSE_SETUPS, "1"),), provenance=RULE)
    task = issue_task(recipe=replace(RECIPE, test=plan))
    plain = b"class TestShapes:\n    def setUp(self):\n        self.wanted = 4\n"
    plain += (
        b"    def test_two(self):\n        from shapes import area\n        assert area(2) == self.wanted\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(PROJECT, "test_plain.py", plain)
        patch.setattr("backdate.tasks.scripts.WRITTEN", str(tmp_path / "written"))
        log = evaluated(tmp_path, task, fixed=True)
    assert "PASSED test_plain.py::TestShapes::test_two" in log


@pytest.mark.parametrize("runner", ["pytest", "django", "script"])
def test_suites_in_a_folder_keep_their_own_variables(runner: Literal["pytest", "django", "script"]) -> None:
    own = (("PYTHONPATH", "lib"), ("PYTEST_ADDOPTS", "-x"), (NOSE_SETUPS, "1"))
    own += (("DJANGO_SETTINGS_MODULE", STAND_IN_SETTINGS),) if runner == "django" else ()
    plan = SuitePlan(runner=runner, targets=("run.sh",), cwd="sub", environment=own, provenance=RULE)
    (script,) = reporting_commands(issue_task(recipe=replace(RECIPE, test=plan)))
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)
    last = script.splitlines()[-1]
    assert last.startswith("(cd sub && ")
    assert ("PYTHONPATH=/tmp/backdate:lib " in last) == (runner != "script")
    assert ("backdate_capture_settings.py" in script) == (runner == "django")
    assert ("PYTEST_ADDOPTS='-x -rA --color=no' " in last) == (runner == "script")


def test_a_folder_of_a_task_repository(exported) -> None:
    folder = exported("swebench-tasks") / "tasks" / "owner__shapes-12"
    assert {path.name for path in folder.iterdir()} == {
        *("task.yaml", "tests.json", "problem_statement.md", "hints.md", "gold.patch", "test.patch"),
        *("eval.sh", "Dockerfile", "source.tar.gz", "setup.sh"),
    }
    with tarfile.open(folder / "source.tar.gz") as tar:
        assert sorted(tar.getnames()) == sorted(PROJECT)
    subprocess.run(["bash", "-n", str(folder / "eval.sh")], check=True)
    subprocess.run(["bash", "-n", str(folder / "setup.sh")], check=True)
    assert "r * r" not in (folder / "Dockerfile").read_text() + (folder / "problem_statement.md").read_text()
    about = dict(line.split(": ", 1) for line in (folder / "task.yaml").read_text().splitlines())
    assert json.loads(about["image"]) == "swebench/sweb.eval.x86_64.owner_1776_shapes-12:latest"
    assert json.loads(about["datasets"]) == ["backdate/my-set"]


def test_a_harbor_folder_of_an_issue(exported, tmp_path: Path) -> None:
    folder = exported("harbor") / "owner__shapes-12"
    settings = tomllib.loads((folder / "task.toml").read_text())
    assert (settings["schema_version"], settings["environment"]["network_mode"]) == ("1.4", "no-network")
    assert settings["metadata"]["environment_instant"] == "2024-03-02T00:00:00Z"
    assert not (folder / "environment" / "tests.json").exists()
    one, two = "PASSED test_shapes.py::test_one\n", "PASSED test_shapes.py::test_two\n"
    logs = {
        f"+ : '{START}'\n{one}{two}{END}\n": "1",
        f"+ : '{START}'\n{one}{two.replace('PASSED', 'FAILED')}{END}\n": "0",
        f"{one}{two}+ : '{START}'\n{END}\n": "0",
    }
    tests = folder / "tests"
    for number, (log, reward) in enumerate(logs.items()):
        file = tmp_path / f"log{number}"
        file.write_text(log)
        words = [sys.executable, str(tests / "grade.py"), str(file), str(tests / "tests.json")]
        graded = subprocess.run(words, capture_output=True, text=True, check=True)
        assert graded.stdout.strip() == reward


def test_a_docker_context_of_an_issue(exported) -> None:
    folder = exported("docker") / "owner__shapes-12"
    subprocess.run(["sh", "-n", str(folder / "build.sh")], check=True)
    assert "FROM ${PYTHON_IMAGE}" in (folder / "Dockerfile").read_text()
    assert (folder / "gold.patch").read_text() == GOLD


def test_what_is_no_name_of_a_package_adds_no_line_to_a_dockerfile() -> None:
    wanted = SystemPackages(manager="apt", packages=("libxml2-dev", 'x"\nRUN evil'), provenance=RULE)
    task = issue_task(recipe=replace(RECIPE, system=(wanted,)))
    (line,) = [line for line in container_file(task).splitlines() if line.startswith("ARG SYSTEM_PACKAGES=")]
    assert "libxml2-dev" in line.split()
    assert "evil" not in container_file(task)


def test_the_words_of_an_issue_are_in_parquet(exported) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    (row,) = parquet.read_table(exported("parquet") / "data" / "test-00000-of-00001.parquet").to_pylist()
    assert (row["task_kind"], row["hints_text"]) == ("issue", "Of a square?")
    assert row["problem_statement"].startswith("area() is wrong\n")
    assert msgspec.json.decode(row["task"])["facts"]["kind"] == "issue"
