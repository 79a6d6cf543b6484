"""From a repository's history to issue tasks: gold passes, nothing fails, and what is built is built once."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from changed_project import ChangedProject, make_changed_project
from small_world import running_index

from backdate.construction.change_costs import read_change_costs
from backdate.construction.publish import read_funnel_file
from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.tasks.dataset import Dataset
from backdate.tasks.dataset_folder import CARD
from backdate.tasks.judging import is_verified
from backdate.tasks.task import IssueFacts

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Built:
    """A build of the small project."""

    folder: Path
    index: str
    project: ChangedProject

    @property
    def dataset(self) -> Dataset:
        return Dataset.open(self.folder / "set")

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.run_alone(*words, "--index-url", self.index, "--cache", str(self.folder / "cache"))

    def run_alone(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Of a command that asks no index."""
        return subprocess.run(
            [sys.executable, "-m", "backdate", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def build(self, *more: str) -> subprocess.CompletedProcess[str]:
        words = ("issues", "build", str(self.folder / "list.txt"), "-o", str(self.folder / "set"))
        return self.run(*words, "--repos", str(self.folder), "--repeats", "2", "--attempts", "2", *more)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox: {error}")
    folder = tmp_path_factory.mktemp("issues")
    project = make_changed_project(folder / "someone+shapes")
    (folder / "list.txt").write_text("https://code.example/someone/shapes\nhttps://code.example/no/where\n")
    with running_index() as index:
        made = Built(folder=folder, index=index, project=project)
        done = made.build("--jobs", "2")
        assert done.returncode == 0, done.stderr
        yield made


def test_every_change_is_a_task_or_has_its_reason(built: Built) -> None:
    file = read_funnel_file(built.folder / "set" / "funnel.json")
    assert file.target is None
    assert (file.funnel.candidates, file.funnel.tasks, file.funnel.waiting) == (7, 2, 0)
    assert {
        stage.name: [reason.kind for reason in stage.reasons] for stage in file.funnel.stages if stage.left
    } == {
        "change": ["no-pull-request"],
        "files": ["not-text"],
        "test-patch": ["no-test-changed"],
        "code-patch": ["no-code-changed"],
        "fail-to-pass": ["nothing-fixed"],
    }
    assert file.repositories is not None
    assert (file.repositories.funnel.candidates, file.repositories.funnel.tasks) == (2, 1)
    (found,) = file.repositories.yields
    assert (found.name, found.changes, found.ran, found.set_up, found.tasks) == ("someone/shapes", 7, 3, 3, 2)
    assert [(gone.name, gone.stage) for gone in file.repositories.excluded] == [("no/where", "source")]


def test_a_task_is_the_base_with_its_text_and_the_day_it_was_begun(built: Built) -> None:
    area, cube = built.dataset.task("someone__shapes-1"), built.dataset.task("someone__shapes-6")
    assert isinstance(area.facts, IssueFacts)
    assert (area.facts.origin, area.facts.title) == ("pull", "Multiply the sides in area()")
    assert area.facts.merged is not None
    assert area.environment.instant < area.facts.merged
    assert built.project.git("cat-file", "-t", area.source.revision) == "commit"
    assert "side * side" in area.patches.reference
    assert "tests/" not in area.patches.reference
    assert "test_area" in area.patches.test
    assert {test.id.rpartition(".")[2]: test.role for test in area.tests} == {
        "test_twice": "pass-to-pass",
        "test_area_of_two": "pass-to-pass",
        "test_area": "fail-to-pass",
    }
    assert is_verified(area)
    assert area.proof is not None
    assert (area.proof.origin, area.proof.start, area.proof.reference) == ("none", "fail", "pass")
    assert "behaviours: 1 fail to pass, 2 pass to pass, 0 fail to fail, 0 pass to fail" in area.proof.notes
    assert "tests/test_cube.py" in cube.test_files  # of a file that is not there before it is judged
    assert [test.role for test in cube.tests].count("fail-to-pass") == 1


@pytest.mark.slow
def test_the_known_solution_passes_and_nothing_fails(built: Built) -> None:
    gold = [
        {
            "instance_id": task.instance_id,
            "model_name_or_path": "gold",
            "model_patch": task.patches.reference if number else "",
        }
        for number, task in enumerate(built.dataset.tasks)
    ]
    file = built.folder / "predictions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in gold))
    scored = built.run("score", str(built.folder / "set"), "--predictions", str(file), "-o", f"{file}.scores")
    assert scored.returncode == 0, scored.stderr
    assert "1 of 2 tasks solved" in scored.stdout
    assert "1 empty" in scored.stdout


@pytest.mark.slow
def test_half_of_the_known_solution_passes_nowhere(built: Built) -> None:
    for half in ("half", "half:second"):
        run = str(built.folder / half.replace(":", "-"))
        answered = built.run("eval", str(built.folder / "set"), "--solver", half, "-o", run)
        assert answered.returncode == 0, answered.stderr
        scored = built.run("score", str(built.folder / "set"), run, "-o", f"{run}.scores")
        assert scored.returncode == 0, scored.stderr
        assert "0 of 2 tasks solved" in scored.stdout


def test_the_card_says_what_the_tasks_leave_out(built: Built) -> None:
    qualities = [task.facts.quality for task in built.dataset.tasks if isinstance(task.facts, IssueFacts)]
    assert len(qualities) == 2
    assert all(each is not None and each.strictness is not None for each in qualities)
    assert "tasks that were measured" in (built.folder / "set" / CARD).read_text()


@pytest.mark.slow
def test_a_finished_build_does_nothing(built: Built) -> None:
    ledger = built.folder / "set.build" / "ledger.sqlite"
    before = ledger.read_bytes()
    again = built.build("--resume")
    assert again.returncode == 0, again.stderr
    assert "2 tasks" in again.stdout
    assert ledger.read_bytes() == before
    refused = built.build("--resume", "--kind", "issue")
    assert refused.returncode == 3
    assert "other parameters" in refused.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kind", "pull,commit"), "is not a list of issue, pull, changelog"),
        (("--source", "letters"), "is none of history, github and given:FILE"),
        (("--source", "given:nowhere.jsonl"), "there is no such file"),
    ],
)
def test_what_is_no_option_is_refused(built: Built, words: tuple[str, ...], said: str) -> None:
    refused = built.build(*words)
    assert refused.returncode == 3
    assert said in refused.stderr


