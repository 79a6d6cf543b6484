from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import builders
import pytest
from fake_runner import GOLD, FakeScriptRunner, make_task
from score_builders import make_record

from backdate.editing.patch import as_git_patch
from backdate.errors import UsageError
from backdate.evaluation.answers import Submission, answer_of
from backdate.evaluation.load import Benchmark
from backdate.evaluation.progress import TaskScored
from backdate.evaluation.score_run import Answers, score_run
from backdate.evaluation.scores import FlagKind, Score, ScoreOutcome, load_score, load_scored_run
from backdate.evaluation.summary import summarise
from backdate.evaluation.summary_text import summary_text
from backdate.evaluation.swebench_report import swebench_report
from backdate.progress import NO_PROGRESS, Event
from backdate.serial import to_json
from backdate.solvers.records import SuiteCall
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Statistics
from backdate.testing.integrity import UNKNOWN_INTEGRITY, Integrity, IntegrityReason, integrity_of

HALF = GOLD + "--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-def shout(word):\n+def shout(text):\n"


class Heard:
    def __init__(self) -> None:
        self.lines: list[tuple[str, ScoreOutcome, bool]] = []

    def report(self, event: Event) -> None:
        assert isinstance(event, TaskScored)
        self.lines.append((event.score.instance_id, event.score.outcome, event.kept))


class EndsAs(FakeScriptRunner):
    """Every run of the tests ends in one way."""

    def __init__(
        self,
        status: str,
        *,
        suspicions: tuple[str, ...] = (),
        solved: bool = False,
        integrity: Integrity = UNKNOWN_INTEGRITY,
    ) -> None:
        super().__init__()
        self.verdict = TaskRunResult(
            solved=solved,
            run=builders.run(
                *([builders.result("t.py::t")] if solved else []),
                status=status,
                suspicions=suspicions,
                integrity=integrity,
            ),
            reason="" if solved else status,
        )

    def run_tests(self, task, tree, side, *, log_folder, only=()):
        return self.verdict


def score(tmp_path: Path, patch: str | None, task_runner=None, **extra) -> Score:
    answers = {} if patch is None else {make_task().instance_id: Submission(patch=patch, **extra)}
    run = score_all(tmp_path, answers, task_runner=task_runner)
    return run.scores[0]


def score_all(tmp_path, answers, *, task_runner=None, tasks=None, heard=None, **options):
    bench = Benchmark(
        name="fake", tasks=tuple(tasks or (make_task(),)), task_runner=task_runner or FakeScriptRunner()
    )
    return score_run(
        bench,
        Answers(model="m", by_task=answers, source="preds.jsonl"),
        tmp_path / "run",
        progress=heard or NO_PROGRESS,
        **{"flags": "none", "unverified": True, **options},
    )


@pytest.mark.parametrize("patch", [GOLD, as_git_patch(GOLD)], ids=["bare", "git"])
def test_gold_solves_and_is_precise(tmp_path, patch) -> None:
    found = score(tmp_path, patch)
    assert found.outcome is ScoreOutcome.SOLVED
    assert (found.precision, found.edits, found.gold_edits) == (1.0, 1, 1)
    assert found.patch == found.gold
    assert (tmp_path / "run" / found.log).is_file()


def test_half_of_what_is_edited_was_needed(tmp_path) -> None:
    assert score(tmp_path, HALF).precision == 0.5


@pytest.mark.parametrize(
    ("patch", "outcome"),
    [
        (None, ScoreOutcome.NO_PREDICTION),
        ("", ScoreOutcome.EMPTY),
        (
            "--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-def shout(word):\n+def shout(word):\n",
            ScoreOutcome.EMPTY,
        ),
        ("nothing", ScoreOutcome.MALFORMED),
        ("--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-not there\n+x\n", ScoreOutcome.NOT_APPLIED),
        (
            "--- tests/test_shapes.py\n+++ tests/test_shapes.py\n@@ -1 +1 @@\n-import sys\n+exit()\n",
            ScoreOutcome.NOT_ALLOWED,
        ),
        (
            "--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-def shout(word):\n+def shout(text):\n",
            ScoreOutcome.TESTS_FAILED,
        ),
    ],
)
def test_every_answer_has_an_outcome_with_a_name(tmp_path, patch, outcome) -> None:
    found = score(tmp_path, patch)
    assert found.outcome is outcome
    assert found.reason
    assert not found.solved


