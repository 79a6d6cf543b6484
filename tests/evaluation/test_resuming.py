"""A run that was ended goes on where it was: from its journal, wherever that was cut."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_runner import make_task
from marking_runner import MarkingRunner, marks, unmarked
from patience import PATIENCE_S
from scripted_model import Hang, Say, ScriptedModel
from steps_model import SCRIPT, StepsModel
from steps_server import answer_by_steps

from backdate.environments.inside_python import inside_python
from backdate.errors import StoredDataError, UsageError
from backdate.evaluation.run_folder import alone_in, journal_path, load_record
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.models.interface import ModelFailure, TokenUsage
from backdate.solvers.model import ModelSolver
from backdate.solvers.records import RunRecord, RunSettings, StopReason

TASK = make_task()
SETTINGS = RunSettings(solver="model:steps")
LAST = len(SCRIPT) - 1
ROOT = Path(__file__).parents[2]


def work(folder: Path, model, runner: MarkingRunner | None = None, **changes) -> RunRecord:
    plan = EvaluationPlan(
        tasks=[TASK],
        solver=ModelSolver(model),
        settings=SETTINGS,
        task_runner=runner or MarkingRunner(),
        folder=folder,
    )
    return evaluate(replace(plan, **changes))[0]


def trajectory(folder: Path) -> str:
    return next((folder / "trajectories").iterdir()).read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The folder of a run that nothing ended."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    model = StepsModel()
    assert work(folder, model).ending is StopReason.SOLVED
    assert model.asked == list(range(len(SCRIPT)))
    assert not journal_path(folder, TASK.instance_id).exists()
    return folder


@pytest.fixture(scope="module")
def ended(tmp_path_factory) -> Path:
    """The folder of a run that was ended when the last reply was asked for."""
    folder = tmp_path_factory.mktemp("ended") / "run"
    with pytest.raises(KeyboardInterrupt):
        work(folder, StepsModel(until=LAST))
    return folder


def same(record: RunRecord, folder: Path, whole: Path, lost: int = 0) -> None:
    """Everything that was done, said and counted is as in the run that nothing ended.

    ``lost``: requests that were under way when that run was ended.
    """
    expected = load_record(whole, TASK.instance_id)
    assert record.usage == replace(expected.usage, lost=lost)
    for name in ("ending", "calls", "sequence", "refused", "patch", "model", "tests"):
        assert getattr(record, name) == getattr(expected, name), name
    assert [run.patch_sha256 for run in record.runs] == [run.patch_sha256 for run in expected.runs]
    assert [run.call for run in record.runs] == [run.call for run in expected.runs]
    assert unmarked(trajectory(folder)) == unmarked(trajectory(whole))


def test_nothing_is_asked_or_tested_again(ended, whole, tmp_path) -> None:
    folder = shutil.copytree(ended, tmp_path / "run")
    journal = journal_path(folder, TASK.instance_id).read_text()
    model, runner = StepsModel(), MarkingRunner()
    record = work(folder, model, runner)
    assert (model.asked, runner.runs) == ([LAST], 1)
    same(record, folder, whole, lost=1)
    assert marks(trajectory(folder))[: len(marks(journal))] == marks(journal)
    assert not journal_path(folder, TASK.instance_id).exists()
    assert record.duration_s > sum(run.duration_s for run in record.runs)


@pytest.mark.slow
def test_wherever_the_journal_is_cut(ended, whole, tmp_path) -> None:
    data = journal_path(ended, TASK.instance_id).read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    cuts = {0, 1, len(data) - 1, *ends, *(end - 1 for end in ends), *(end + 9 for end in ends[:-1])}
    for cut in sorted(cuts):
        folder = shutil.copytree(ended, tmp_path / f"run-{cut}")
        journal_path(folder, TASK.instance_id).write_bytes(data[:cut])
        left = data[: data.rfind(b"\n", 0, cut) + 1]
        replies = left.count(b'"asked_s": ')
        lost = int(b'"sent": ' in left.splitlines()[-1]) if left else 0
        model = StepsModel()
        same(work(folder, model), folder, whole, lost)
        assert model.asked == list(range(replies, len(SCRIPT))), cut
        kept = marks(left.decode())
        assert marks(trajectory(folder))[: len(kept)] == kept


def test_the_tree_is_that_of_the_turn(ended, tmp_path) -> None:
    folder = shutil.copytree(ended, tmp_path / "run")
    seen = {}

    class Looking(MarkingRunner):
        def run_tests(self, task, tree, environment, **more):
            seen["text"] = (tree / "pkg/text.py").read_text()
            seen["shapes"] = (tree / "pkg/shapes.py").read_text()
            return super().run_tests(task, tree, environment, **more)

    work(folder, StepsModel(), Looking())
    assert "upper(1)" not in seen["text"]  # the edit was made again, and taken back again
    assert "math.pi" in seen["shapes"]


def test_a_failure_of_the_model_is_gone_on_from_when_it_is_tried_again(whole, tmp_path) -> None:
    class Failing(StepsModel):
        def ask(self, conversation, **more):
            answer = super().ask(conversation, **more)
            return ModelFailure(kind="timeout", message="too slow") if self.asked[-1] == 4 else answer

    folder = tmp_path / "run"
    assert work(folder, Failing()).ending is StopReason.MODEL
    model = StepsModel()
    record = work(folder, model, retry=True)
    assert model.asked == list(range(4, len(SCRIPT)))
    same(record, folder, whole)


def test_another_task_s_turns_are_not_gone_on_with(ended, tmp_path) -> None:
    folder = shutil.copytree(ended, tmp_path / "run")

    class Changed(MarkingRunner):
        def make_tree(self, task, target, stage=None):
            super().make_tree(task, target, stage)
            (target / "pkg/more.py").write_text("MORE = 1\n")

    model = StepsModel()
    record = work(folder, model, Changed())
    assert record.ending is StopReason.ERROR
    assert "begun for another task" in record.detail
    assert model.asked == []
    record = work(folder, model, Changed(), retry=True)
    assert (record.ending, model.asked) == (StopReason.SOLVED, list(range(len(SCRIPT))))
    assert [path.suffix for path in sorted((folder / "attempts").iterdir())] == [".json", ".jsonl"]


def test_a_damaged_journal_is_named(ended, tmp_path) -> None:
    folder = shutil.copytree(ended, tmp_path / "run")
    path = journal_path(folder, TASK.instance_id)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b'{"worked_s": "x"}\n', *lines[3:]]))
    with pytest.raises(StoredDataError, match="damaged"):
        work(folder, StepsModel())
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    record = work(folder, StepsModel())
    assert (record.ending, "not in the order" in record.detail) == (StopReason.ERROR, True)


def test_two_processes_do_not_work_on_one_run(tmp_path) -> None:
    work(tmp_path / "run", StepsModel())
    with alone_in(tmp_path / "run"), pytest.raises(UsageError, match="another process"):
        work(tmp_path / "run", StepsModel())


def test_a_journal_of_the_format_before_is_gone_on_with(ended, whole, tmp_path) -> None:
    folder = shutil.copytree(ended, tmp_path / "run")
    path = journal_path(folder, TASK.instance_id)
    entries = [json.loads(line) for line in path.read_bytes().splitlines()]
    entries[0]["opening"]["format"] = 1
    old = [
        {name: value for name, value in entry.items() if name not in ("asked", "unanswered")}
        for entry in entries
        if entry["asked"] is None
    ]
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in old))
    model = StepsModel()
    same(work(folder, model), folder, whole)
    assert model.asked == [LAST]


def test_what_a_failure_took_is_counted_once_when_it_is_tried_again(tmp_path) -> None:
    class Failing(StepsModel):
        def ask(self, conversation, **more):
            answer = super().ask(conversation, **more)
            tokens = TokenUsage(prompt_tokens=1000)
            is_cut = self.asked[-1] == 4
            return ModelFailure(kind="stream-broken", message="cut", usage=tokens) if is_cut else answer

    folder = tmp_path / "run"
    failed = work(folder, Failing())
    assert (failed.usage.requests, failed.usage.lost) == (5, 0)
    with pytest.raises(KeyboardInterrupt):
        work(folder, StepsModel(until=4), retry=True)
    with pytest.raises(KeyboardInterrupt):
        work(folder, StepsModel(until=4))
    record = work(folder, StepsModel())
    assert (record.ending, record.usage.requests) == (StopReason.SOLVED, len(SCRIPT) + 1)
    assert record.usage.input_tokens == 1000 + sum(100 + step for step in range(len(SCRIPT)))
    assert record.usage.lost == 2


class KillingServer:
    """Answers by the script; kills the process that asks for one step, once, instead of answering."""

    def __init__(self, step: int) -> None:
        self._step: int | None = step
        self.process: subprocess.Popen[bytes] | None = None

    def __call__(self, body: dict[str, Any]) -> Say | Hang:
        answer = answer_by_steps(body)
        if answer.text != f"step {self._step}":
            return answer
        self._step = None
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        return Hang()


def started(*arguments: str) -> subprocess.Popen[bytes]:
    """A process that evaluates, see ``killed_run``."""
    program = ROOT / "tests/support/killed_run.py"
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}:{program.parent}",
        "OPENAI_API_KEY": "sk-test-key",
    }
    return subprocess.Popen([sys.executable, str(program), *arguments], env=environment)


@pytest.mark.slow
def test_a_request_that_is_under_way_when_the_process_is_killed_is_lost_and_said_so(whole, tmp_path) -> None:
    pytest.importorskip("openai", reason="the extra models is not installed")
    folder = tmp_path / "run"
    script = KillingServer(step=4)
    with ScriptedModel(script) as server:
        script.process = started(str(folder), server.url, "0")
        assert script.process.wait(PATIENCE_S) == -signal.SIGKILL
        last = journal_path(folder, TASK.instance_id).read_text().splitlines()[-1]
        assert json.loads(last)["asked"]["sent"]
        assert started(str(folder), server.url, "0").wait(PATIENCE_S) == 0
        asked = [answer_by_steps(body).text for body in server.requests]
        assert asked == [f"step {step}" for step in (0, 1, 2, 3, 4, *range(4, len(SCRIPT)))]
    record, expected = load_record(folder, TASK.instance_id), load_record(whole, TASK.instance_id)
    assert (record.ending, record.patch) == (expected.ending, expected.patch)
    assert (record.usage.requests, record.usage.lost) == (len(SCRIPT), 1)
    assert record.usage.input_tokens == 10 * len(SCRIPT)


@pytest.mark.slow
def test_an_agent_s_question_that_is_under_way_when_the_process_is_killed_is_lost(tmp_path) -> None:
    folder = tmp_path / "run"
    script = KillingServer(step=0)
    interpreter = inside_python(None)[0]
    asking = (
        'import os, urllib.request as u; q = b\'{"model": "steps", "messages": []}\'; '
        "u.urlopen(u.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions', q, "
        "{'Content-Type': 'application/json'})).read()"
    )
    agent = f"{interpreter} -c {shlex.quote(asking)}"
    with ScriptedModel(script) as server:
        script.process = started(str(folder), server.url, "0", agent)
        assert script.process.wait(PATIENCE_S) == -signal.SIGKILL
        assert started(str(folder), server.url, "0", agent).wait(PATIENCE_S) == 0
        assert len(server.requests) == 2
    record = load_record(folder, TASK.instance_id)
    assert record.detail == "it was interrupted, and started again from a clean tree"
    assert (record.usage.requests, record.usage.input_tokens, record.usage.lost) == (1, 10, 1)


@pytest.mark.slow
@pytest.mark.parametrize("writes", [4, 6])
def test_a_process_that_is_killed_while_it_writes_asks_no_turn_twice(whole, tmp_path, writes) -> None:
    """Each process is killed in the middle of its Nth write; the next goes on."""
    pytest.importorskip("openai", reason="the extra models is not installed")
    folder = tmp_path / "run"
    with ScriptedModel(answer_by_steps) as server:
        endings = []
        while not endings or endings[-1] != 0:
            endings.append(started(str(folder), server.url, str(writes)).wait(PATIENCE_S))
            assert endings[-1] in (0, -signal.SIGKILL)
            assert len(endings) < 60
        assert len(endings) > 2
        assert len(server.requests) == len(SCRIPT)
    record = load_record(folder, TASK.instance_id)
    expected = load_record(whole, TASK.instance_id)
    assert (record.ending, record.patch, record.calls) == (expected.ending, expected.patch, expected.calls)
    assert (record.usage.requests, record.usage.lost) == (len(SCRIPT), 0)  # what was answered was kept
    assert record.sequence == expected.sequence