@pytest.mark.slow
def test_what_a_stopped_build_has_is_a_data_set_and_the_build_stays(built: Built) -> None:
    stopped = built.folder / "stopped.build"
    shutil.copytree(built.folder / "set.build", stopped)
    with closing(sqlite3.connect(stopped / "ledger.sqlite")) as database, database:
        database.execute("UPDATE candidates SET state = 'run' WHERE task = 'someone__shapes-1'")
    before = (stopped / "ledger.sqlite").read_bytes()
    where = ("--repos", str(built.folder), "--cache", str(built.folder / "cache"))
    words = ("bench", "snapshot", str(stopped), "-o", str(built.folder / "so-far"), *where)
    written = built.run_alone(*words)
    assert written.returncode == 0, written.stderr
    assert "1 tasks in" in written.stdout
    (task,) = Dataset.open(built.folder / "so-far").tasks
    assert is_verified(task)
    assert replace(task, facts=None) == replace(built.dataset.task("someone__shapes-6"), facts=None)
    assert read_funnel_file(built.folder / "so-far" / "funnel.json").funnel.waiting == 1
    assert (stopped / "ledger.sqlite").read_bytes() == before
    again = built.run_alone(*words)
    assert again.returncode == 3
    assert built.run_alone("bench", "snapshot", str(built.folder), "-o", "x").returncode == 3


def test_the_funnel_tells_what_changes_cost_beyond_their_tests(built: Built) -> None:
    (cost,) = read_change_costs(built.folder / "set")
    assert cost.first is not None
    assert len(cost.further) == 2
    for change in (cost.first, *cost.further):
        assert change.set_up
        assert change.beyond_cpu_s is not None
        assert change.tests_s > 0 < change.beyond_cpu_s
    shown = built.run_alone("bench", "funnel", str(built.folder / "set"), "--costs")
    assert shown.returncode == 0, shown.stderr
    assert "someone/shapes" in shown.stdout
    assert "of 2 further changes took at most 10 s beyond their test runs" in shown.stdout
