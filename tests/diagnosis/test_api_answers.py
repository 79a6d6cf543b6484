"""What an environment answered is kept with it, and with it alone."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from ready_environments import environment_of

from backdate.diagnosis import api
from backdate.diagnosis.api_answers import ApiAnswers
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import RunStatus

NAMES = ("json.dumps", "json.nowhere")


class AnsweringSandbox:
    """Answers for every name but ``silent``, and notes how often it was asked."""

    def __init__(self, name: str = "bwrap") -> None:
        self.name, self.asked, self.silent = name, 0, ""

    def run(self, command, workspace, *, log):
        self.asked += 1
        sources = {mount.target: mount.source for mount in workspace.mounts}
        names = json.loads(sources[command.argv[2]].read_bytes())["names"]
        answers = [
            {"name": name, "present": name == "json.dumps", "why": str(self.asked)}
            for name in names
            if name != self.silent
        ]
        sources[command.argv[3]].write_text("".join(f"{json.dumps(one)}\n" for one in answers))
        return SimpleNamespace(status=RunStatus.EXITED)


@pytest.fixture
def sandbox() -> AnsweringSandbox:
    return AnsweringSandbox()


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


@pytest.fixture
def finished(cache: Cache, tmp_path: Path) -> Environment:
    return kept(cache, environment_of(tmp_path / "env", Path(sys.executable)))


def kept(cache: Cache, environment: Environment) -> Environment:
    cache.write("records", environment.key, environment)
    return environment


def test_the_same_question_is_asked_once(
    sandbox: AnsweringSandbox, cache: Cache, finished: Environment
) -> None:
    first = ApiAnswers(sandbox, cache).probe(finished, NAMES)
    again = ApiAnswers(sandbox, cache).probe(finished, NAMES)
    assert (first, sandbox.asked) == (again, 1)
    assert [member.present for member in again.members] == [True, False]


def test_other_names_environments_sandboxes_and_programs_are_other_questions(
    sandbox: AnsweringSandbox,
    cache: Cache,
    finished: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ApiAnswers(sandbox, cache).probe(finished, NAMES)
    ApiAnswers(sandbox, cache).probe(finished, NAMES[:1])
    assert sandbox.asked == 2
    ApiAnswers(sandbox, cache).probe(kept(cache, replace(finished, key="1" * 64)), NAMES)
    assert sandbox.asked == 3
    other = AnsweringSandbox("docker")
    ApiAnswers(other, cache).probe(finished, NAMES)
    assert other.asked == 1
    for program in api.PROBES.glob("*.py"):
        (tmp_path / program.name).write_text(program.read_text())
    with (tmp_path / "backdate_members.py").open("a") as file:
        file.write("# another\n")
    monkeypatch.setattr("backdate.diagnosis.api_answers.PROBES", tmp_path)
    ApiAnswers(sandbox, cache).probe(finished, NAMES)
    assert sandbox.asked == 4


def test_answers_that_are_not_whole_are_asked_for_again(
    sandbox: AnsweringSandbox, cache: Cache, finished: Environment
) -> None:
    sandbox.silent = "json.dumps"
    assert ApiAnswers(sandbox, cache).probe(finished, NAMES).trouble
    sandbox.silent = ""
    assert not ApiAnswers(sandbox, cache).probe(finished, NAMES).trouble
    assert sandbox.asked == 2


def test_nothing_is_kept_of_an_environment_that_is_not(
    sandbox: AnsweringSandbox, cache: Cache, finished: Environment
) -> None:
    for kept_in, environment in ((None, finished), (cache, replace(finished, key="2" * 64))):
        ApiAnswers(sandbox, kept_in).probe(environment, NAMES)
        ApiAnswers(sandbox, kept_in).probe(environment, NAMES)
    assert sandbox.asked == 4
    assert not (cache.folder / "api-answers").exists()
