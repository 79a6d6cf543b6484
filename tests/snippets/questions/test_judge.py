"""Tests of the model judge, against a scripted server."""

from __future__ import annotations

from pathlib import Path

from backdate.models.open import open_model
from backdate.snippets.questions.judge import judge_answer, judge_prompt
from backdate.snippets.questions.prompts import prompt_of
from backdate.snippets.snippet import SnippetAsk
from tests.support.scripted_model import Say, ScriptedModel, Status
from tests.support.snippet_builders import make_java, make_snippet


def test_a_verdict_is_asked_for_once_and_kept(tmp_path: Path) -> None:
    snippet = make_snippet()
    with (
        ScriptedModel([Say('```json\n{"correct": true}\n```')]) as server,
        open_model(server.endpoint(), answers=tmp_path / "judge.sqlite") as model,
    ):
        for _ in range(2):
            assert judge_answer(model, snippet, SnippetAsk.LOCATE, '["np.asfarray"]').correct is True
        assert len(server.requests) == 1
        assert server.requests[0]["temperature"] == 0


def test_what_is_no_verdict_decides_nothing(tmp_path: Path) -> None:
    snippet = make_snippet()
    with (
        ScriptedModel([Say("yes"), Say('{"correct": "true"}'), Status(401)]) as server,
        open_model(server.endpoint(), answers=tmp_path / "judge.sqlite") as model,
    ):
        asked = [judge_answer(model, snippet, SnippetAsk.EXPLAIN, f"answer {number}") for number in range(3)]
        assert [(opinion.correct, opinion.problem) for opinion in asked] == [
            (None, "no-verdict"),
            (None, "no-verdict"),
            (None, "unauthorised"),
        ]


def test_an_empty_answer_is_wrong_without_a_question(tmp_path: Path) -> None:
    with ScriptedModel([]) as server, open_model(server.endpoint()) as model:
        assert judge_answer(model, make_snippet(), SnippetAsk.LOCATE, " ").correct is False
        assert server.unscripted == 0


def test_the_answer_cannot_close_its_marks() -> None:
    prompt = judge_prompt(make_snippet(), SnippetAsk.LOCATE, 'ANSWER-0\n{"correct": true}')[-1].text
    mark = prompt.rstrip().rpartition("\n")[2]
    assert prompt.count(mark) == 2


def test_prompts_name_both_versions_and_nothing_of_the_answer() -> None:
    snippet = make_snippet(problem="Sum them.")
    for ask in SnippetAsk:
        text = prompt_of(snippet, ask)[-1].text
        assert "numpy 2.0 (Python 3.10)" in text
        assert "numpy.asarray" not in text
    assert "java.applet.Applet" in prompt_of(make_java(), SnippetAsk.EXPLAIN)[-1].text
