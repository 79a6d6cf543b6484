"""How help is laid out, and completion."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from backdate.cli import exit_codes
from backdate.cli.main import status_of
from backdate.cli.panels import completed_words


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert status_of([*arguments]) == exit_codes.OK
    return capsys.readouterr().out


def test_options_stand_under_headings(capsys: pytest.CaptureFixture[str]) -> None:
    text = told(capsys, "check", "-h")
    headings = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Arguments:",
        "What is compared:",
        "How the project is installed and tested:",
        "The answer:",
        "This machine, and the index:",
        "Options:",
    ]
    assert text.index("--from") < text.index("The answer:") < text.index("--json")
    assert text == told(capsys, "check", "--help")


def test_commands_stand_under_headings_each_with_its_whole_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = " ".join(told(capsys, "-h").split())
    assert "What did updates break: check" in text
    assert "which release is the culprit." in text
    assert "..." not in text.replace("[ARGS]...", "")


@pytest.mark.parametrize("command", ["bench", "issues", "rules", "cache"])
def test_commands_of_commands_have_h_too(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "-h, --help" in told(capsys, command, "-h")


@pytest.mark.parametrize("width", [80, 120])
def test_help_is_as_wide_as_the_terminal_up_to_120(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = told(capsys, "check", "-h").splitlines()
    assert max(map(len, lines)) <= width
    assert max(map(len, lines)) > width - 15


def complete(*words: str) -> list[str]:
    environment = {
        "_BACKDATE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-m", "backdate"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_a_shell_completes_commands_and_options() -> None:
    assert complete("backdate", "bis") == ["bisect"]
    assert "--repeats" in complete("backdate", "check", "--re")


def test_what_completes_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/bin/bash"))
    assert status_of(["--show-completion", "bash"]) == exit_codes.OK
    assert "_backdate_completion" in capsys.readouterr().out


def test_words_are_read_only_where_a_shell_asks() -> None:
    assert completed_words({"COMP_WORDS": "backdate check"}) == []
    assert completed_words({"_BACKDATE_COMPLETE": "x", "COMP_WORDS": "backdate check --a"}) == [
        "check",
        "--a",
    ]


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_on_other_systems_the_image_is_named(
    system: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("backdate.cli.main.sys.platform", system)
    assert status_of(["check"]) == exit_codes.MACHINE
    text = capsys.readouterr().err
    assert "Use the Docker image: docker run" in text
    assert "Debian" not in text
    assert status_of(["check", "-h"]) == exit_codes.OK