def test_two_patches_for_one_task_are_none(tmp_path) -> None:
    assert score(tmp_path, GOLD, different=2).outcome is ScoreOutcome.TWO_PATCHES


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        ("timeout", ScoreOutcome.TIMED_OUT),
        ("oom", ScoreOutcome.LIMIT),
        ("crashed", ScoreOutcome.TESTS_FAILED),
    ],
)
def test_how_the_tests_end_is_told(tmp_path, status, outcome) -> None:
    assert score(tmp_path, GOLD, EndsAs(status)).outcome is outcome


def test_what_the_machine_cannot_run_is_tried_again(tmp_path) -> None:
    assert score(tmp_path, GOLD, FakeScriptRunner(broken=True)).outcome is ScoreOutcome.NOT_BUILT
    assert score(tmp_path, GOLD, FakeScriptRunner(missing=True)).outcome is ScoreOutcome.NO_TREE
    assert score(tmp_path, GOLD).solved


def test_a_run_that_contradicts_itself_is_flagged(tmp_path) -> None:
    found = score(tmp_path, GOLD, EndsAs("completed", suspicions=("exit status 0 but …",), solved=True))
    assert [one.kind for one in found.flags] == [FlagKind.FORGED]
    assert found.solved
    assert found.attempt().solved
    assert not found.attempt(strict=True).solved


def test_tests_that_the_answer_changes_are_left_as_they_are(tmp_path) -> None:
    cheat = (
        "--- tests/test_shapes.py\n+++ tests/test_shapes.py\n@@ -1 +1 @@\n-import sys\n+raise SystemExit\n"
    )
    harmless = "--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-def shout(word):\n+def shout(text):\n"
    found = score(tmp_path, cheat + harmless)
    assert found.outcome is ScoreOutcome.TESTS_FAILED
    assert "test file" in found.dropped[0]


def test_what_is_scored_is_not_scored_again_unless_the_answer_is_another(tmp_path) -> None:
    tasks = [make_task("o__n-1"), make_task("o__n-2"), make_task("o__n-3")]
    answers = {one.instance_id: Submission(patch=GOLD) for one in tasks}
    task_runner, heard = FakeScriptRunner(), Heard()
    score_all(tmp_path, answers, task_runner=task_runner, tasks=tasks, heard=heard, jobs=2)
    assert sorted(heard.lines) == [(one.instance_id, ScoreOutcome.SOLVED, False) for one in tasks]
    assert task_runner.runs == 3
    heard = Heard()
    answers["o__n-2"] = Submission(patch="")
    run = score_all(tmp_path, answers, task_runner=task_runner, tasks=tasks, heard=heard)
    assert task_runner.runs == 3
    assert [kept for _, _, kept in heard.lines] == [True, False, True]
    assert load_scored_run(tmp_path / "run").scores == run.scores


