"""Runs: resumed, parallel, ended in the middle, never mixed."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from fake_runner import GOLD, FakeScriptRunner, make_task
from patience import PATIENCE_S

from backdate.errors import IndexUnavailable, StoredDataError, UsageError
from backdate.evaluation.progress import SolverFinished, SolverStarted
from backdate.evaluation.run_folder import claim, load_run
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.progress import Event
from backdate.solvers.baselines import GoldSolver
from backdate.solvers.interface import SolverResult
from backdate.solvers.records import RECORD_FORMAT, AgentSettings, RunSettings, StopReason


class Watching:
    def __init__(self) -> None:
        self.worked: list[str] = []
        self.before: list[str] = []

    def report(self, event: Event) -> None:
        if isinstance(event, SolverStarted):
            self.worked.append(event.instance_id)
        elif isinstance(event, SolverFinished) and event.kept:
            self.before.append(event.record.instance_id)


class Function:
    name = "function"

    def __init__(self, function) -> None:
        self.attempt = function


def plan(folder: Path, solver=None, count: int = 4, **more) -> EvaluationPlan:
    return EvaluationPlan(
        tasks=[make_task(f"o__n-{number}") for number in range(count)],
        solver=solver or GoldSolver(),
        settings=RunSettings(solver="gold"),
        task_runner=FakeScriptRunner(),
        folder=folder,
        **more,
    )


def test_a_run_is_resumed_and_finished_tasks_are_left_alone(tmp_path) -> None:
    def fails_on_third(assignment):
        if assignment.task.instance_id == "o__n-2":
            raise IndexUnavailable("the index is down")
        return SolverResult(ending=StopReason.SUBMITTED, patch=GOLD)

    with pytest.raises(IndexUnavailable):
        evaluate(plan(tmp_path / "run", Function(fails_on_third)))
    assert len(load_run(tmp_path / "run")[1]) == 2
    watching = Watching()
    records = evaluate(plan(tmp_path / "run"), watching)
    assert watching.before == ["o__n-0", "o__n-1"]
    assert watching.worked == ["o__n-2", "o__n-3"]
    assert [one.instance_id for one in records] == [f"o__n-{number}" for number in range(4)]
    rows = [json.loads(line) for line in (tmp_path / "run/predictions.jsonl").read_text().splitlines()]
    assert rows[3] == {"instance_id": "o__n-3", "model_name_or_path": "gold", "model_patch": GOLD}
    assert load_run(tmp_path / "run")[1] == records


def test_tasks_run_in_parallel(tmp_path) -> None:
    barrier = threading.Barrier(3, timeout=PATIENCE_S)

    def waits_for_the_others(assignment):
        barrier.wait()
        return SolverResult(ending=StopReason.SUBMITTED)

    assert len(evaluate(plan(tmp_path / "run", Function(waits_for_the_others), 3, jobs=3))) == 3


def test_another_run_s_folder_and_a_full_one_are_refused(tmp_path) -> None:
    evaluate(plan(tmp_path / "run"))
    other = replace(plan(tmp_path / "run"), settings=RunSettings(solver="gold", tests=5))
    with pytest.raises(UsageError, match="tests: 10 there, 5 now"):
        evaluate(other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    with pytest.raises(UsageError, match="not empty"):
        evaluate(plan(tmp_path / "full"))
    with pytest.raises(UsageError, match="no run"):
        load_run(tmp_path / "full")


def test_more_tasks_join_a_run(tmp_path) -> None:
    evaluate(plan(tmp_path / "run", count=2))
    evaluate(plan(tmp_path / "run", count=3))
    info, records = load_run(tmp_path / "run")
    assert info.tasks == ("o__n-0", "o__n-1", "o__n-2")
    assert len(records) == 3


def test_failed_attempts_are_kept_when_they_are_tried_again(tmp_path) -> None:
    endings = iter([StopReason.MODEL, StopReason.SUBMITTED, StopReason.SUBMITTED])

    def sometimes(assignment):
        return SolverResult(ending=next(endings))

    evaluate(plan(tmp_path / "run", Function(sometimes), 2))
    watching = Watching()
    evaluate(plan(tmp_path / "run", Function(sometimes), 2, retry=True), watching)
    assert watching.worked == ["o__n-0"]
    assert [one.name for one in (tmp_path / "run/attempts").iterdir()] == ["o__n-0.1.json"]


def test_names_that_are_no_files_and_damaged_records_are_told(tmp_path) -> None:
    for name in ("../x", "a/b", "", ".hidden"):
        with pytest.raises(UsageError, match="cannot be the name"):
            evaluate(replace(plan(tmp_path / "run"), tasks=[make_task(name)]))
    with pytest.raises(UsageError, match="two tasks"):
        evaluate(replace(plan(tmp_path / "run"), tasks=[make_task("a"), make_task("a")]))
    evaluate(plan(tmp_path / "run"))
    (tmp_path / "run/records/o__n-0.json").write_text("{")
    with pytest.raises(StoredDataError, match=r"o__n-0\.json"):
        evaluate(plan(tmp_path / "run"))


def test_bytes_that_are_not_utf8_survive_in_a_record(tmp_path) -> None:
    def odd(assignment):
        return SolverResult(ending=StopReason.SUBMITTED, patch="+\udcff\n")

    records = evaluate(plan(tmp_path / "run", Function(odd), 1))
    assert records[0].patch == "+\udcff\n"
    assert load_run(tmp_path / "run")[1][0].patch == "+\udcff\n"
    assert (tmp_path / "run/patches/o__n-0.patch").read_bytes() == b"+\xff\n"


def test_a_model_s_answers_may_lie_in_the_folder_before_the_run(tmp_path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "answers.sqlite-wal").touch()
    assert len(evaluate(plan(tmp_path / "run"))) == 4


def test_ctrl_c_ends_what_is_under_way_and_begins_nothing(tmp_path) -> None:
    import signal
    import time

    from backdate.sandboxes import interruption

    under_way = threading.Barrier(3, timeout=PATIENCE_S)

    def endless(assignment):
        under_way.wait()
        while True:
            interruption.check()
            time.sleep(0.01)

    def interrupt() -> None:
        under_way.wait()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    watching = Watching()
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            evaluate(plan(tmp_path / "run", Function(endless), jobs=2), watching)
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert sorted(watching.worked) == ["o__n-0", "o__n-1"]
    assert not (tmp_path / "run/records").exists()


@pytest.mark.parametrize(
    ("change", "option"),
    [
        ({"network": "internet"}, "--agent-network: off there, internet now"),
        ({"model": "https://example.org/v1"}, "--agent-model"),
        ({"mounts": ("/opt/agent",)}, "--agent-mount"),
        ({"environment": ("KEY",)}, "--agent-env"),
        ({"timeout_s": 60.0}, "--agent-timeout: 1800.0 there, 60.0 now"),
    ],
)
def test_a_run_is_not_resumed_with_another_access_of_its_agent(tmp_path, change, option) -> None:
    settings = RunSettings(solver="command:x", agent=AgentSettings())
    claim(tmp_path / "run", settings, ())
    claim(tmp_path / "run", settings, ())
    with pytest.raises(UsageError, match=option):
        claim(tmp_path / "run", replace(settings, agent=AgentSettings(**change)), ())
    with pytest.raises(UsageError, match="agent"):
        claim(tmp_path / "run", replace(settings, agent=None), ())


def test_a_run_from_before_networks_had_names_is_read_and_not_resumed_with_less(tmp_path) -> None:
    settings = RunSettings(solver="command:x", agent=AgentSettings(network="internet"))
    claim(tmp_path / "run", settings, ())
    path = tmp_path / "run/run.json"
    old = json.loads(path.read_bytes())
    old["format"] = 1
    old["settings"]["agent"]["network"] = True
    del old["settings"]["agent"]["model"]
    path.write_text(json.dumps(old))
    assert load_run(tmp_path / "run")[0].settings.agent == AgentSettings(network="all")
    with pytest.raises(UsageError, match="--agent-network: all there, internet now"):
        claim(tmp_path / "run", settings, ())
    del old["settings"]["agent"]
    path.write_text(json.dumps(old))
    assert load_run(tmp_path / "run")[0].settings.agent is None


def test_a_record_of_the_first_format_is_read(tmp_path) -> None:
    folder = tmp_path / "run"
    evaluate(plan(folder, count=1))
    path = folder / "records/o__n-0.json"
    old = json.loads(path.read_bytes())
    old["format"] = 1
    old["settings"]["agent"] = {"network": False, "mounts": ["/opt"], "environment": [], "timeout_s": 60.0}
    path.write_text(json.dumps(old))
    record = load_run(folder)[1][0]
    assert record.settings.agent == AgentSettings(network="off", mounts=("/opt",), timeout_s=60.0)
    assert record.format == RECORD_FORMAT


def test_a_record_from_before_requests_were_counted_as_lost_is_read(tmp_path) -> None:
    folder = tmp_path / "run"
    evaluate(plan(folder, count=1))
    path = folder / "records/o__n-0.json"
    old = json.loads(path.read_bytes())
    old["format"] = 2
    del old["usage"]["lost"]
    path.write_text(json.dumps(old))
    record = load_run(folder)[1][0]
    assert (record.format, record.usage.lost) == (RECORD_FORMAT, 0)


def test_a_record_from_before_patches_had_reasons_is_read(tmp_path) -> None:
    folder = tmp_path / "run"
    evaluate(plan(folder, count=1))
    path = folder / "records/o__n-0.json"
    old = json.loads(path.read_bytes())
    old["format"] = 3
    del old["reasons"], old["side_runs"], old["settings"]["both_sides"]
    path.write_text(json.dumps(old))
    record = load_run(folder)[1][0]
    assert (record.format, record.reasons, record.settings.both_sides) == (RECORD_FORMAT, (), False)


def test_a_record_from_before_proposing_sources_were_recorded_is_read(tmp_path) -> None:
    folder = tmp_path / "run"
    evaluate(plan(folder, count=1))
    path = folder / "records/o__n-0.json"
    old = json.loads(path.read_bytes())
    old["format"] = 4
    del old["proposed_by"], old["ready_at_first"], old["settings"]["survey"]
    path.write_text(json.dumps(old))
    record = load_run(folder)[1][0]
    assert (record.format, record.proposed_by, record.settings.survey) == (RECORD_FORMAT, None, False)
