"""Tests of asking solvers about snippets: kept per row, ask and sample; resumed; models that fail."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.errors import UsageError
from backdate.evaluation.snippets.answers import SnippetReply, SnippetRunSettings, SnippetSolver
from backdate.evaluation.snippets.run_folder import load_answers, load_snippet_run
from backdate.evaluation.snippets.running import AnswersSoFar, SnippetPlan, ask_all
from backdate.evaluation.snippets.solvers import GoldSnippets, ModelSnippets, NullSnippets, ReplaySnippets
from backdate.models.open import open_model
from backdate.snippets.snippet import Snippet, SnippetAsk
from tests.support.scripted_model import Say, ScriptedModel, Status
from tests.support.snippet_builders import MIGRATED, make_java, make_snippet

SNIPPETS = (make_snippet("easy-1"), make_java("java-1"))


def ask(folder: Path, solver: SnippetSolver, *, samples: int = 1, **more: object) -> AnswersSoFar:
    settings = SnippetRunSettings(solver=solver.name, samples=samples)
    plan = SnippetPlan(dataset="d", snippets=SNIPPETS, solver=solver, settings=settings, folder=folder)
    return ask_all(replace(plan, **more))  # type: ignore[arg-type]


class Counted:
    """Counts what it is asked."""

    name = "counted"
    deterministic = False

    def __init__(self) -> None:
        self.asked: list[tuple[str, SnippetAsk, int]] = []

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:
        self.asked.append((snippet.id, ask, sample))
        return SnippetReply(text=f"{len(self.asked)}")


def test_only_what_a_row_can_be_asked_is_asked_and_nothing_twice(tmp_path: Path) -> None:
    solver = Counted()
    assert ask(tmp_path, solver, samples=2) == AnswersSoFar(answered=10, without=0)
    assert len(set(solver.asked)) == 10
    assert ("java-1", SnippetAsk.MIGRATE, 0) not in solver.asked
    ask(tmp_path, solver, samples=2)
    assert len(solver.asked) == 10
    ask(tmp_path, solver, samples=3)  # more samples go on with the run
    assert len(solver.asked) == 15
    assert load_snippet_run(tmp_path).settings.samples == 3


def test_another_run_is_not_written_over(tmp_path: Path) -> None:
    ask(tmp_path / "run", Counted())
    with pytest.raises(UsageError, match="other settings"):
        ask(tmp_path / "run", NullSnippets())
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "run.json").write_text("{}")
    with pytest.raises(UsageError, match="holds no run over snippets"):
        ask(tmp_path / "tasks", NullSnippets())


def test_gold_answers_what_can_be_derived(tmp_path: Path) -> None:
    unknown = replace(make_snippet().apis[0], replacement="")
    snippets = (make_snippet(apis=(unknown,)), *SNIPPETS[1:])
    assert ask(tmp_path / "run", GoldSnippets(), snippets=snippets) == AnswersSoFar(answered=4, without=1)
    known = make_snippet(reference=MIGRATED)
    assert GoldSnippets().answer(known, SnippetAsk.MIGRATE, 0).text == MIGRATED


def test_samples_of_a_model_differ_by_their_seed_and_a_failure_is_asked_again(tmp_path: Path) -> None:
    with ScriptedModel([Say("one"), Status(400), Say("three")]) as server:
        with (
            open_model(server.endpoint()) as first,
            open_model(server.endpoint()) as second,
        ):
            solver = ModelSnippets(name="model:x", models=(first, second))
            snippets = (make_snippet(asks=(SnippetAsk.LOCATE,)),)
            assert ask(tmp_path, solver, samples=2, snippets=snippets).without == 1
            again = ask(tmp_path, solver, samples=2, snippets=snippets)
            assert again.without == 1
            assert len(server.requests) == 2
            assert ask(tmp_path, solver, samples=2, snippets=snippets, retry=True).answered == 2
        replies = {place[2]: answer.reply.text for place, answer in load_answers(tmp_path).items()}
        assert replies == {0: "one", 1: "three"}


def test_a_wrong_key_ends_the_run_and_nothing_is_kept_of_it(tmp_path: Path) -> None:
    with ScriptedModel(lambda _: Status(401)) as server, open_model(server.endpoint()) as model:
        told = ask(tmp_path, ModelSnippets(name="model:x", models=(model,)))
        assert told.answered == 0
        assert told.stopped
        assert len(server.requests) == 1
    assert load_answers(tmp_path) == {}


def test_answers_are_replayed_from_lines_and_from_another_run(tmp_path: Path) -> None:
    ask(tmp_path / "run", GoldSnippets())
    from_run = ReplaySnippets(tmp_path / "run" / "answers.jsonl")
    assert "numpy.asfarray" in from_run.answer(SNIPPETS[0], SnippetAsk.LOCATE, 0).text
    assert from_run.answer(SNIPPETS[0], SnippetAsk.LOCATE, 1).problem == "no-line"
    lines = [
        {"snippet": "easy-1", "ask": "locate", "reply": "[]"},
        {"snippet": "easy-1", "ask": "sing", "reply": ""},
    ]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(UsageError, match="line 2"):
        ReplaySnippets(file)
