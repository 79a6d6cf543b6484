"""Progress as plain lines, and live."""

from __future__ import annotations

import io
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.console import Console

from backdate.checking.progress import AttemptStarted
from backdate.cli.progress import _LiveDisplay, watch
from backdate.cli.render_progress import verification_line
from backdate.construction.progress import BuildAdvanced, BuildPhase
from backdate.evaluation.progress import TaskScored
from backdate.evaluation.scores import Flag, FlagKind, Score, ScoreOutcome
from backdate.progress import Activity, Remark, StageEntered, SuiteAdvanced
from backdate.tasks.progress import QualityMeasured, TaskRunStarted, TaskVerified
from backdate.tasks.verify_task import Verification


def without_times(text: str) -> list[str]:
    return [re.sub(r"^\[\d+:\d\d\] ", "", line) for line in text.splitlines()]


def test_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.report(Activity(text="opening \x1b[31mit\nand more"))
        progress.report(StageEntered(subject="old", stage="waiting"))
        progress.report(StageEntered(subject="old", stage="resolving"))
        progress.report(StageEntered(subject="new", stage="resolving"))
        progress.report(StageEntered(subject="old", stage="building"))
        progress.report(StageEntered(subject="old", stage="ready"))
        progress.report(StageEntered(subject="old", stage="testing"))
        progress.report(SuiteAdvanced(subject="old", finished=2, total=2))
        progress.report(StageEntered(subject="old", stage="done"))
        progress.report(StageEntered(subject="new", stage="failed", detail="no environment (resolve)"))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert without_times(captured.err) == [
        "opening \\x1b[31mit\\nand more",
        "old side: resolving",
        "new side: resolving",
        "old side: building the environment",
        "old side: testing",
        "old side: tested (2 of 2 tests)",
        "new side: failed (no environment (resolve))",
    ]


def test_a_project_that_is_fixed_is_no_side(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.report(StageEntered(subject="proj", stage="testing"))
        progress.report(AttemptStarted(subject="proj", number=1, most=2, python="3.12", reason="why"))
    lines = without_times(capsys.readouterr().err)
    assert lines == ["proj: testing", "proj: attempt 1 of at most 2, Python 3.12: why"]


def test_one_environment_has_no_side(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.report(StageEntered(subject="only", stage="resolving"))
    assert without_times(capsys.readouterr().err) == ["resolving"]


def test_live_lines() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    live = _LiveDisplay(console)
    live.report(Activity(text="opening it"))
    console.print(live)
    live.report(StageEntered(subject="old", stage="testing", detail="1 of 2 \x1b[31mtests"))
    live.report(StageEntered(subject="new", stage="failed", detail="no environment"))
    console.print(live)
    text = out.getvalue()
    assert "opening it" in text
    assert "old  testing: 1 of 2 \\x1b[31mtests" in text
    assert "✗ new  failed: no environment" in text
    assert "\x1b" not in text


def test_what_came_before_the_environments_is_not_said_after_them() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    live = _LiveDisplay(console)
    live.report(Activity(text="opening it"))
    live.report(StageEntered(subject="old", stage="testing"))
    live.report(StageEntered(subject="old", stage="done", passed=True))
    console.print(live)
    live.report(Activity(text="environment 3: the newest"))
    console.print(live)
    assert "opening it" not in out.getvalue()
    assert "environment 3: the newest" in out.getvalue()


def test_a_line_that_stays_is_printed_while_another_thread_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), width=80)
    live = _LiveDisplay(console)
    drawn = []

    def print_while_drawing(*words: object, **_: object) -> None:
        drawing = threading.Thread(
            target=live.__rich__, daemon=True
        )  # it holds the console's lock, as rich does
        drawing.start()
        drawing.join(5)
        drawn.append((words, drawing.is_alive()))

    monkeypatch.setattr(console, "print", print_while_drawing)
    live.report(Remark(text="it is so"))
    assert drawn == [(("Note: it is so",), False)]


@pytest.mark.parametrize(("passed", "mark"), [(True, "✓"), (False, "•"), (None, "•")])
def test_only_a_side_that_passed_has_a_tick(passed: bool | None, mark: str) -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    live = _LiveDisplay(console)
    live.report(StageEntered(subject="new", stage="testing"))
    live.report(StageEntered(subject="old", stage="done", passed=passed))
    console.print(live)
    assert f"{mark} old  tested" in out.getvalue()


def _build(phase: BuildPhase, done: int) -> BuildAdvanced:
    return BuildAdvanced(
        phase=phase,
        running=1,
        done=done,
        left=2,
        rate_per_hour=60.0,
        eta_s=120.0,
        candidates=9,
        excluded=4,
        tasks=1,
        last="out at tests: none",
    )


