from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "bisection"))
from test_result import bisect_result

from backdate.bisection.narrowing import Narrowing
from backdate.bisection.progress import BisectionAdvanced, SearchNarrowed
from backdate.bisection.result import BisectResult, Culprit, read_bisect_result
from backdate.cli import exit_codes
from backdate.cli.keep_partial import keeping_partial
from backdate.cli.main import status_of
from backdate.progress import NO_PROGRESS, Reporter
from backdate.session import Session


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["bisect", "--help"]) == 0
    text = capsys.readouterr().out
    for word in ("--from", "--to", "--test", "--json", "--picture", "culprit"):
        assert word in text


def test_a_folder_that_is_none_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bisect", str(tmp_path / "none"), "--cache", str(tmp_path / "cache"), "--to", "2024-01-01"]
    assert status_of([*arguments, "--sandbox", "unsafe-local"]) == 3
    assert "none" in capsys.readouterr().err


def test_a_picture_in_another_format_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["bisect", str(tmp_path), "--cache", str(tmp_path / "cache"), "--sandbox", "unsafe-local"]
    assert status_of([*arguments, "--picture", str(tmp_path / "a.gif")]) == 3
    assert "drawn as .svg or .png, not as .gif" in capsys.readouterr().err
    assert status_of([*arguments, "--json", str(tmp_path)]) == 3
    assert "is a folder" in capsys.readouterr().err


def found_so_far(remaining: int) -> BisectionAdvanced:
    culprit = Culprit(name="six", old="1.16", new="1.17", released=None)
    finding = replace(bisect_result().findings[0], culprits=(culprit,), confirmed=("forward", "backward"))
    partial = replace(bisect_result(), findings=(finding,), ending="interrupted", not_searched=("t.py::z",))
    return BisectionAdvanced(
        partial=partial, finding=finding, done=1, remaining=remaining, remaining_s=95.0 * remaining
    )


def test_an_interrupted_search_tells_and_writes_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(Session):
        def bisect(self, *_: object, progress: Reporter, **__: object) -> BisectResult:  # type: ignore[override]
            progress.report(found_so_far(2))
            raise KeyboardInterrupt

    monkeypatch.setattr("backdate.session.Session", Interrupted)
    written = tmp_path / "result.json"
    arguments = ["bisect", str(tmp_path), "--cache", str(tmp_path / "cache"), "--json", str(written)]
    assert status_of([*arguments, "--sandbox", "unsafe-local"]) == exit_codes.INTERRUPTED
    captured = capsys.readouterr()
    assert "Found: six 1.16 -> 1.17: 1 test, confirmed both ways: E: no" in captured.err
    assert "2 causes remaining to search, about 3 min 10 s" in captured.err
    assert "INTERRUPTED: 1 culprit found so far; not searched: 1 test" in captured.out
    partial = read_bisect_result(written)
    assert (partial.ending, partial.not_searched) == ("interrupted", ("t.py::z",))


@pytest.mark.parametrize(
    ("narrowing", "said"),
    [
        (
            Narrowing(tests=("t.py::z",), python="3.9.1", name="six", good="1.15", bad="1.17", held=("a<2",)),
            "So far: good with six 1.15, not good with 1.17: 1 test, on Python 3.9.1 with a<2",
        ),
        (
            Narrowing(
                tests=("t.py::y", "t.py::z"),
                python="3.9.1",
                last_good=datetime(2021, 3, 1, tzinfo=UTC),
                first_bad=datetime(2021, 4, 1, tzinfo=UTC),
            ),
            (
                "So far: good with the packages as of 2021-03-01, not good with those as of 2021-04-01: "
                "2 tests, on Python 3.9.1"
            ),
        ),
    ],
)
def test_an_interrupted_search_tells_how_far_it_came(
    narrowing: Narrowing,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Interrupted(Session):
        def bisect(self, *_: object, progress: Reporter, **__: object) -> BisectResult:  # type: ignore[override]
            progress.report(found_so_far(2))
            progress.report(SearchNarrowed(narrowing=narrowing))
            raise KeyboardInterrupt

    monkeypatch.setattr("backdate.session.Session", Interrupted)
    written = tmp_path / "result.json"
    arguments = ["bisect", str(tmp_path), "--cache", str(tmp_path / "cache"), "--json", str(written)]
    assert status_of([*arguments, "--sandbox", "unsafe-local"]) == exit_codes.INTERRUPTED
    assert said in " ".join(capsys.readouterr().out.split())
    assert read_bisect_result(written).narrowing == narrowing


def test_what_was_narrowed_is_over_when_its_search_has_ended() -> None:
    known: list[BisectResult] = []
    progress = keeping_partial(NO_PROGRESS, known)
    narrowing = Narrowing(tests=("t",), python="3.9.1", name="six", good="1.15", bad="1.17")
    progress.report(SearchNarrowed(narrowing=narrowing))  # before anything is known there is nothing to tell
    assert known == []
    progress.report(found_so_far(2))
    progress.report(SearchNarrowed(narrowing=narrowing))
    assert known[-1].narrowing == narrowing
    progress.report(found_so_far(1))
    assert known[-1].narrowing is None
