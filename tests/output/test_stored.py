"""A stored result of any command is known by its marker, and older ones by their fields."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from stored_results import every_result

from backdate.checking.answers import CheckAnswers, answers_of
from backdate.checking.result import CheckResult
from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.output.render import AnyResult
from backdate.output.stored import read_any_result
from backdate.serial import to_json

RESULTS = every_result()


def as_shown(result: AnyResult) -> AnyResult:
    return answers_of(result) if isinstance(result, CheckResult) else result


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_every_result_is_read_back(result: AnyResult, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(result))
    assert read_any_result(file) == as_shown(result)
    assert read_any_result(tmp_path) == as_shown(result)


@pytest.mark.parametrize("result", RESULTS[:6], ids=lambda result: type(result).__name__)
def test_results_from_before_there_was_a_marker(result: AnyResult, tmp_path: Path) -> None:
    document = json.loads(to_json(result))
    del document["kind"]
    for name in ("declared", "lifted", "check"):
        if isinstance(document.get(name), dict):
            document[name].pop("kind", None)
    file = tmp_path / "old.json"
    file.write_text(json.dumps(document))
    assert read_any_result(file) == as_shown(result)


def test_answers_are_no_check(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    file.write_bytes(to_json(RESULTS[1]))
    assert isinstance(read_any_result(file), CheckAnswers)


def test_a_kind_of_a_later_version(tmp_path: Path) -> None:
    file = tmp_path / "later.json"
    file.write_text('{"kind": "forecast", "format": 1}')
    with pytest.raises(NewerFormat, match="update backdate"):
        read_any_result(file)


def test_a_fix_of_a_newer_check(tmp_path: Path) -> None:
    document = json.loads(to_json(RESULTS[3]))
    document["check"]["format"] = 99
    file = tmp_path / "fix.json"
    file.write_text(json.dumps(document))
    with pytest.raises(NewerFormat, match="update backdate"):
        read_any_result(file)


def test_a_folder_without_a_result(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="backdate report"):
        read_any_result(tmp_path)


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
@pytest.mark.parametrize("wrong", ["text", None, {"format": "x"}, 10**30])
def test_fields_of_another_type_are_damage(result: AnyResult, wrong: object, tmp_path: Path) -> None:
    whole = json.loads(to_json(result))
    file = tmp_path / "damaged.json"
    for name in ("format", "check", "outcome", "findings", "decided_by", "verdict", "attempts", "diagnosis"):
        if name in whole:
            file.write_text(json.dumps({**whole, name: wrong}))
            with pytest.raises((StoredDataError, NewerFormat)):
                read_any_result(file)


def test_an_older_check_in_a_fix_is_brought_to_the_present(tmp_path: Path) -> None:
    document = json.loads(to_json(RESULTS[3]))
    document["check"]["format"] = 6
    del document["check"]["advice"]
    file = tmp_path / "fix.json"
    file.write_text(json.dumps(document))
    assert read_any_result(file) == RESULTS[3]
