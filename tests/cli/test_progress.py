"""Progress as plain lines, and live."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from backdate.cli.progress import _Live, watch
from backdate.progress import Activity, StageEntered


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
        progress.report(StageEntered(subject="old", stage="testing", detail="0 of 2 tests"))
        progress.report(StageEntered(subject="old", stage="testing", detail="2 of 2 tests"))
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


def test_one_environment_has_no_side(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.report(StageEntered(subject="only", stage="resolving"))
    assert without_times(capsys.readouterr().err) == ["resolving"]


def test_live_lines() -> None:
    live = _Live()
    live.report(Activity(text="opening it"))
    out = io.StringIO()
    console = Console(file=out, width=80)
    console.print(live)
    live.report(StageEntered(subject="old", stage="testing", detail="1 of 2 \x1b[31mtests"))
    live.report(StageEntered(subject="new", stage="failed", detail="no environment"))
    console.print(live)
    text = out.getvalue()
    assert "opening it" in text
    assert "old  testing: 1 of 2 \\x1b[31mtests" in text
    assert "✗ new  failed: no environment" in text
    assert "\x1b" not in text
