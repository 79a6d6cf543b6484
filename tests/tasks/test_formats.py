"""What an older version wrote is read as what it meant.

``tests/data/format_1`` was written by the code before tasks had kinds: a data set of a published and a built
task, both verified, the ledger of a build, and the folder of a scored run.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_runner import make_task
from msgspec import structs
from task_builders import FakeTaskRunner, row

from backdate.construction.funnel import Funnel
from backdate.construction.funnel_reader import read_funnel, read_left
from backdate.construction.ledger_view import read_ledger
from backdate.construction.migration.examine import Examined
from backdate.construction.publish import read_funnel_file
from backdate.environments.environment import LockedDistribution
from backdate.errors import NewerFormat
from backdate.evaluation.run_folder import dataset_digest, load_run
from backdate.evaluation.scores import ScoreOutcome, load_scored_run
from backdate.serial import from_json, to_json
from backdate.tasks.dataset import SOURCE, TASKS, Dataset
from backdate.tasks.dataset_folder import INFO
from backdate.tasks.foreign.timemachine import row_of_task
from backdate.tasks.formats import read_task
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.quality.record import (
    HunkTrial,
    Leaks,
    QualityEvidence,
    QualityFlag,
    TaskQuality,
    TrialOutcome,
    TrialSettings,
    Weakness,
    finding_of,
)
from backdate.tasks.task import TASK_FORMAT, IssueFacts, KnownCulprit, PendingSetup, RecipeSetup, ScriptSetup
from backdate.tasks.verify_dataset import verify_dataset
from backdate.testing.outcomes import Outcome

OLD = Path(__file__).parent.parent / "data" / "format_1"
FIRST, SECOND = "tests.test_it.Shouting.test_it", "tests.test_it.Shouting.test_nothing"


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    shutil.copytree(OLD / "dataset", tmp_path / "dataset")
    return Dataset.open(tmp_path / "dataset")


def test_a_proof_of_format_3_says_nothing_of_builds(dataset: Dataset) -> None:
    task = dataset.task("owner/shouting")
    document = json.loads(to_json(task))
    assert document["proof"].pop("builds", None) is None
    before = read_task(json.dumps({**document, "format": 3}).encode(), what="a task")
    assert before == task
    locked = replace(task, proof=replace(task.proof, builds=(LockedDistribution(name="x", version="1"),)))
    assert read_task(to_json(locked), what="a task") == locked


def test_ids_of_format_4_are_those_of_every_pytest(dataset: Dataset) -> None:
    task = dataset.task("owner/shouting")
    document = json.loads(to_json(task)) | {"format": 4}
    document["tests"][0]["id"] = "a.py::A::()::test_a"
    document["patches"]["test"] = "a.py::A::()::test_a"
    read = read_task(json.dumps(document).encode(), what="a task")
    assert (read.tests[0].id, read.format) == ("a.py::A::test_a", TASK_FORMAT)
    assert read.patches.test == "a.py::A::()::test_a"


def test_an_issue_task_of_format_6_has_no_hints_and_no_wait_for_its_setup() -> None:
    facts = IssueFacts(origin="issue", title="area() is wrong", text="It gives the radius.")
    task = replace(make_task(), facts=facts)
    document = json.loads(to_json(task))
    for name in ("hints", "created"):
        document["facts"].pop(name, None)
    assert read_task(json.dumps({**document, "format": 6}).encode(), what="a task") == task
    known = structs.replace(facts, hints="Squared?", created=datetime(2021, 1, 2, tzinfo=UTC))
    pending = replace(task, facts=known, setup=PendingSetup())
    assert read_task(to_json(pending), what="a task") == pending
    assert (pending.is_pending, pending.recipe, pending.scripts) == (True, None, None)


def test_an_issue_task_of_format_5_says_nothing_of_its_quality() -> None:
    facts = IssueFacts(origin="issue", title="area() is wrong", text="It gives the radius.")
    task = replace(make_task(), facts=facts)
    document = json.loads(to_json(task))
    document["facts"].pop("quality", None)
    assert read_task(json.dumps({**document, "format": 5}).encode(), what="a task") == task
    quality = TaskQuality(
        backdate="1",
        flags=finding_of(QualityFlag.IMAGE, [QualityEvidence(line=2, words="a.png")]),
        leaks=Leaks(commits=1, network=False),
        weakness=Weakness(
            hunks=(HunkTrial(file="a.py", line=1, words="x", outcome=TrialOutcome.MISSED),),
            asked=TrialSettings(seed=3),
        ),
    )
    known = replace(task, facts=structs.replace(facts, quality=quality))
    assert read_task(to_json(known), what="a task") == known
    assert quality.codes == ("B8",)


def test_trials_of_format_7_do_not_say_what_was_asked_of_them() -> None:
    facts = IssueFacts(origin="issue", title="area() is wrong", text="It gives the radius.")
    weakness = Weakness(possible_mutants=2)
    known = structs.replace(facts, quality=TaskQuality(backdate="1", weakness=weakness))
    task = replace(make_task(), facts=known)
    document = json.loads(to_json(task))
    for name in ("asked", "halves", "possible_hunks"):
        document["facts"]["quality"]["weakness"].pop(name, None)
    document["facts"]["quality"]["weakness"]["seed"] = 3
    assert read_task(json.dumps({**document, "format": 7}).encode(), what="a task") == task


def test_a_published_task_is_the_same(dataset: Dataset) -> None:
    task = dataset.task("owner/shouting")
    assert (task.format, task.kind, task.difficulty) == (TASK_FORMAT, "migration", "easy")
    assert task.setup == ScriptSetup(setup="setup_owner__shouting.sh", test="test_owner__shouting.sh")
    assert migration_facts(task).old.python == "3.8.10"
    assert [(each.name, each.version) for each in task.environment.distributions] == [("markupsafe", "3.0.2")]
    outcomes = {test.id: (test.role, test.origin, test.start, test.reference) for test in task.tests}
    assert outcomes == {
        FIRST: ("fail-to-pass", Outcome.PASSED, Outcome.ERROR, Outcome.PASSED),
        SECOND: ("pass-to-pass", Outcome.PASSED, Outcome.PASSED, Outcome.PASSED),
    }
    assert task.proof is not None
    assert (task.proof.origin, task.proof.start, task.proof.reference) == ("pass", "fail", "pass")
    assert row_of_task(task) == row()


def test_a_built_task_is_the_same(dataset: Dataset) -> None:
    task = dataset.task("owner/built")
    assert isinstance(task.setup, RecipeSetup)
    (moved,) = task.setup.recipe.extra_cutoff_overrides
    assert (moved.name, moved.until) == ("cython", datetime(2021, 7, 1, tzinfo=UTC))
    facts = migration_facts(task)
    assert facts.culprits == (
        KnownCulprit(
            distribution="markupsafe",
            version="2.1.0",
            released=datetime(2022, 2, 17, tzinfo=UTC),
            confirmed=True,
        ),
    )
    assert facts.causes[0].startswith("missing-name: ImportError")
    assert [each.version for each in facts.old.distributions] == ["1.1.1"]
    assert not task.has_reference
    assert task.proof is not None
    assert task.proof.solvable == "later commit"
    assert (task.proof.origin, task.proof.start, task.proof.reference) == ("pass", "fail", "none")


def test_a_data_set_is_read_whole_and_written_in_the_new_format(dataset: Dataset) -> None:
    assert dataset.check() == ()
    assert all(dataset.source_of(task) == dataset.folder_of(task) / SOURCE for task in dataset.tasks)
    changed = dataset.updated([replace(dataset.tasks[0], difficulty="hard")])
    assert Dataset.open(dataset.folder) == changed
    assert changed.check() == ()
    stored = [json.loads(line) for line in (dataset.folder / TASKS).read_text().splitlines()]
    assert [value["format"] for value in stored] == [TASK_FORMAT, TASK_FORMAT]
    assert [value["facts"]["kind"] for value in stored] == ["migration", "migration"]
    assert json.loads((dataset.folder / INFO).read_text())["format"] == 2


def test_its_tasks_are_verified_as_before(dataset: Dataset) -> None:
    before = {task.instance_id: task.tests for task in dataset.tasks}
    after, records = verify_dataset(dataset, FakeTaskRunner(), repeats=1)
    assert all(record.verification.verified for record in records)
    assert {task.instance_id: task.tests for task in after.tasks} == before


def test_a_task_of_a_newer_version_is_refused(dataset: Dataset) -> None:
    newer = to_json(replace(dataset.tasks[0], format=TASK_FORMAT + 1))
    with pytest.raises(NewerFormat, match=f"line 7 has format {TASK_FORMAT + 1}"):
        read_task(newer, what="line 7")


def test_a_run_and_its_scores_are_read() -> None:
    info, records = load_run(OLD / "run")
    assert (info.settings.solver, len(records)) == ("gold", 2)
    tasks = [make_task("o__n-0"), make_task("o__n-1")]
    assert info.dataset == dataset_digest(tasks)  # so that the run can be gone on with
    scored = load_scored_run(OLD / "run")
    assert [score.outcome for score in scored.scores] == [ScoreOutcome.SOLVED, ScoreOutcome.SOLVED]
    facts = scored.info.tasks[0]
    assert (facts.origin, facts.target, facts.has_reference) == (
        "2020-01-01, Python 3.7.6",
        "2024-01-01, Python 3.12.1",
        True,
    )


def test_a_ledger_is_read() -> None:
    with read_ledger(OLD / "dataset.build") as ledger:
        ((number, answer),) = ledger.tasks()
        task = read_task(answer, what="the ledger")
        waiting = [row.candidate.name for row in ledger.rows("run")]
        examined = [from_json(Examined, row.examined or b"", what="it") for row in ledger.rows("task")]
    assert (number, task.kind, task.source.name, waiting) == (
        1,
        "migration",
        "owner/built",
        ["owner/waiting"],
    )
    assert isinstance(task.setup, RecipeSetup)
    assert [each.name for each in task.setup.recipe.extra_cutoff_overrides] == ["cython"]
    assert examined[0].version_hint == "1.2.3"
    funnel = read_funnel(OLD / "dataset")
    assert (funnel.candidates, funnel.tasks, funnel.waiting) == (4, 1, 1)
    assert [gone.name for gone in read_left(OLD / "dataset", "source")] == ["owner/gone"]


def test_a_published_funnel_is_read() -> None:
    file = read_funnel_file(OLD / "funnel.json")
    assert isinstance(file.funnel, Funnel)
    assert [(gone.name, gone.stage) for gone in file.excluded] == [("x:1", "row"), ("owner/gone", "source")]
