"""A set-up with a scripted model as adviser: only the model is fake."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from scripted_model import Answer, Say, ScriptedModel, refuse

from backdate.checking.settings import Settings, SetupOptions
from backdate.checking.setup_result import SetupResult
from backdate.cli.adviser import advice_lines, open_advisers
from backdate.cli.main import status_of
from backdate.errors import UsageError
from backdate.recipes.adviser.consultation import Consultation, Exchange
from backdate.session import set_up

AT = datetime(2023, 6, 1, tzinfo=UTC)


def say(**answer: Any) -> Say:
    return Say(json.dumps(answer))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Its tests are nowhere that one would look for them, and only prose says what they need."""
    root = tmp_path / "odd"
    (root / "verification").mkdir(parents=True)
    (root / "NOTES").write_text(
        "To verify it, take the six distribution and run all of verification/everything.py with unittest.\n"
    )
    (root / "odd.py").write_text("import six\n\nANSWER = six.integer_types[0](42)\n")
    (root / "verification/everything.py").write_text(
        "import unittest\n\nimport odd\n\n\ndef make(name, base):\n"
        "    return type(name, (base,), {'runTest': lambda self: self.assertEqual(odd.ANSWER, 42)})\n\n\n"
        "Answer = make('Answer', unittest.TestCase)\n"
    )
    return root


def run(project: Path, cache: Path, answers: list[Answer], **how: Any) -> tuple[SetupResult, ScriptedModel]:
    strategy = how.pop("strategy", "setupagent")
    with (
        ScriptedModel(answers) as server,
        open_advisers(f"scripted@{server.url}", strategy, web=False, cache=cache) as adviser_at,
    ):
        result = set_up(
            project,
            instant=AT,
            options=SetupOptions(adviser_at=adviser_at, **how),
            settings=Settings(cache=cache, store=False),
        )
    return result, server


FILES = say(files=["NOTES"])
LINKS = say(links=[])
TEST = "python -m unittest verification.everything"


@pytest.mark.network
def test_without_an_adviser_there_is_nothing_to_try(project: Path, session_cache: Path) -> None:
    result = set_up(project, instant=AT, settings=Settings(cache=session_cache, store=False))
    assert not result.proven
    assert result.advice is None


@pytest.mark.slow
@pytest.mark.network
def test_a_project_without_a_usable_recipe_is_set_up_by_advice(project: Path, session_cache: Path) -> None:
    result, server = run(
        project, session_cache, [FILES, LINKS, say(python=None, install=["pip install six"], test=[TEST])]
    )
    assert result.proven, result.reason
    assert (result.counts.passed, result.counts.ran) == (1, 1)
    assert result.attempts[-1].source.startswith("adviser: model scripted")
    assert result.environment is not None
    assert [one.version for one in result.environment.lock.distributions if one.name == "six"] == ["1.16.0"]
    assert result.advice is not None
    assert result.advice.account.usage.prompt_tokens == 10 * len(server.requests)
    lines = list(advice_lines(result.advice))
    assert lines[0].startswith("Adviser scripted (setupagent): ")
    assert server.unscripted == 0


@pytest.mark.network
def test_an_advised_recipe_that_fails_is_repaired_by_advice(project: Path, session_cache: Path) -> None:
    wrong = say(python=None, install=["pip install six"], test=["python -m unittest verification.nothing"])
    result, server = run(
        project,
        session_cache,
        [FILES, LINKS, wrong, say(**{"class": "TESTING"}), say(test=[TEST], reason="that is the module")],
    )
    assert result.proven, result.reason
    assert result.repairs[-1].endswith("TESTING: that is the module")
    assert server.unscripted == 0


@pytest.mark.network
def test_the_other_strategy(project: Path, session_cache: Path) -> None:
    script = say(install=["pip install six"], test=[TEST])
    result, _ = run(project, session_cache, [say(python=">=3.8"), script], strategy="timemachine")
    assert result.proven, result.reason
    assert result.advice is not None
    assert [one.phase for one in result.advice.exchanges] == ["interpreter-range", "script"]


@pytest.mark.network
def test_a_model_that_refuses_leaves_a_named_reason(project: Path, session_cache: Path) -> None:
    result, _ = run(project, session_cache, [refuse("no")])
    assert not result.proven
    assert result.advice is not None
    ended = [(one.phase, one.ending, one.detail) for one in result.advice.exchanges]
    assert ended == [("files", "refused", "no")]


@pytest.mark.network
def test_the_command(
    project: Path, session_cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    answers = [FILES, LINKS, say(python=None, install=["pip install six"], test=[TEST])]
    with ScriptedModel(answers) as server:
        words = ["setup", str(project), "--at", "2023-06-01", "--no-store", "--cache", str(session_cache)]
        prices = project.parent / "prices.toml"
        prices.write_text("[models.scripted]\ninput = 1000\noutput = 2000\n")
        status = status_of([*words, "--adviser", f"scripted@{server.url}", "--prices", str(prices)])
    assert status == 0
    out = capsys.readouterr().out
    assert out.startswith("Proven: 1 of 1")
    assert "Adviser scripted (setupagent): 3 answers; 30 tokens in, 15 out\n  cost: 0.06 USD\n" in out
    assert set(server.keys) == {"Bearer sk-of-the-environment"}


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "cost: unknown (no price file: --prices)"),
        ({"currency": "USD"}, "cost: unknown: the price file does not name m, or tokens were not counted"),
        ({"currency": "USD", "cost": 0.0}, "cost: 0 USD"),
        ({"currency": "EUR", "cost": 0.012345678}, "cost: 0.0123457 EUR"),
    ],
)
def test_what_advice_cost_is_said(known: dict[str, Any], words: str) -> None:
    asked = (Exchange(phase="files", ending="answered"),)
    lines = advice_lines(Consultation(model="m", strategy="setupagent", exchanges=asked, **known))
    assert next(line.strip() for line in lines if "cost" in line) == words


def test_the_web_is_for_an_adviser(tmp_path: Path) -> None:
    with (
        pytest.raises(UsageError, match="--web"),
        open_advisers("none", "setupagent", web=True, cache=tmp_path),
    ):
        pass
    with (
        pytest.raises(UsageError, match="--prices is for an adviser"),
        open_advisers("none", "setupagent", web=False, cache=tmp_path, prices=tmp_path / "prices.toml"),
    ):
        pass
    with open_advisers("none", "setupagent", web=False, cache=tmp_path) as adviser_at:
        assert adviser_at is None
