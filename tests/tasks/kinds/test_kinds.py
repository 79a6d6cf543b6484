"""Every kind of task is loaded, shown, verified and scored by the same machinery; its rules are data."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import builders
import pytest
from fake_runner import make_task

import backdate
from backdate.cli.render_tasks import task_lines
from backdate.editing.diff import diff_files
from backdate.errors import UsageError
from backdate.evaluation.answers import Submission
from backdate.evaluation.scores import ScoreOutcome
from backdate.evaluation.scoring import ScorePlan, score_answer
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.solvers.loop import Budget
from backdate.solvers.prompts import rules_text, task_text
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.foreign.exporting import FORM_KINDS, FORMATS, export_tasks
from backdate.tasks.judging import judge_run
from backdate.tasks.kinds.choose import edit_policy_of, environment_of, kind_of, layers_of, stages_of
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import (
    TASK_FORMAT,
    IssueFacts,
    Patches,
    RecipeSetup,
    SnippetFacts,
    StageName,
    Task,
    TaskEnvironment,
    TaskSource,
)
from backdate.tasks.trees import Sources, lay_patches
from backdate.tasks.verify_task import verify_task
from backdate.testing.outcomes import Outcome

INSTANT = datetime(2024, 5, 1, tzinfo=UTC)
MODULE, FIXED = b"def area(r):\n    return r\n", b"def area(r):\n    return r * r\n"
HIDDEN = b"from shapes import area\n\n\ndef test_area():\n    assert area(2) == 4\n"
BASE = Task(
    instance_id="o__n-0123456789ab",
    facts=IssueFacts(origin="issue", title="area() is wrong", text="It gives the radius."),
    source=TaskSource(kind="git", name="o/n", url="https://example.org/o/n", revision="0" * 40),
    environment=TaskEnvironment(instant=INSTANT, python="3.12.1"),
    setup=RecipeSetup(
        recipe=Recipe(install=(), test=SuitePlan(runner="pytest", provenance=Provenance(rule="for a test")))
    ),
    test_files=("test_shapes.py",),
)
ISSUE = replace(
    BASE,
    patches=Patches(
        test=diff_files({}, {"test_shapes.py": HIDDEN}),
        reference=diff_files({"shapes.py": MODULE}, {"shapes.py": FIXED}),
    ),
)
SNIPPET = replace(
    BASE,
    facts=SnippetFacts(
        origin=TaskEnvironment(instant=datetime(2020, 1, 1, tzinfo=UTC), python="3.8.10"),
        file="shapes.py",
        function="area",
        library="numpy",
        origin_version="1.26.4",
        target_version="2.0.0",
    ),
    patches=Patches(reference=ISSUE.patches.reference),
)


class Runner:
    """Lays patches on ``shapes.py``; the hidden tests pass when they are there and the module is right."""

    def __init__(self, *, hidden: bool) -> None:
        self.hidden = hidden
        self.environments: list[str] = []

    def make_tree(self, task: Task, target: Path, stage: StageName | None = None) -> None:
        target.mkdir(parents=True)
        (target / "shapes.py").write_bytes(MODULE)
        if not self.hidden:
            (target / "test_shapes.py").write_bytes(HIDDEN)
        lay_patches(task, target, layers_of(task, stage))

    def run_tests(self, task, tree: Path, environment, *, log_folder: Path, only=()) -> TaskRunResult:
        self.environments.append(environment)
        assert (tree / "test_shapes.py").read_bytes() == HIDDEN, "the tests that judge are not there"
        good = environment == "origin" or b"r * r" in (tree / "shapes.py").read_bytes()
        outcome = Outcome.PASSED if good else Outcome.FAILED
        run = replace(
            builders.run(builders.result("test_shapes.py::test_area", outcome)), exit_code=int(not good)
        )
        solved, reason = judge_run(task, run, environment)
        return TaskRunResult(solved=solved, run=run, reason=reason)


@pytest.mark.parametrize(
    ("task", "stages", "environments"),
    [
        (ISSUE, ["start", "reference"], ["target", "target"]),
        (SNIPPET, ["origin", "start", "reference"], ["origin", "target", "target"]),
    ],
    ids=["issue", "snippet"],
)
def test_one_verifier_runs_the_stages_of_every_kind(tmp_path: Path, task: Task, stages, environments) -> None:
    runner = Runner(hidden=task.kind == "issue")
    verification, proven = verify_task(task, runner, log_folder=tmp_path, repeats=1)
    assert (verification.verified, verification.reason) == (True, "")
    assert [stage.stage for stage in verification.stages] == stages
    assert runner.environments == environments
    assert [test.role for test in proven.tests] == ["fail-to-pass"]
    assert proven.proof is not None
    assert proven.proof.origin == ("pass" if "origin" in stages else "none")
    wrong = task.with_reference(task.patches.reference.replace("r * r", "r + r"))
    assert verify_task(wrong, runner, log_folder=tmp_path, repeats=1)[0].reason.startswith(
        f"{kind_of(task).stages[-1].title}: fail instead of pass"
    )


@pytest.mark.parametrize("task", [ISSUE, SNIPPET], ids=["issue", "snippet"])
def test_one_scorer_scores_every_kind(tmp_path: Path, task: Task) -> None:
    plan = ScorePlan(
        tasks=(task,), answers={}, task_runner=Runner(hidden=task.kind == "issue"), folder=tmp_path
    )
    solved = score_answer(plan, task, Submission(patch=task.patches.reference))
    assert (solved.outcome, solved.precision) == (ScoreOutcome.SOLVED, 1.0)
    half = task.patches.reference.replace("r * r", "r + r")
    assert score_answer(plan, task, Submission(patch=half)).outcome is ScoreOutcome.TESTS_FAILED


def test_an_issue_s_answer_may_add_files_and_no_other_kind_s(tmp_path: Path) -> None:
    added = diff_files({}, {"more.py": b"x = 1\n"})
    outcomes = []
    for task in (ISSUE, SNIPPET):
        folder = tmp_path / task.kind
        plan = ScorePlan(
            tasks=(task,), answers={}, task_runner=Runner(hidden=task.kind == "issue"), folder=folder
        )
        score = score_answer(plan, task, Submission(patch=task.patches.reference + added))
        outcomes.append((score.outcome, score.dropped))
    assert outcomes == [
        (ScoreOutcome.SOLVED, ()),
        (ScoreOutcome.SOLVED, ("more.py: the task asks for a change of another file",)),
    ]
    assert [edit_policy_of(task).whole_files for task in (ISSUE, SNIPPET, make_task())] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("task", [ISSUE, SNIPPET, make_task()], ids=["issue", "snippet", "migration"])
def test_no_answer_may_change_tests_or_what_is_installed(task: Task) -> None:
    policy = edit_policy_of(task)
    for path in (task.test_files[0], "conftest.py", "setup.cfg", "requirements.txt", ".git/config"):
        assert policy.why_not(path), path


@pytest.mark.parametrize("task", [ISSUE, SNIPPET], ids=["issue", "snippet"])
def test_every_kind_is_stored_and_shown(tmp_path: Path, task: Task) -> None:
    info = DatasetInfo(name="a set", created=INSTANT, made_by="a test")
    dataset = Dataset.create(tmp_path / "set", [task], info)
    assert Dataset.open(dataset.folder).tasks == (task,)
    assert dataset.check() == ()
    stored = json.loads((dataset.folder / "tasks.jsonl").read_text())
    assert (stored["format"], stored["facts"]["kind"]) == (TASK_FORMAT, task.kind)
    shown = "\n".join(task_lines(dataset, task))
    assert ("area() is wrong" if task.kind == "issue" else "numpy 1.26.4 → 2.0.0") in shown


def test_what_a_solver_is_told_belongs_to_the_kind() -> None:
    told = {
        task.kind: rules_text(task, Budget(), allow_test_edits=False)
        for task in (ISSUE, SNIPPET, make_task())
    }
    assert len({text.partition("\n\n")[0] for text in told.values()}) == 3
    assert "new files can be made" in told["issue"]
    assert "no new files can be made" in told["migration"]
    assert "It gives the radius." in task_text(ISSUE)
    assert all("r * r" not in task_text(task) for task in (ISSUE, SNIPPET))


@pytest.mark.parametrize(
    ("task", "form"),
    [
        pytest.param(task, form, id=f"{task.kind}-{form}")
        for task in (ISSUE, SNIPPET, make_task())
        for form in FORMATS
        if task.kind not in FORM_KINDS[form]
    ],
)
def test_a_form_without_a_place_for_a_kind_refuses_it(tmp_path: Path, task: Task, form: str) -> None:
    info = DatasetInfo(name="a set", created=INSTANT, made_by="test")
    dataset = Dataset.create(tmp_path / "set", [task], info)
    sources = Sources(index_url="https://index.example/simple", downloads=tmp_path, pages=tmp_path)
    with pytest.raises(UsageError, match=f"is of the kind {task.kind}; the form {form} is for"):
        export_tasks(dataset, dataset.tasks, form, tmp_path / "out", sources=sources)
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_stage_or_environment_that_a_kind_does_not_have_is_refused() -> None:
    assert [stage.name for stage in stages_of(ISSUE.with_reference(""))] == ["start"]
    with pytest.raises(UsageError, match="no stage 'origin'"):
        layers_of(ISSUE, "origin")
    with pytest.raises(UsageError, match="no origin environment"):
        environment_of(ISSUE, "origin")
    with pytest.raises(UsageError, match="a migration is needed"):
        migration_facts(ISSUE)


ROOT = Path(backdate.__file__).parent


@pytest.mark.parametrize("room", ["solvers", "evaluation", "construction"])
def test_sides_of_a_migration_are_known_to_its_own_modules_alone(room: str) -> None:
    """Nothing else reads ``.old``, ``.new`` or ``.gold_patch`` of anything.

    But for the rules solver and what is about snippets, whose rewrites and pairs of environments have an old
    and a new, whatever the task is: they read no gold patch either, and the solver no task's reference.
    """
    sides = ("old", "new", "gold_patch")
    holding = re.compile(rb"\.(?:old|new|gold_patch|reference)\b")
    own = {"rules": ("gold_patch", "reference"), "snippets": ("gold_patch",), "snippet": ("gold_patch",)}
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}: .{node.attr}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if "migration" not in path.relative_to(ROOT).parts
        if holding.search(path.read_bytes())  # parsing all of them takes long
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Attribute)
        and node.attr in next((own[part] for part in path.relative_to(ROOT).parts if part in own), sides)
    ]
    assert found == []
