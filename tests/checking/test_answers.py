"""The answers of a check: what decides, and that they are read as they were written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from check_builders import small_check_result

from backdate.checking.answers import (
    CheckAnswers,
    NeededCap,
    UnneededCap,
    _in_each_result,
    answers_of,
    holds_answers,
    read_answers,
)
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import FORMAT, Verdict
from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.migrations import KeyRename, Migration
from backdate.serial import from_json, to_json

DECLARED = replace(
    small_check_result(), question=Question.DECLARED, verdict=Verdict.NOTHING_BROKE, reason="all pass"
)
LIFTED = replace(small_check_result(), verdict=Verdict.BROKE, reason="4 of 9 fail")
CAP = NeededCap(
    distribution="marshmallow",
    requirement="marshmallow<4",
    file="pyproject.toml",
    line=12,
    tests=4,
    proven=True,
    kept_with=("click<9",),
)
FREE = UnneededCap(
    distribution="attrs", requirement="attrs<24", file="pyproject.toml", line=13, without="25.1.0"
)


def answers(decided_by: AskedQuestions = AskedQuestions.DECLARED) -> CheckAnswers:
    return CheckAnswers(
        decided_by=decided_by, declared=DECLARED, lifted=LIFTED, caps=(CAP,), liftable=(FREE,)
    )


@pytest.mark.parametrize(
    ("decided_by", "verdict"),
    [
        (AskedQuestions.DECLARED, Verdict.NOTHING_BROKE),
        (AskedQuestions.LIFTED, Verdict.BROKE),
        (AskedQuestions.BOTH, Verdict.BROKE),
    ],
)
def test_which_question_decides(decided_by: AskedQuestions, verdict: Verdict) -> None:
    assert answers(decided_by).verdict is verdict
    assert answers(decided_by).results == (DECLARED, LIFTED)


def test_the_declared_result_is_taken_of_two_that_are_as_bad() -> None:
    both = CheckAnswers(
        decided_by=AskedQuestions.BOTH, declared=replace(DECLARED, verdict=Verdict.BROKE), lifted=LIFTED
    )
    assert both.deciding is both.declared


def test_what_decides_has_a_result() -> None:
    with pytest.raises(ValueError, match="declared decides"):
        CheckAnswers(decided_by=AskedQuestions.DECLARED, lifted=LIFTED)
    with pytest.raises(ValueError, match="both decides"):
        CheckAnswers(decided_by=AskedQuestions.BOTH, declared=DECLARED)


def test_answers_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_bytes(to_json(answers(), indent=2))
    assert read_answers(file) == answers()
    assert from_json(CheckAnswers, to_json(answers())) == answers()


def test_a_result_alone_is_the_answer_to_its_question(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    for result in (DECLARED, LIFTED):
        file.write_bytes(to_json(result))
        assert read_answers(file) == answers_of(result)
        assert read_answers(file).deciding == result


def test_a_result_of_before_there_were_questions_is_a_lifted_one(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    document = json.loads(to_json(LIFTED))
    del document["question"]
    file.write_text(json.dumps(document))
    read = read_answers(file)
    assert (read.decided_by, read.declared, read.lifted) == (AskedQuestions.LIFTED, None, LIFTED)


def test_what_is_no_answer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    with pytest.raises(SourceError, match="cannot be read"):
        read_answers(file)
    file.write_text(json.dumps({"format": FORMAT + 1, "decided_by": "declared"}))
    with pytest.raises(NewerFormat, match="update backdate"):
        read_answers(file)
    file.write_text(json.dumps({"format": FORMAT, "decided_by": "nonsense"}))
    with pytest.raises(StoredDataError, match="backdate check --json FILE"):
        read_answers(file)
    for data in (b"", b"[1]", b'{"decided_by": 3}', b"\xff", b"[" * 100_000):
        assert not holds_answers(data)


def test_a_migration_of_results_changes_those_in_answers() -> None:
    renamed = Migration(to_format=9, renames=(KeyRename(old="was", new="is"),))
    document = {"declared": {"was": 1}, "lifted": None, "was": 2}
    assert _in_each_result(renamed)(document) == {"declared": {"is": 1}, "lifted": None, "was": 2}
