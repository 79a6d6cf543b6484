"""Scripted models over a real HTTP server, in all three dialects; the failure stories of the paper."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace

import pytest
from fake_runner import FIX
from patience import PATIENCE_S, with_enough_time
from scripted_model import Call, Cut, Hang, Raw, Say, ScriptedModel, Status, megabyte, refuse
from slow_tests import others_slow

from backdate.models.open import open_model
from backdate.models.settings import ModelSettings, Patience
from backdate.solvers.conversation import NO_TOOL, ToolRequest
from backdate.solvers.dialects.marked import write_call
from backdate.solvers.model import ModelSolver
from backdate.solvers.records import StopReason

DIALECTS = ("native", "two-step", "marked")
QUICK_RETRIES = Patience(timeout_s=PATIENCE_S, attempts=2, first_delay_s=0.01, max_delay_s=0.02)


def call(dialect: str, tool: str, thought: str = "I think so.", **arguments: object) -> list[Say]:
    """The replies of a model that calls a tool once, as the dialect wants it."""
    if dialect == "native":
        return [Say(thought, [Call(tool, arguments)])]
    if dialect == "two-step":
        return [Say(thought), Say("", [Call(tool, arguments)])]
    return [Say(f"{thought}\n{write_call(ToolRequest(name=tool, arguments=arguments))}")]


def silent(dialect: str, text: str = "The tests should pass now.") -> list[Say]:
    """The replies of a model that only talks."""
    return [Say(text)] * (2 if dialect == "two-step" else 1)


def _settings(timeout_s: float = PATIENCE_S) -> ModelSettings:
    return ModelSettings(patience=replace(QUICK_RETRIES, timeout_s=timeout_s))


@contextmanager
def scripted(script, timeout_s=PATIENCE_S):
    with ScriptedModel(script) as server, open_model(server.endpoint(), _settings(timeout_s)) as model:
        yield server, ModelSolver(model)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_task_is_solved_in_every_dialect(run_solver, dialect) -> None:
    script = [
        *call(dialect, "search_last_log", query="NameError"),
        *call(dialect, "view_file", path="pkg/shapes.py"),
        *call(dialect, "replace_all_in_file", **FIX),
        *call(dialect, "execute_tests"),
    ]
    with scripted(script) as (server, solver):
        record = run_solver(solver, dialect=dialect)
    assert server.unscripted == 0
    assert record.ending is StopReason.SOLVED
    assert record.sequence == ("search_last_log", "view_file", "replace_all_in_file", "execute_tests")
    assert (record.calls, record.tests) == (4, 1)
    assert record.solved_at is not None
    assert (record.solved_at.call, record.solved_at.number) == (4, 1)
    assert record.runs[0].call == 0
    assert "+    return math.pi * r * r" in record.patch
    requests = 8 if dialect == "two-step" else 4
    assert (record.usage.requests, record.usage.input_tokens) == (requests, 10 * requests)
    assert record.usage.cost_usd is None


@pytest.mark.parametrize("dialect", others_slow(DIALECTS, kept=DIALECTS[:1]))
def test_the_marks_and_code_of_several_lines_survive(run_solver, dialect, tmp_path) -> None:
    text = "def shout(word):\n    # </new_text> <path>x</path>\n    return f\"{word!s}\" + '\\n'\n"
    script = [
        *call(dialect, "edit_file", path="pkg/text.py", first_line=1, last_line=2, new_text=text),
        *call(dialect, "replace_all_in_file", **FIX),
        *call(dialect, "execute_tests"),
    ]
    with scripted(script) as (_, solver):
        record = run_solver(solver, dialect=dialect)
    assert record.ending is StopReason.SOLVED
    assert "+    # </new_text> <path>x</path>\n+    return f\"{word!s}\" + '\\n'\n" in record.patch


@pytest.mark.parametrize("dialect", others_slow(DIALECTS, kept=DIALECTS[:1]))
def test_a_model_that_imitates_its_own_missing_call_ends_after_six(run_solver, dialect) -> None:
    script = [*call(dialect, "list_dir"), *(silent(dialect) * 6)]
    with scripted(script) as (server, solver):
        record = run_solver(solver, dialect=dialect)
    assert (record.ending, record.calls) == (StopReason.NO_TOOL, 7)
    assert record.sequence == ("list_dir", *[""] * 6)
    assert server.unscripted == 0
    words = [message["content"] for message in server.requests[-1]["messages"]]
    assert words.count(NO_TOOL) == 5  # it sees its own silence again, and each answer to it


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_model_that_gives_up_in_words_is_counted_as_silent(run_solver, dialect) -> None:
    script = silent(dialect, "I cannot solve this problem.") * 6
    with scripted(script) as (_, solver):
        record = run_solver(solver, dialect=dialect)
    assert (record.ending, record.patch) == (StopReason.NO_TOOL, "")


@pytest.mark.parametrize("dialect", others_slow(DIALECTS, kept=DIALECTS[:1]))
def test_an_off_by_one_edit_shows_and_can_be_taken_back(run_solver, dialect) -> None:
    edit = {"path": "pkg/shapes.py", "new_text": "    return math.pi * r * r\n"}
    script = [
        *call(dialect, "edit_file", first_line=4, last_line=4, **edit),
        *call(dialect, "revert_last"),
        *call(dialect, "edit_file", first_line=5, last_line=5, **edit),
        *call(dialect, "execute_tests"),
    ]
    with scripted(script) as (server, solver):
        record = run_solver(solver, dialect=dialect)
    told = json.dumps(server.requests[2 if dialect == "two-step" else 1]["messages"])
    assert "no longer valid Python" in told
    assert record.ending is StopReason.SOLVED
    assert record.patch.count("\n+") == 2  # the header and one line


def test_a_dummy_constant_is_an_answer_like_any_other_here(run_solver) -> None:
    dummy = "import math\n\n\ndef area(r):\n    return 3.14\n"
    script = [
        *call("native", "edit_file", path="pkg/shapes.py", first_line=1, last_line=5, new_text=dummy),
        *call("native", "execute_tests"),
    ]
    with scripted(script) as (_, solver):
        record = run_solver(solver)
    assert record.ending is StopReason.SOLVED  # scoring flags it
    assert "+    return 3.14" in record.patch


def test_budgets_end_a_model_that_never_stops(run_solver) -> None:
    def forever(_body):
        return call("native", "execute_tests")[0]

    with scripted(forever) as (_, solver):
        record = run_solver(solver, tests=3)
    assert (record.ending, record.calls, len(record.runs)) == (StopReason.TESTS, 3, 4)
    with scripted(lambda _: call("native", "list_dir")[0]) as (_, solver):
        record = run_solver(solver, folder="second", calls=7)
    assert (record.ending, record.calls) == (StopReason.CALLS, 7)


@pytest.mark.parametrize("dialect", others_slow(DIALECTS, kept=DIALECTS[:1]))
def test_unknown_tools_garbage_and_a_second_call_are_answered(run_solver, dialect) -> None:
    script = [*call(dialect, "rm_rf", path="/"), *call(dialect, "view_file", path="../../etc/passwd")]
    with scripted([*script, *(silent(dialect, "\x00\ud83d ok") * 6)]) as (server, solver):
        record = run_solver(solver, dialect=dialect)
    assert record.sequence[:2] == ("?", "view_file")
    assert record.refused == 2
    assert "There is no tool" in json.dumps(server.requests[-1]["messages"])


def test_broken_arguments_are_told_and_not_sent_back(run_solver) -> None:
    script = [
        Say("", [Call("view_file", '{"path": "pkg/sha')], finish="length"),
        Say("", [Call("view_file", "[1, 2]")]),
        Say("", [Call("view_file", "[" * 100_000)]),
        Say("", [Call("view_file", {"path": "pkg/text.py"}), Call("list_dir", {})]),
        *[Say("done")] * 6,
    ]
    with scripted(script) as (server, solver):
        record = run_solver(solver)
    assert record.refused == 3
    last = server.requests[-1]["messages"]
    told = [message["content"] for message in last if message["role"] == "tool"]
    assert "cut off" in told[1]
    assert "not a JSON object" in told[2]
    for message in last:
        for made in message.get("tool_calls", ()):
            assert isinstance(json.loads(made["function"]["arguments"]), dict)
    assert record.sequence[3] == "view_file"  # and not the second one


@pytest.mark.parametrize("dialect", others_slow(DIALECTS, kept=DIALECTS[:1]))
def test_a_megabyte_is_survived_and_not_sent_back(run_solver, dialect) -> None:
    big = Say("x" * 900_000)
    with scripted([big, big, *(silent(dialect) * 8)]) as (server, solver):
        record = run_solver(solver, dialect=dialect)
    assert record.ending is StopReason.NO_TOOL
    assert len(json.dumps(server.requests[-1])) < 150_000


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        ([Status(500), Status(500)], "endpoint-down"),
        ([Status(429), Status(429)], "rate-limited"),
        ([Status(401)], "unauthorised"),
        ([Raw(b"<html>")] * 2, "bad-answer"),
        pytest.param([Cut(), Cut()], "", marks=pytest.mark.slow),
        pytest.param([megabyte()] * 2, "answer-too-large", marks=pytest.mark.slow),
    ],
)
def test_a_failing_endpoint_is_an_ending_with_its_name_and_keeps_the_patch(run_solver, answers, kind) -> None:
    with scripted([*call("native", "replace_all_in_file", **FIX), *answers]) as (_, solver):
        record = run_solver(solver)
    assert record.ending is StopReason.MODEL
    assert record.detail.startswith(kind)
    assert record.calls == 1
    assert "math.pi" in record.patch


def test_an_endpoint_that_hangs_is_an_ending_and_keeps_the_patch(run_solver) -> None:
    def attempt(timeout_s: float):
        script = [*call("native", "replace_all_in_file", **FIX), Hang(), Hang()]
        with scripted(script, timeout_s) as (_, solver):
            return run_solver(solver)

    record = with_enough_time(attempt, lambda record: record.calls == 1, 0.5)
    assert record.ending is StopReason.MODEL
    assert record.detail.startswith("timeout")
    assert "math.pi" in record.patch


def test_a_refusal_is_a_reply_without_a_tool(run_solver) -> None:
    with scripted([refuse()] * 6) as (_, solver):
        record = run_solver(solver)
    assert (record.ending, record.calls) == (StopReason.NO_TOOL, 6)


def test_history_is_cut_at_the_latest_test_run_and_the_release_keeps_one_more(run_solver) -> None:
    script = [
        *call("native", "list_dir", thought="alpha"),
        *call("native", "execute_tests", thought="beta"),
        *call("native", "list_dir", thought="gamma"),
        *[Say("hm")] * 6,
    ]
    seen = {}
    for rule in ("paper", "release"):
        with scripted(script) as (server, solver):
            run_solver(solver, folder=rule, history=rule)
        seen[rule] = json.dumps(server.requests[3]["messages"])
    assert "alpha" not in seen["paper"]
    assert "beta" in seen["paper"]
    assert "alpha" in seen["release"]


def test_costs_come_from_the_prices_and_are_unknown_without(run_solver) -> None:
    def cost(_model, tokens):
        return tokens.prompt_tokens / 100

    with ScriptedModel([Say("hm")] * 6) as server, open_model(server.endpoint(), _settings()) as model:
        record = run_solver(ModelSolver(model, cost=cost))
    assert record.usage.cost_usd == pytest.approx(0.6)
    with scripted([Say("hm", usage=None)] * 6) as (_, solver):
        record = run_solver(solver, folder="uncounted")
    assert record.usage.input_tokens is None


def test_a_key_that_is_refused_once_is_not_tried_for_every_task(run_solver, task_runner) -> None:
    with scripted([Status(401)]) as (server, solver):
        first = run_solver(solver)
        runs = task_runner.runs
        second = run_solver(solver, folder="second")
    assert (first.ending, second.ending) == (StopReason.MODEL, StopReason.MODEL)
    assert first.detail == second.detail
    assert (len(server.requests), task_runner.runs) == (1, runs)