def test_a_build_has_a_line_for_each_phase(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        for event in (_build("examining", 0), _build("examining", 1), _build("running", 0)):
            progress.report(event)
    rest = "1 under way, 2 remaining, 60 an hour, 2 min 00 s to go; of 9 candidates 4 are out, 1 are tasks"
    assert capsys.readouterr().err.splitlines() == [
        f"{phase}: 0 done, {rest}  [out at tests: none]" for phase in ("examining", "running")
    ]


def test_a_wait_for_a_limit_is_said_at_once_and_once(capsys: pytest.CaptureFixture[str]) -> None:
    waiting = replace(_build("listing", 0), waits_until=datetime(2026, 3, 1, 1, 0, 1, tzinfo=UTC))
    with watch() as progress:
        for event in (_build("listing", 0), waiting, waiting, _build("listing", 0)):
            progress.report(event)
    first, second = capsys.readouterr().err.splitlines()
    assert "rate limit" not in first
    assert "; waiting until 2026-03-01T01:00:01Z for GitHub's rate limit  [" in second


def test_tasks_are_counted_and_keep_their_line() -> None:
    out = io.StringIO()
    console = Console(file=out, width=80)
    live = _LiveDisplay(console)
    live.report(TaskRunStarted(instance_id="o__n-1", stage="old", number=2))
    console.print(live)
    score = Score(
        instance_id="o__n-1",
        outcome=ScoreOutcome.SOLVED,
        flags=(Flag(kind=FlagKind.DUMMY, detail="a.py:1 \x1b[31m"),),
        duration_s=3.0,
    )
    live.report(TaskScored(score=score, kept=True, total=2))
    out.write("----\n")
    console.print(live)
    text = out.getvalue()
    assert "o__n-1: old, run 2" in text
    assert "[1/2] o__n-1: solved, 3 s (before)\n" in text
    assert "    flag dummy-under-import-error: a.py:1 \\x1b[31m" in text
    assert "o__n-1" not in text.partition("----")[2]


def test_remarks_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.report(Remark(text="it is gone"))
    assert capsys.readouterr().err == "Note: it is gone\n"


def test_an_attempt_is_told_with_its_reason_and_the_stages_anew(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        for number in (1, 2):
            progress.report(
                AttemptStarted(
                    subject="only", number=number, most=16, reason="x\x1b is in y", python="3.8.18"
                )
            )
            progress.report(StageEntered(subject="only", stage="resolving"))
            progress.report(StageEntered(subject="only", stage="testing"))
    lines = without_times(capsys.readouterr().err)
    assert lines[0] == "attempt 1 of at most 16, Python 3.8.18: x\\x1b is in y"
    assert lines[1:3] == ["resolving", "testing"]
    assert lines[3].startswith("attempt 2 of")
    assert lines[4:] == ["resolving", "testing"]


def test_an_attempt_is_shown_above_what_runs() -> None:
    out = io.StringIO()
    console = Console(file=out, width=120)
    live = _LiveDisplay(console)
    live.report(
        AttemptStarted(subject="old", number=3, most=16, reason="missing module: six", python="3.8.18")
    )
    live.report(StageEntered(subject="old", stage="building"))
    console.print(live)
    assert re.search(
        r"old side: attempt 3 of at most 16, Python 3.8.18: missing module: six  \d", out.getvalue()
    )
    assert re.search(r"building the environment  \d+:\d\d", out.getvalue())


def verified(*, kept: bool, verified: bool = False) -> TaskVerified:
    reason = "" if verified else "the old side: fail instead of pass"
    verification = Verification(
        instance_id="o__n-1", verified=verified, reason=reason, stages=(), agreement=None, duration_s=61.0
    )
    return TaskVerified(verification=verification, kept=kept, total=2)


def test_a_run_of_a_task_says_what_it_does_and_for_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    live = _LiveDisplay(Console(file=io.StringIO(), width=80))
    with watch() as plain:
        for progress in (plain, live):
            progress.report(TaskRunStarted(instance_id="o__n-1", stage="old", number=1))
            progress.report(StageEntered(subject="o__n-1", stage="building"))
        shown = printed(live)
        for progress in (plain, live):
            progress.report(StageEntered(subject="o__n-1", stage="testing"))
            progress.report(SuiteAdvanced(subject="o__n-1", finished=3, total=40))
        tested = printed(live)
        for progress in (plain, live):
            progress.report(TaskRunStarted(instance_id="o__n-1", stage="new", number=1))
            progress.report(StageEntered(subject="o__n-1", stage="building"))
    assert re.search(r"o__n-1: old, run 1: building the environment  0:\d\d$", shown, re.MULTILINE)
    assert re.search(r"o__n-1: old, run 1: testing: 3 of 40 tests  0:\d\d$", tested, re.MULTILINE)
    lines = capsys.readouterr().err.splitlines()
    assert without_times("\n".join(lines)) == [
        "o__n-1: old, run 1: building the environment",
        "o__n-1: old, run 1: testing",
        "o__n-1: new, run 1: building the environment",
    ]
    assert all(re.match(r"\[\d+:\d\d\] ", line) for line in lines)


def printed(live: _LiveDisplay) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(live)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def test_a_failure_that_is_kept_names_what_verifies_it_again() -> None:
    assert verification_line(verified(kept=True)).endswith("kept from before (--retry verifies it again)")
    assert "--retry" not in verification_line(verified(kept=False))
    assert "--retry" not in verification_line(verified(kept=True, verified=True))


def test_the_quality_of_a_task_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        for flags, problem in ((("weak-hunk", "image"), ""), ((), ""), ((), "no such repository\nat all")):
            progress.report(QualityMeasured(instance_id="o__n-1", flags=flags, problem=problem, total=3))
    assert capsys.readouterr().err.splitlines() == [
        "[1/3] o__n-1: weak-hunk, image",
        "[2/3] o__n-1: no flag",
        "[3/3] o__n-1: not measured: no such repository",
    ]
