"""Progress as plain lines, and live."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from backdate.cli.progress import _Live, watch


def without_times(text: str) -> list[str]:
    return [re.sub(r"^\[\d+:\d\d\] ", "", line) for line in text.splitlines()]


def test_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with watch() as progress:
        progress.project("opening \x1b[31mit\nand more")
        progress.side("old", "waiting")
        progress.side("old", "resolving")
        progress.side("new", "resolving")
        progress.side("old", "building")
        progress.side("old", "ready")
        progress.side("old", "testing", "0 of 2 tests")
        progress.side("old", "testing", "2 of 2 tests")
        progress.side("old", "done")
        progress.side("new", "failed", "no environment (resolve)")
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
        progress.side("only", "resolving")
    assert without_times(capsys.readouterr().err) == ["resolving"]


def test_live_lines() -> None:
    live = _Live()
    live.project("opening it")
    out = io.StringIO()
    console = Console(file=out, width=80)
    console.print(live)
    live.side("old", "testing", "1 of 2 \x1b[31mtests")
    live.side("new", "failed", "no environment")
    console.print(live)
    text = out.getvalue()
    assert "opening it" in text
    assert "old  testing: 1 of 2 \\x1b[31mtests" in text
    assert "✗ new  failed: no environment" in text
    assert "\x1b" not in text
