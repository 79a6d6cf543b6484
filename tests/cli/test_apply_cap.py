"""``--apply-cap``: what is written, what is said, what is refused."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from check_builders import small_check_result

sys.path.insert(0, str(Path(__file__).parent.parent / "bisection"))
from test_result import bisect_result

from backdate.advice import Advice, WorkingLimits
from backdate.bisection.result import BisectResult, Culprit
from backdate.checking.answers import CheckAnswers
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import Verdict
from backdate.cli.changed_folder import UNDO
from backdate.cli.main import status_of
from backdate.errors import UsageError
from backdate.fixing.cap import TriedCaps
from backdate.projects.capping import CappedFiles, WrittenCap
from backdate.projects.locked_versions import LockedVersions
from backdate.session import Session

LIMITS = WorkingLimits(requirements=("six<1.17",), passing=1, tests=1, on_python="3.11.2")
FILES = CappedFiles(
    before={"requirements.txt": b"six\n"},
    after={"requirements.txt": b"six<1.17\n"},
    caps=(WrittenCap(file="requirements.txt", line=1, before="six", after="six<1.17"),),
)


class Command:
    """``check --apply-cap`` of a folder with one requirement, over answers that are given."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.cache = tmp_path / "project", tmp_path / "cache"
        self.folder.mkdir()
        self.file = self.folder / "requirements.txt"
        self.file.write_bytes(b"six\n")
        self.verdict = Verdict.BROKE
        self.tried: TriedCaps | UsageError = TriedCaps(files=FILES, proven=True, reason="all 1 pass")
        self.searched: list[dict[str, object]] = []
        monkeypatch.setattr(Session, "answer", self._answer)
        monkeypatch.setattr(Session, "bisect", self._bisect)
        monkeypatch.setattr("backdate.fixing.cap.try_caps", self._try)

    def _answer(self, *given: object, **named: object) -> CheckAnswers:
        result = small_check_result(question=Question.DECLARED, verdict=self.verdict)
        return CheckAnswers(decided_by=AskedQuestions.DECLARED, declared=result)

    def _bisect(self, source: object, **named: object) -> BisectResult:
        self.searched.append(named)
        culprit = Culprit(name="six", old="1.16", new="1.17", released=None)
        finding = replace(bisect_result().findings[0], culprits=(culprit,))
        return replace(bisect_result(), findings=(finding,), advice=Advice(now=(LIMITS,)))

    def _try(self, *given: object, **named: object) -> TriedCaps:
        if isinstance(self.tried, UsageError):
            raise self.tried
        return self.tried

    def __call__(self, *more: str) -> int:
        arguments = ["check", str(self.folder), "--apply-cap", "--cache", str(self.cache)]
        return status_of([*arguments, "--sandbox", "unsafe-local", *more])


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    return Command(tmp_path, monkeypatch)


def test_a_proven_limit_is_written_and_can_be_taken_back(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command() == 1
    assert command.file.read_bytes() == b"six<1.17\n"
    said = capsys.readouterr().out
    assert "six 1.16 -> 1.17" in said
    assert "Written: requirements.txt:1 six → six<1.17" in said
    assert "-six<1.17" in (command.folder / UNDO).read_text()
    (searched,) = command.searched
    assert searched["question"] is Question.DECLARED
    assert searched["from_instant"] == small_check_result().old.instant


@pytest.mark.parametrize(
    ("verdict", "tried", "status", "said"),
    [
        (Verdict.NOTHING_BROKE, None, 0, "nothing breaks for users today, so there is no limit to write"),
        (Verdict.CANNOT_TELL, None, 2, "no breakage for users is known"),
        (
            Verdict.BROKE,
            TriedCaps(files=FILES, proven=False, reason="1 of 1 fails"),
            1,
            "Nothing was written: with",
        ),
        (Verdict.BROKE, UsageError("setup.py states what users install"), 3, "Nothing was written"),
    ],
)
def test_what_is_not_proven_is_not_written(
    command: Command,
    capsys: pytest.CaptureFixture[str],
    verdict: Verdict,
    tried: TriedCaps | UsageError | None,
    status: int,
    said: str,
) -> None:
    command.verdict = verdict
    command.tried = tried or command.tried
    assert command() == status
    assert said in " ".join(capsys.readouterr().out.split())
    assert command.file.read_bytes() == b"six\n"
    assert bool(command.searched) is (verdict is Verdict.BROKE)


def test_a_file_that_changed_meanwhile_is_left_alone(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    command.file.write_bytes(b"six  # mine\n")
    assert command() == 3
    assert "requirements.txt changed since it was read" in capsys.readouterr().err
    assert command.file.read_bytes() == b"six  # mine\n"


def test_it_does_not_go_with_lowest(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("--lowest") == 3
    assert "--apply-cap is for two instants" in capsys.readouterr().err
    assert command.searched == []


def test_the_search_begins_with_the_locked_side(command: Command) -> None:
    lock = command.folder / "locked.txt"
    lock.write_text("six==1.16.0\n")
    command("--from-lock", str(lock))
    (asked,) = command.searched
    locked = asked["locked"]
    assert isinstance(locked, LockedVersions)
    assert [one.constraint for one in locked.versions] == ["six==1.16.0"]


def test_what_is_no_folder_or_has_an_undo_is_refused_before_the_work(
    command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["check", "pypi:six", "--apply-cap", "--sandbox", "unsafe-local"]) == 3
    assert "--apply-cap changes a folder, and pypi:six is none" in capsys.readouterr().err
    (command.folder / UNDO).write_text("")
    assert command() == 3
    assert "of an earlier change is there" in capsys.readouterr().err


def test_a_folder_that_takes_no_files_is_refused_before_the_work(
    command: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: Path(path) != command.folder.absolute())
    assert command() == 3
    assert f"{command.folder} is not ours to write to" in " ".join(capsys.readouterr().err.split())
    assert command.searched == []


def test_a_file_that_is_read_only_is_left_alone(command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    command.file.chmod(0o444)
    assert command() == 3
    said = capsys.readouterr()
    assert "requirements.txt is read-only" in " ".join(said.err.split())
    assert "six 1.16 -> 1.17" in said.out  # what was searched for is told all the same
    assert "proven, to be written by hand: requirements.txt:1 six<1.17" in said.out
    assert command.file.read_bytes() == b"six\n"
    assert not (command.folder / UNDO).exists()
