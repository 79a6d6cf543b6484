"""Tests of what a report says of runs over snippets, alone and beside runs over tasks."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from score_builders import make_run, make_score
from typer.testing import CliRunner

from backdate.cli.main import app_for
from backdate.evaluation.snippets.scored import (
    BASELINE,
    ScoredAnswer,
    SnippetScores,
    SnippetTraits,
    write_snippet_scores,
)
from backdate.evaluation.snippets.summary import summarise_snippets
from backdate.reports.build import write_report
from backdate.reports.snippet_tables import snippet_tables
from backdate.serial import write_whole
from backdate.snippets.questions.answer import AnswerLabel
from backdate.snippets.questions.score import AnswerScore, MigrationError
from backdate.snippets.snippet import Collection, Direction, Language, SnippetAsk

HOSTILE = "<script>alert(1)</script>"


def make_scores(model: str = HOSTILE) -> SnippetScores:
    traits = SnippetTraits(
        id="easy-1",
        collection=Collection.CODEMENV_EASY,
        language=Language.PYTHON,
        direction=Direction.FORWARD,
        library="numpy",
        confirmed=True,
    )

    def answer(ask: SnippetAsk, sample: int, score: AnswerScore) -> ScoredAnswer:
        return ScoredAnswer(snippet="easy-1", ask=ask, sample=sample, score=score)

    failed = AnswerScore(error=MigrationError.CALL_ERROR, labels=(AnswerLabel.FENCED,), detail=HOSTILE)
    return SnippetScores(
        model=model,
        dataset="codemenv",
        dataset_digest="0",
        asks=(SnippetAsk.LOCATE, SnippetAsk.MIGRATE),
        snippets=(traits,),
        answers=(
            answer(SnippetAsk.LOCATE, BASELINE, AnswerScore()),
            answer(SnippetAsk.LOCATE, 0, AnswerScore(strict=True, precision=1.0, recall=1.0)),
            answer(SnippetAsk.MIGRATE, BASELINE, AnswerScore(released=True)),
            answer(SnippetAsk.MIGRATE, 0, failed),
        ),
        scored=datetime(2026, 11, 23, tzinfo=UTC),
        backdate="0",
    )


def test_tables_2_and_3_tell_the_baseline_and_both_subsets() -> None:
    tables = {table.name: table for table in snippet_tables([summarise_snippets(make_scores("m"))])}
    words = tables["snippet-words"].as_value()["rows"]
    assert isinstance(words, list)
    assert [(row["Subset"], row["pass@1"], row["doing nothing"]) for row in words] == [
        ("all", "100.0 %", "0.0 %"),
        ("confirmed", "100.0 %", "0.0 %"),
    ]
    code = tables["snippet-code"].as_value()["rows"]
    assert isinstance(code, list)
    assert [row["Snippets of"] for row in code][::2] == ["codemenv-easy", "codemenv-easy, old-to-new"]
    assert code[0]["… released"] == "100.0 %"
    errors = tables["snippet-errors"].as_value()["rows"]
    assert isinstance(errors, list)
    assert errors[0]["call-error"] == "1"


def test_a_report_of_snippets_alone_and_beside_tasks(tmp_path: Path) -> None:
    write_report([], tmp_path / "alone", snippet_runs=[make_scores()])
    page = (tmp_path / "alone/index.html").read_text()
    assert "Evaluation on snippets" in page
    assert HOSTILE not in page
    assert 'id="plot-snippet-errors"' in page
    assert 'id="table-scores"' not in page
    write_report([make_run(make_score("a"))], tmp_path / "both", snippet_runs=[make_scores()])
    page = (tmp_path / "both/index.html").read_text()
    assert 'id="table-scores"' in page
    assert 'id="table-snippet-code"' in page
    values = json.loads((tmp_path / "both/report.json").read_text())
    assert values["snippets"][0]["figures"][0]["strict"]["pass_at_1"] == 1.0


def test_the_command_takes_both_kinds_of_runs(tmp_path: Path) -> None:
    write_whole(tmp_path / "run/snippet_run.json", b"{}")
    write_snippet_scores(tmp_path / "run", make_scores("m"))
    done = CliRunner().invoke(app_for([]), ["report", str(tmp_path / "run"), "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    assert "m on codemenv" in done.output
    assert (tmp_path / "out/tables/snippet-code.csv").is_file()
