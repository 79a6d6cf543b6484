"""A tiny published task from end to end: a real library that removed a name, real environments, real runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from task_builders import MODULE, PUBLISHED, repository, row, task

from backdate.checking.settings import Settings
from backdate.environments.environment import BuildFailure, Environment
from backdate.tasks.dataset import Dataset
from backdate.tasks.foreign.importing import import_rows
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.trees import Sources
from backdate.tasks.verify_dataset import verify_dataset
from backdate.tasks.verify_task import verify_task
from backdate.testing.outcomes import Outcome

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def _local_runner(cache: Path, index_url: str, **sources: object) -> LocalRunner:
    settings = Settings(cache=cache, index_url=index_url)
    where = Sources(index_url=index_url, downloads=cache / "d", pages=cache / "index", **sources)
    return LocalRunner(settings, where)


@pytest.mark.slow
def test_import_verify_and_verify_again_elsewhere(tmp_path: Path, cache: Path, index_url: str) -> None:
    commit = repository(tmp_path / "clones" / "owner" / "shouting")
    (tmp_path / "rows.jsonl").write_text(json.dumps(row(commit=commit)) + "\n")
    sources = Sources(
        index_url=index_url, downloads=cache / "d", pages=cache / "index", repositories=tmp_path / "clones"
    )
    dataset = import_rows(tmp_path / "rows.jsonl", tmp_path / "set", sources=sources)
    shutil.rmtree(tmp_path / "clones")  # from here on the data set alone

    task_runner = _local_runner(cache, index_url, archive=dataset.source_of)
    after, records = verify_dataset(dataset, task_runner, repeats=2)
    found = records[0].verification
    assert found.verified, found.reason
    assert found.agreement is not None
    assert (found.agreement.compared, found.agreement.agreeing) == (1, 1)
    roles = {test.id: (test.role, test.start) for test in after.tasks[0].tests}
    assert roles == {
        "tests.test_it.Shouting.test_it": ("fail-to-pass", Outcome.FAILED),
        "tests.test_it.Shouting.test_nothing": ("pass-to-pass", Outcome.PASSED),
    }
    proof = after.tasks[0].proof
    assert proof is not None
    assert proof.judge is not None
    assert ("test_it", "wrapped") in {
        (one.function.rpartition(".")[2], one.kind.value) for one in proof.judge.changes
    }
    assert {"markupsafe": "1.1.1"}.items() <= {
        d.name: d.version for d in migration_facts(after.tasks[0]).old.distributions
    }.items()

    shutil.copytree(
        tmp_path / "set", tmp_path / "copy", ignore=shutil.ignore_patterns("verification.json", "logs")
    )
    copy = Dataset.open(tmp_path / "copy")
    _, again = verify_dataset(copy, _local_runner(cache, index_url, archive=copy.source_of), repeats=1)
    assert again[0].verification.verified


@pytest.mark.slow
def test_what_no_answer_has_a_part_in_runs_once(tmp_path: Path, cache: Path, index_url: str) -> None:
    one = task(commit=repository(tmp_path / "clones" / "owner" / "shouting"))
    runs, folders = [], []
    for number in range(2):
        task_runner = _local_runner(cache, index_url, repositories=tmp_path / "clones")
        tree, logs = tmp_path / f"tree-{number}", tmp_path / f"logs-{number}"
        task_runner.make_tree(one, tree)
        with task_runner.for_changed_trees(1 << 30) as (changed, _):
            runs.append(changed.run_before_answers(one, tree, log_folder=logs))
        folders.append(logs.exists())
    assert folders == [True, False]
    assert runs[0] == runs[1]
    assert runs[0] is not None
    (failed,) = [result for result in runs[0].results if result.outcome.bad]
    assert failed.raised[-1].frames, "flags follow its traceback"

    (tree / "shouting.py").write_text("raise SystemExit(7)\n")
    other = task_runner.run_before_answers(one, tree, log_folder=tmp_path / "other")
    assert other is not None
    assert other.results != runs[0].results


@pytest.mark.slow
def test_pytest_by_script_and_an_editable_install(tmp_path: Path, cache: Path, index_url: str) -> None:
    setup = b"from setuptools import setup\nsetup(name='shouting', version='1', py_modules=['shouting'])\n"
    files = {
        **PUBLISHED,
        "setup.py": setup,
        "tests/test_plain.py": (
            b"import shouting\n\ndef test_name():\n    assert shouting.shout('b') == 'B'\n"
        ),
    }
    commit = repository(tmp_path / "clones" / "owner" / "shouting", files)
    one = task(
        commit=commit,
        setup="pip install -e .\npip install -r requirements.txt\npip install pytest\necho made > made.txt",
        test="test -f made.txt\npython -m pytest .",
    )
    task_runner = _local_runner(cache, index_url, repositories=tmp_path / "clones")
    found, proven = verify_task(one, task_runner, log_folder=tmp_path / "logs", repeats=1)
    assert found.verified, [(stage.stage, stage.reason) for stage in found.stages]
    assert {test.id: test.role for test in proven.tests}["tests/test_plain.py::test_name"] == "fail-to-pass"


@pytest.mark.slow
def test_a_script_that_fails_and_one_that_only_pip_can(tmp_path: Path, cache: Path, index_url: str) -> None:
    task_runner = _local_runner(cache, index_url, repositories=tmp_path / "clones")
    commit = repository(tmp_path / "clones" / "owner" / "shouting")

    def build(setup: str, side: str):
        one = task(commit=commit, setup=setup)
        tree = tmp_path / f"tree-{len(list(tmp_path.iterdir()))}"
        task_runner.make_tree(one, tree, "origin" if side == "origin" else None)
        assert (tree / "shouting.py").read_bytes() == MODULE
        return task_runner.build(one, tree, side)

    failed = build("pip install -r requirements.txt\nexit 7", "target").answer
    assert isinstance(failed, BuildFailure)
    by_pip = build("pip install --no-clean -r requirements.txt", "origin")
    assert isinstance(by_pip.answer, Environment)
    assert by_pip.answer.installer.startswith("pip 21.1.2 through the index")
    assert {one.name: one.version for one in by_pip.answer.lock.distributions}["markupsafe"] == "1.1.1"


def test_an_interpreter_that_cannot_be_had_is_the_tasks_own_trouble(
    tmp_path: Path, cache: Path, index_url: str
) -> None:
    commit = repository(tmp_path / "clones" / "owner" / "shouting")
    one = task(commit=commit, reproduction_target_version="3.1.0")
    task_runner = _local_runner(cache, index_url, repositories=tmp_path / "clones")
    found, _ = verify_task(one, task_runner, log_folder=tmp_path / "logs", repeats=1)
    assert found.stages[0].state == "unbuilt"
    assert "Python 3.1.0 is wanted" in found.reason
