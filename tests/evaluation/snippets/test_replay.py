"""Answers from files: our own lines, and GitChameleon's published form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from snippet_builders import make_snippet

from backdate.errors import UsageError
from backdate.evaluation.snippets.solvers import ReplaySnippets
from backdate.snippets.snippet import SnippetAsk


def replay(folder: Path, *lines: object) -> ReplaySnippets:
    path = folder / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return ReplaySnippets(path)


def replied(solver: ReplaySnippets, name: str, sample: int = 0) -> str:
    row = make_snippet(name, asks=(SnippetAsk.COMPLETE,))
    return solver.answer(row, SnippetAsk.COMPLETE, sample).text


def test_published_answers_are_completions(tmp_path: Path) -> None:
    solver = replay(
        tmp_path,
        {"example_id": "7", "answer": "def f(): pass"},
        {"example_id": "8", "solution": "def g(): pass", "model": "m"},
        {"example_id": "9", "output": "```python\ndef h(): pass\n```"},
    )
    assert replied(solver, "gitchameleon-7") == "def f(): pass"
    assert replied(solver, "gitchameleon-8") == "def g(): pass"
    assert replied(solver, "gitchameleon-9").startswith("```python")
    assert replied(solver, "gitchameleon-1") == ""


def test_further_answers_of_one_row_are_further_samples(tmp_path: Path) -> None:
    solver = replay(tmp_path, *({"example_id": "7", "answer": str(number)} for number in range(3)))
    assert solver.samples == 3
    assert [replied(solver, "gitchameleon-7", sample) for sample in range(3)] == ["0", "1", "2"]


@pytest.mark.parametrize(
    "odd",
    [{"example_id": "7"}, {"example_id": 7, "answer": "x"}, {"example_id": "7", "answer": None}, [], 3],
)
def test_lines_of_another_form_are_named(tmp_path: Path, odd: object) -> None:
    with pytest.raises(UsageError, match="line 2 is no answer"):
        replay(tmp_path, {"example_id": "7", "answer": "x"}, odd)
