"""Rules first, then another solver: one patch, one account."""

from __future__ import annotations

import pytest
from dead_names import rename
from scripted_model import Call, Say, ScriptedModel
from shaking_tree import DeadNamesRunner, FixedSource, solver, task_of

from backdate.editing.apply import apply_patch
from backdate.editing.diff import diff_files
from backdate.models.open import open_model
from backdate.models.settings import ModelSettings
from backdate.solvers.conversation import ToolRequest
from backdate.solvers.dialects.marked import write_call
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.model import ModelSolver
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.records import MODEL_CALLS, RunSettings, SolverUsage, StopReason, SuiteCall
from backdate.solvers.rules.rules_first import RulesFirst

FILES = {"a.py": "import lib\nx = lib.product\ny = 1\n", "b.py": "z = lib.add\n"}


class Finisher:
    """Mends by hand what the rules left, and counts what it was given."""

    name = "finisher"

    def __init__(self, *edits: tuple[str, str, str]) -> None:
        self.edits = edits
        self.assignments: list[Assignment] = []

    def attempt(self, assignment: Assignment) -> SolverResult:
        self.assignments.append(assignment)
        tree = assignment.make_tree()
        before = {name: (tree / name).read_bytes() for name, _, _ in self.edits}
        after = {}
        for name, old, new in self.edits:
            after[name] = after.get(name, before[name]).replace(old.encode(), new.encode())
        return SolverResult(
            ending=StopReason.SOLVED,
            patch=diff_files(before, after),
            calls=3,
            runs=(
                SuiteCall(number=0, call=0, solved=False, reason="1 failed"),
                SuiteCall(number=1, call=3, solved=True, reason=""),
            ),
            usage=SolverUsage(requests=3, input_tokens=10, output_tokens=5),
            model="m",
            waited_s=1.0,
        )


def attempt(
    tmp_path, then, dialect: str = "native", calls: int | None = None, **rules: str
) -> tuple[SolverResult, DeadNamesRunner]:
    source = FixedSource(
        ProposalOrigin.WRITTEN_RULE,
        lambda group, _: (
            [rename(group.cause.name, rules[group.cause.name], *group.places)]
            if group.cause.name in rules
            else []
        ),
    )
    scratch, logs = tmp_path / "scratch", tmp_path / "run/logs/task"
    scratch.mkdir()
    logs.mkdir(parents=True)
    runner = DeadNamesRunner(FILES)
    both = RulesFirst(rules=solver(source), then=then)
    assert both.name == f"rules+{then.name}"
    assignment = Assignment(
        task=task_of(),
        settings=RunSettings(solver=both.name, dialect=dialect, calls=calls),
        task_runner=runner,
        scratch=scratch,
        logs=logs,
    )
    return both.attempt(assignment), runner


def patched(tmp_path, runner: DeadNamesRunner, patch: str) -> dict[str, str]:
    tree = tmp_path / "patched"
    runner.make_tree(None, tree)
    apply_patch(patch, tree)
    return {name: (tree / name).read_text() for name in FILES}


def test_the_other_solver_works_on_what_the_rules_left(tmp_path) -> None:
    then = Finisher(("b.py", "lib.add", "lib.sum"))
    result, runner = attempt(tmp_path, then, product="prod")
    assert result.ending is StopReason.SOLVED
    given = then.assignments[0]
    assert (given.tree / "a.py").read_text() == FILES["a.py"].replace("product", "prod")
    assert patched(tmp_path, runner, result.patch) == {
        "a.py": FILES["a.py"].replace("product", "prod"),
        "b.py": "z = lib.sum\n",
    }


def test_both_may_change_one_file(tmp_path) -> None:
    then = Finisher(("a.py", "y = 1", "y = 2"), ("b.py", "lib.add", "lib.sum"))
    result, runner = attempt(tmp_path, then, product="prod")
    assert patched(tmp_path, runner, result.patch)["a.py"] == "import lib\nx = lib.prod\ny = 2\n"


def test_the_other_may_take_back_what_the_rules_did(tmp_path) -> None:
    then = Finisher(("a.py", "lib.prod", "lib.product"))
    result, _ = attempt(tmp_path, then, product="prod")
    assert result.patch == ""


def test_there_is_one_account(tmp_path) -> None:
    result, _ = attempt(tmp_path, Finisher(("b.py", "lib.add", "lib.sum")), product="prod")
    assert [run.number for run in result.runs] == [0, 1, 2, 3]
    assert result.calls == 3 + 2
    assert result.runs[-1].call == result.calls
    assert result.usage.requests == 3
    assert result.side_runs == 1
    assert [reason.file for reason in result.reasons] == ["a.py"]


def test_the_budget_is_shared(tmp_path) -> None:
    then = Finisher(("b.py", "lib.add", "lib.sum"))
    attempt(tmp_path, then, calls=100, product="prod")
    settings = then.assignments[0].settings
    assert (settings.calls, settings.tests) == (
        98,
        8,
    )  # 10, less the run of the rules and the one given after


def test_the_edits_of_the_rules_take_no_calls_from_the_other_where_no_limit_is_stated(tmp_path) -> None:
    then = Finisher(("b.py", "lib.add", "lib.sum"))
    attempt(tmp_path, then, product="prod")
    given = then.assignments[0]
    assert (given.settings.calls, given.budget.calls) == (None, MODEL_CALLS)


def test_what_the_rules_solve_is_not_handed_on(tmp_path) -> None:
    then = Finisher()
    result, _ = attempt(tmp_path, then, product="prod", add="sum")
    assert result.ending is StopReason.SOLVED
    assert not then.assignments
    assert result.usage.requests == 0


@pytest.mark.parametrize("dialect", ["native", "marked"])
def test_a_model_goes_on_where_the_rules_end(tmp_path, dialect) -> None:
    edit = {"path": "b.py", "old_text": "lib.add", "new_text": "lib.sum"}
    requests = [("replace_all_in_file", edit), ("execute_tests", {})]
    script = [
        Say("I see.", [Call(name, arguments)])
        if dialect == "native"
        else Say(f"I see.\n{write_call(ToolRequest(name=name, arguments=arguments))}")
        for name, arguments in requests
    ]
    with ScriptedModel(script) as server, open_model(server.endpoint(), ModelSettings()) as model:
        result, runner = attempt(tmp_path, ModelSolver(model), dialect=dialect, product="prod")
    assert server.unscripted == 0
    assert result.ending is StopReason.SOLVED
    assert patched(tmp_path, runner, result.patch) == {
        "a.py": FILES["a.py"].replace("product", "prod"),
        "b.py": "z = lib.sum\n",
    }
    assert result.usage.requests == 2
    assert [run.solved for run in result.runs] == [False, False, False, True]
    names = [step.tool_calls[0].function_name for step in result.trajectory.steps if step.tool_calls]
    assert names == [
        "execute_tests",
        "run_old_side",
        "edit_file",
        "execute_tests",
        "execute_tests",
        "replace_all_in_file",
        "execute_tests",
    ]
    assert [step.step_id for step in result.trajectory.steps] == list(
        range(1, len(result.trajectory.steps) + 1)
    )
