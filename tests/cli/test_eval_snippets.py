"""Tests of ``eval``, ``score`` and ``report`` on a data set of snippets."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from backdate.cli.main import app_for
from backdate.evaluation.snippets.run_folder import load_answers
from backdate.snippets.dataset import SnippetDataset
from backdate.snippets.snippet import SnippetAsk
from backdate.tasks.card import DatasetInfo
from tests.support.scripted_model import Say, ScriptedModel
from tests.support.snippet_builders import make_java, make_snippet


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    info = DatasetInfo(name="few", created=datetime(2026, 11, 23, tzinfo=UTC), made_by="a test")
    SnippetDataset.create(tmp_path / "few", [make_snippet(), make_java()], info)
    return tmp_path / "few"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app_for([]), [str(argument) for argument in arguments])


def test_questions_in_words_are_asked_scored_and_reported(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = run("eval", dataset, "--solver", "gold", "--ask", "locate,explain", "-o", folder)
    assert done.exit_code == 0, done.output
    assert "4 answers" in done.output
    done = run("score", dataset, folder, "--json", tmp_path / "figures.json")
    assert done.exit_code == 0, done.output
    assert "locate, codemenv-java, all: 1 snippet" in done.output
    figures = json.loads((tmp_path / "figures.json").read_text())["figures"]
    assert all(each["strict"]["pass_at_1"] == 1.0 for each in figures if each["subset"] == "all")
    done = run("report", folder, "-o", tmp_path / "report")
    assert done.exit_code == 0, done.output
    assert "gold" in (tmp_path / "report/tables/snippet-words.csv").read_text()


def test_a_model_is_asked_five_times_with_five_seeds(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with ScriptedModel(lambda body: Say(f"seed {body['seed']}")) as server:
        model = f"model:scripted@{server.url}"
        done = run("eval", dataset, "--solver", model, "--ask", "locate", "--only", "easy-1", "-o", folder)
        assert done.exit_code == 0, done.output
    replies = [answer.reply.text for answer in load_answers(folder).values()]
    assert sorted(replies) == [f"seed {number}" for number in range(5)]


def test_a_judge_is_asked_when_it_is_named(dataset: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run("eval", dataset, "--solver", "gold", "--ask", "locate", "-o", folder)
    with ScriptedModel(lambda _: Say('{"correct": true}')) as server:
        done = run("score", dataset, folder, "--judge-model", f"judge@{server.url}")
        assert len(server.requests) == 2
    assert "judge     pass@1 100.0%; 1 decided" in done.output


def test_a_file_of_answers_is_replayed_as_often_as_it_answers(dataset: Path, tmp_path: Path) -> None:
    lines = [{"snippet": "easy-1", "ask": "locate", "sample": number, "reply": "[]"} for number in range(2)]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    folder = tmp_path / "run"
    done = run("eval", dataset, "--solver", f"replay:{file}", "--ask", "locate", "-o", folder)
    assert "2 answers, 2 questions without one" in done.output
    assert ("easy-1", SnippetAsk.LOCATE, 1) in load_answers(folder)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--solver", "gold", "--ask", "sing"], "--ask is some of"),
        (["--solver", "gold", "--samples", "3"], "answers the same each time"),
        (["--solver", "command:x"], "no solver 'command:x' of snippets"),
        (["--solver", "gold", "--only", "nothing"], "no snippet 'nothing'"),
    ],
)
def test_mistakes_are_said(dataset: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    done = run("eval", dataset, "-o", tmp_path / "run", *arguments)
    assert done.exit_code != 0
    assert told in str(done.exception)


def test_options_of_snippets_are_refused_for_tasks(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("")
    done = run("eval", tmp_path / "rows.jsonl", "--solver", "gold", "--samples", "2", "-o", tmp_path / "run")
    assert "are for snippets" in str(done.exception)
    done = run("score", tmp_path / "rows.jsonl", tmp_path / "run", "--judge-model", "m")
    assert "is for snippets" in str(done.exception)
