"""Tests of reading answers in words."""

from __future__ import annotations

import pytest

from backdate.snippets.questions.answer import AnswerLabel
from backdate.snippets.questions.read_text import LONGEST_REPLY, change_kind, read_explain, read_locate
from backdate.snippets.snippet import ApiChangeKind


@pytest.mark.parametrize(
    ("reply", "names", "labels"),
    [
        ('{"names": ["np.asfarray"]}', ("np.asfarray",), ()),
        ('["np.asfarray", "np.in1d"]', ("np.asfarray", "np.in1d"), ()),
        ('```json\n{"names": ["np.x"]}\n```', ("np.x",), (AnswerLabel.FENCED,)),
        ('They are {curly}: {"apis": [{"name": "np.x"}]} I think', ("np.x",), (AnswerLabel.FENCED,)),
        ('{"names": []}', (), ()),
        ("np.asfarray", (), (AnswerLabel.FENCED, AnswerLabel.NOT_JSON)),
        ("", (), (AnswerLabel.EMPTY,)),
        ('{"other": 1}', (), (AnswerLabel.WRONG_SHAPE,)),
        ('{"names": [1, null]}', (), (AnswerLabel.WRONG_SHAPE,)),
        ("[" * 50_000, (), (AnswerLabel.FENCED, AnswerLabel.NOT_JSON)),
        ("x" * (LONGEST_REPLY + 1), (), (AnswerLabel.TOO_LARGE,)),
        ('{"names": ["a\\ud800"]}', ("a\ud800",), ()),
    ],
)
def test_any_reply_gives_names_or_a_label(
    reply: str, names: tuple[str, ...], labels: tuple[AnswerLabel, ...]
) -> None:
    answer = read_locate(reply)
    assert (answer.names, answer.labels) == (names, labels)


def test_a_version_that_is_a_number_keeps_its_digits() -> None:
    [change] = read_explain('{"changes": [{"name": "math.f", "version": 3.10, "change": "Added"}]}').changes
    assert change.version == "3.10"
    assert change.change is ApiChangeKind.ADDED


def test_one_object_is_a_list_of_one_and_no_replacement_is_none() -> None:
    answer = read_explain('{"name": "np.x", "type": "Deprecated", "replacement": "None"}')
    assert [change.replacement for change in answer.changes] == [""]
    assert answer.labels == ()


@pytest.mark.parametrize("reply", ['["removed"]', '{"changes": [1]}', "3"])
def test_what_is_no_explanation_is_labelled(reply: str) -> None:
    assert read_explain(reply).labels[-1].unusable


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Location Change", ApiChangeKind.MOVED),
        ("Add", ApiChangeKind.ADDED),
        ("Added", ApiChangeKind.ADDED),
        ("Deprecated", ApiChangeKind.REMOVED),
        ("signature", ApiChangeKind.SIGNATURE),
        ("???", ApiChangeKind.UNKNOWN),
    ],
)
def test_kinds_are_read_in_every_spelling(text: str, kind: ApiChangeKind) -> None:
    assert change_kind(text) is kind
