"""Solvers without a model: null, gold, replay, command."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from diagnosis_environments import environment_of, find_interpreter
from fake_runner import FIX, GOLD, FakeScriptRunner, make_task
from scripted_model import Call, Say, ScriptedModel

from backdate.errors import StoredDataError, UsageError
from backdate.models.open import open_model
from backdate.sandboxes.choose import choose_sandbox
from backdate.serial import from_json
from backdate.solvers.atif import read_trajectory
from backdate.solvers.baselines import GoldSolver, NullSolver
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.command import CommandOptions, CommandSolver, take_answer
from backdate.solvers.model import ModelSolver
from backdate.solvers.records import RunRecord, StopReason
from backdate.solvers.replay import ReplaySolver
from backdate.tasks.kinds.choose import edit_policy_of


def test_null_hands_in_nothing_and_runs_nothing(run_solver, task_runner) -> None:
    record = run_solver(NullSolver())
    assert (record.ending, record.patch, record.calls, record.runs) == (StopReason.SUBMITTED, "", 0, ())
    assert (task_runner.trees, task_runner.runs) == (0, 0)


def test_gold_hands_in_the_known_solution(run_solver, task_runner, tmp_path) -> None:
    record = run_solver(GoldSolver())
    assert (record.ending, record.patch) == (StopReason.SUBMITTED, GOLD)
    assert task_runner.runs == 0
    tree = tmp_path / "tree"
    task_runner.make_tree(make_task(), tree)
    subprocess.run(["patch", "-p0", "-t", "-E"], cwd=tree, input=record.patch.encode(), check=True)
    assert task_runner.run_tests(make_task(), tree, "target", log_folder=tmp_path).solved


@pytest.fixture
def solved(run_solver, tmp_path) -> Path:
    """The folder of a run that a model solved with a detour."""
    script = [
        Say("hm"),
        Say("", [Call("view_file", '{"path": ')]),
        Say("", [Call("replace_all_in_file", FIX), Call("list_dir")]),
        Say("", [Call("execute_tests")]),
    ]
    with ScriptedModel(script) as server, open_model(server.endpoint()) as model:
        record = run_solver(ModelSolver(model), folder="first")
    assert record.ending is StopReason.SOLVED
    return tmp_path / "first"


@pytest.mark.parametrize("place", ["", "trajectories", "trajectories/{}.json", "records/{}.json"])
def test_a_replay_does_again_what_was_done(run_solver, solved, place) -> None:
    before = from_json(RunRecord, next((solved / "records").iterdir()).read_bytes())
    record = run_solver(ReplaySolver(solved / place.format(before.instance_id)), folder="second")
    for name in ("ending", "calls", "sequence", "patch", "refused"):
        assert getattr(record, name) == getattr(before, name), name
    assert [run.patch_sha256 for run in record.runs] == [run.patch_sha256 for run in before.runs]
    assert [run.call for run in record.runs] == [0, 4]


def test_a_trajectory_holds_every_step(solved) -> None:
    path = next((solved / "trajectories").iterdir())
    trajectory = read_trajectory(path.read_bytes(), what="it")
    assert trajectory.schema_version == "ATIF-v1.4"
    assert [step.step_id for step in trajectory.steps] == list(range(1, 8))
    assert [step.source for step in trajectory.steps] == ["system", "user", *["agent"] * 5]
    calls = [step.tool_calls[0].function_name if step.tool_calls else None for step in trajectory.steps]
    assert calls == [None, None, "execute_tests", None, "view_file", "replace_all_in_file", "execute_tests"]
    last = trajectory.steps[-1]
    assert last.tool_calls[0].tool_call_id == last.observation.results[0].source_call_id
    assert last.metrics.prompt_tokens == 10
    assert trajectory.final_metrics.total_prompt_tokens == 40
    assert (solved / "trajectories" / path.name).read_text().count("math.pi") >= 1


def test_a_replay_of_nothing_or_garbage_says_so(run_solver, tmp_path) -> None:
    with pytest.raises(UsageError, match="nothing to replay"):
        ReplaySolver(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    assert run_solver(ReplaySolver(tmp_path / "empty"), folder="a").ending is StopReason.GAVE_UP
    (tmp_path / "bad.json").write_text('{"schema_version": 3')
    record = run_solver(ReplaySolver(tmp_path / "bad.json"), folder="b")
    assert record.ending is StopReason.ERROR
    assert "no ATIF trajectory" in record.detail
    with pytest.raises(StoredDataError):
        read_trajectory(b'{"schema_version": "ATIF-v1.4"}', what="it")


def test_a_task_without_a_tree_or_an_environment_is_an_error_with_a_reason(
    run_solver, solved, task_runner
) -> None:
    task_runner.missing = True
    record = run_solver(ReplaySolver(solved), folder="c")
    assert (record.ending, record.detail) == (StopReason.ERROR, "there is no such commit")
    task_runner.missing, task_runner.broken = False, True
    record = run_solver(ReplaySolver(solved), folder="d")
    assert (record.ending, record.detail) == (
        StopReason.ERROR,
        "the environment did not build: no such wheel",
    )


@pytest.fixture(scope="module")
def sandbox():
    sandbox = choose_sandbox("bwrap")
    if not all(one.ok for one in sandbox.probe() if one.needed):
        pytest.skip("bubblewrap does not work here")
    return sandbox


def test_a_command_s_changes_of_allowed_files_are_its_answer(run_solver, sandbox) -> None:
    command = (
        "sed -i s/oldlib/math/ pkg/shapes.py; echo true > tests/test_shapes.py; echo x > setup.py;"
        "echo new > pkg/new.py; rm pkg/text.py; ln -s /etc/passwd pkg/link.py; mkdir -p __pycache__;"
        "echo x > __pycache__/x.pyc; "
        "test -s $BACKDATE_INSTRUCTION && grep -c instance_id $BACKDATE_TASK; exit 3"
    )
    record = run_solver(CommandSolver(command, sandbox))
    assert (record.ending, record.detail) == (StopReason.SUBMITTED, "the command ended with status 3")
    assert record.patch.count("+++") == 1
    assert "+    return math.pi" in record.patch
    assert [one.split(":")[0] for one in record.dropped] == [
        "pkg/new.py",
        "pkg/text.py",
        "setup.py",
        "tests/test_shapes.py",
    ]


def test_a_command_is_told_what_applies_to_it(run_solver, sandbox) -> None:
    command = "{ printf '# '; tr '\\n' ' ' < $BACKDATE_INSTRUCTION; } >> pkg/shapes.py"
    told = run_solver(CommandSolver(command, sandbox, CommandOptions(timeout_s=77))).patch
    for words in ("You work in /work/project", "There is no network", "no environment", "after 77 seconds"):
        assert words in told
    for words in ("tools only", "test runs", "run once for you"):  # which is so for models
        assert words not in told


def test_a_command_sees_no_solution_and_no_network(run_solver, sandbox) -> None:
    command = "grep -rl math.pi /backdate /work && sed -i s/oldlib/leaked/ pkg/shapes.py"
    assert run_solver(CommandSolver(command, sandbox)).patch == ""


def test_a_command_can_run_the_tests_in_the_new_environment(run_solver, sandbox) -> None:
    executable = find_interpreter("3.12")
    environment = environment_of(executable.parent.parent, executable)
    options = CommandOptions(new_environment=lambda task, tree: environment)
    command = (
        "$BACKDATE_PYTHON tests/test_shapes.py || sed -i s/oldlib/math/ pkg/shapes.py;"
        "python3.12 tests/test_shapes.py"
    )
    record = run_solver(CommandSolver(command, sandbox, options))
    assert (record.detail, record.patch.count("+++")) == ("", 1)


def test_a_folder_that_became_a_link_is_not_followed(tmp_path) -> None:
    before, after, outside = tmp_path / "before", tmp_path / "after", tmp_path / "outside"
    task_runner = FakeScriptRunner()
    task_runner.make_tree(make_task(), before)
    task_runner.make_tree(make_task(), after)
    task_runner.make_tree(make_task(), outside)
    (outside / "pkg/shapes.py").write_text("SECRET = 1\n")
    for name in ("shapes.py", "text.py", "__init__.py"):
        (after / "pkg" / name).unlink()
    (after / "pkg").rmdir()
    (after / "pkg").symlink_to(outside / "pkg")
    patch, dropped = take_answer(before, after, edit_policy_of(make_task()))
    assert patch == ""
    assert all(one.endswith("it was removed") for one in dropped)


@pytest.mark.parametrize("text", ["", "golden", "replay:", "model:", "command: ", "rule"])
def test_what_is_no_solver_is_told_with_the_forms(text, sandbox) -> None:
    with (
        pytest.raises(UsageError, match=r"write one of|no model"),
        open_solver(text, SolverOptions(sandbox=sandbox)),
    ):
        pass
