"""The cache of answers, and the account."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted_model import Say, ScriptedModel, Status

from backdate.errors import MachineError, StoredDataError
from backdate.models.answers import AnswerStore
from backdate.models.interface import Message, ModelFailure, Reply, TokenUsage
from backdate.models.open import open_model
from backdate.models.settings import ModelSettings, Patience, Sampling
from backdate.models.usage import Account


def question(text: str) -> list[Message]:
    return [Message(role="user", text=text)]


def test_the_same_question_is_asked_once_even_by_another_run(tmp_path: Path) -> None:
    answers = tmp_path / "deep" / "answers.sqlite"
    with ScriptedModel([Say("one"), Say("two"), Say("three")]) as server:
        endpoint = server.endpoint()
        with open_model(endpoint, answers=answers) as model:
            first = model.ask(question("a"))
        with open_model(endpoint, answers=answers) as model:
            again, other = model.ask(question("a")), model.ask(question("b"))
            account = model.account
        with open_model(endpoint, ModelSettings(sampling=Sampling(seed=1)), answers=answers) as model:
            sample = model.ask(question("a"))
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert isinstance(other, Reply)
    assert isinstance(sample, Reply)
    assert (first.text, first.from_cache) == ("one", False)
    assert (again.text, again.from_cache) == ("one", True)
    assert (other.text, sample.text) == ("two", "three")
    assert len(server.requests) == 3
    tokens = TokenUsage(prompt_tokens=10, completion_tokens=5)
    assert account == Account(calls=2, attempts=1, remembered=1, usage=tokens, remembered_usage=tokens)
    assert b"sk-test-key" not in b"".join(path.read_bytes() for path in answers.parent.iterdir())


def test_failures_are_counted_and_not_kept(tmp_path: Path) -> None:
    settings = ModelSettings(patience=Patience(attempts=1))
    with (
        ScriptedModel([Status(500), Say("fine", usage=None)]) as server,
        open_model(server.endpoint(), settings, answers=tmp_path / "a.sqlite") as model,
    ):
        assert isinstance(model.ask(question("a")), ModelFailure)
        assert isinstance(model.ask(question("a")), Reply)
        account = model.account
    assert account == Account(calls=2, attempts=2, failures=(("endpoint-down", 1),), uncounted=1)


def test_what_was_used_longest_ago_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter(range(100))
    monkeypatch.setattr("backdate.models.answers.time.time", lambda: float(next(moments)))
    store = AnswerStore(tmp_path / "a.sqlite", max_bytes=3000)
    for key in ("a", "b"):
        store.store(key, Reply(text=key * 1000))
    assert store.load("a") is not None
    store.store("c", Reply(text="c" * 1000))
    store.store("huge", Reply(text="x" * 4000))
    assert [store.load(key) is not None for key in ("a", "b", "c", "huge")] == [True, False, True, False]
    store.close()


def test_a_damaged_answer_is_asked_for_again_and_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    store = AnswerStore(path)
    store.store("a", Reply(text="x"))
    store._connection.execute("UPDATE answers SET reply = ?", (b"{",))
    assert store.load("a") is None
    assert store._connection.execute("SELECT count(*) FROM answers").fetchone() == (0,)
    store.close()
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(StoredDataError, match="delete it"):
        AnswerStore(path)
    with pytest.raises(MachineError):
        AnswerStore(path / "below")