def test_a_folder_keeps_one_models_scores(tmp_path) -> None:
    score_all(tmp_path, {})
    bench = Benchmark(name="fake", tasks=(make_task(),), task_runner=FakeScriptRunner())
    with pytest.raises(UsageError, match="holds the scores of 'm'"):
        score_run(bench, Answers(model="n", by_task={}, source="x"), tmp_path / "run", unverified=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    with pytest.raises(UsageError, match="not empty"):
        score_run(bench, Answers(model="n", by_task={}, source="x"), tmp_path / "full", unverified=True)


def test_scoring_some_tasks_first_keeps_the_others(tmp_path) -> None:
    tasks = [make_task("o__n-1"), make_task("o__n-2")]
    answers = {one.instance_id: Submission(patch=GOLD) for one in tasks}
    for one in tasks:
        score_all(tmp_path, answers, tasks=tasks, only=(one.instance_id,))
    assert [one.solved for one in load_scored_run(tmp_path / "run").scores] == [True, True]


def test_calls_and_costs_are_the_runs_and_the_outcome_is_not(tmp_path) -> None:
    claimed = SuiteCall(number=2, call=7, solved=True, reason="")
    record = replace(make_record(make_task().instance_id), patch="", calls=9, runs=(claimed,))
    run = score_all(tmp_path, {record.instance_id: answer_of(record)})
    (found,) = run.scores
    assert found.outcome is ScoreOutcome.EMPTY
    assert (found.calls, found.tests, found.calls_made) == (7, 2, 9)
    assert [one.kind for one in found.flags] == [FlagKind.CLAIM]


def test_the_report_of_swebench(tmp_path) -> None:
    tasks = [make_task(f"o__n-{number}") for number in range(5)]
    answers = {
        "o__n-0": Submission(patch=GOLD),
        "o__n-1": Submission(patch=""),
        "o__n-2": Submission(patch="garbage"),
        "o__n-3": Submission(
            patch="--- pkg/text.py\n+++ pkg/text.py\n@@ -1 +1 @@\n-def shout(word):\n+def x(word):\n"
        ),
        "o__n-unknown": Submission(patch=GOLD),
    }
    run = score_all(tmp_path, answers, tasks=tasks)
    report = swebench_report(run.info, run.scores)
    assert report["schema_version"] == 2
    counts = {name.removesuffix("_instances"): n for name, n in report.items() if name.endswith("_instances")}
    assert counts == {
        "total": 5,
        "submitted": 4,
        "completed": 2,
        "resolved": 1,
        "unresolved": 1,
        "empty_patch": 1,
        "error": 1,
    }
    assert report["resolved_ids"] == ["o__n-0"]
    assert report["incomplete_ids"] == ["o__n-4"]
    assert report["unknown_ids"] == ["o__n-unknown"]
    assert (tmp_path / "run/report.json").is_file()


@pytest.mark.parametrize("patch", [None, "", "garbage"])
def test_an_answer_that_edits_nothing_counts_as_imprecise(tmp_path, patch) -> None:
    assert score(tmp_path, patch).precision == 0.0
    ungilded = make_task().with_reference("")
    run = score_all(tmp_path / "other", {ungilded.instance_id: Submission(patch=patch)}, tasks=[ungilded])
    assert run.scores[0].precision is None


def test_a_forged_run_is_an_outcome_of_its_own_whatever_its_tests_say(tmp_path) -> None:
    forged = integrity_of([IntegrityReason.CANARY_WRONG, IntegrityReason.EVENTS_LOST], canaries=2)
    for number, solved in enumerate((True, False)):
        ends = EndsAs("completed", solved=solved, integrity=forged)
        found = score(tmp_path / str(number), GOLD, ends)
        assert found.outcome is ScoreOutcome.FORGED
        assert found.reason == "test run: canary-wrong"
        assert not found.attempt().solved
    run = load_scored_run(tmp_path / "0" / "run")
    assert "forged: o__n-0123456789ab: test run: canary-wrong" in summary_text(run)
    assert summarise([run]).models[0].forged == ("o__n-0123456789ab",)


@pytest.mark.parametrize(
    ("reasons", "strictly"), [((), True), ((IntegrityReason.NO_CHANNEL,), False)], ids=["witnessed", "not"]
)
def test_strictly_only_what_was_witnessed_is_solved(tmp_path, reasons, strictly) -> None:
    found = score(tmp_path, GOLD, EndsAs("completed", solved=True, integrity=integrity_of(reasons)))
    assert found.attempt().solved
    assert found.attempt(strict=True).solved is strictly
    (line,) = (tmp_path / "run/audit.jsonl").read_text().splitlines()
    audit = json.loads(line)
    assert audit["strictly"] is strictly
    assert audit["witness_reasons"] == [str(reason) for reason in reasons]
    assert (audit["outcome"], audit["forged"], audit["judge"]) == ("solved", False, "not judged")


def test_what_nobody_verified_is_refused_or_said_so(tmp_path) -> None:
    answers = {make_task().instance_id: Submission(patch=GOLD)}
    with pytest.raises(UsageError, match=r"1 of 1 task is not verified \(o__n-0123456789ab\)"):
        score_all(tmp_path, answers, unverified=False)
    run = score_all(tmp_path, answers)
    assert run.info.unverified == (make_task().instance_id,)
    assert summary_text(run).startswith("m on fake: 1 tasks, 1 of them UNVERIFIED")


def test_an_unverified_task_wants_as_many_good_tests_as_its_row_counts(tmp_path) -> None:
    counted = Statistics(python_files=1, python_lines=1, test_files=1, tests=2)
    task = replace(make_task(), statistics=counted)
    run = score_all(tmp_path, {task.instance_id: Submission(patch=GOLD)}, tasks=[task])
    assert run.scores[0].outcome is ScoreOutcome.TESTS_FAILED
    assert run.scores[0].reason == "1 test was good, and the row counts 2"


def test_scores_of_the_format_before_are_read(tmp_path) -> None:
    stored = json.loads(to_json(Score(instance_id="a", outcome=ScoreOutcome.SOLVED)))
    for name in ("integrity", "environment", "unexamined"):
        del stored[name]
    path = tmp_path / "scores/a.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**stored, "format": 3}))
    found = load_score(tmp_path, "a")
    assert found is not None
    assert found.solved
    assert not found.attempt(strict=True).solved  # nobody watched
