"""Logs of CI services: what their runners put around each line goes, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.diagnosis.ci_logs import plain_lines, workspace_of

CI = Path(__file__).parent / "ci"
STAMP = "2025-03-04T10:11:12.1234567Z "


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        (f"{STAMP}\x1b[31mE   KeyError: 'x'\x1b[0m", "E   KeyError: 'x'"),
        (f"{STAMP}##[group]Run pytest", "Run pytest"),
        (f"{STAMP}##[error]Process completed with exit code 1.", "Process completed with exit code 1."),
        (f"{STAMP}    indented", "    indented"),
        (STAMP.rstrip(), ""),
        (f"tests\tRun pytest\t{STAMP}FAILED a.py::b", "FAILED a.py::b"),
        (f"tests\tRun pytest\t\ufeff{STAMP}FAILED a.py::b", "FAILED a.py::b"),
        ("2025-03-04T10:11:12.123456Z 00O FAILED a.py::b", "FAILED a.py::b"),
        (f"{STAMP}{STAMP}printed by a test", f"{STAMP}printed by a test"),
    ],
)
def test_what_the_runner_put_around_a_line_goes(line: str, plain: str) -> None:
    assert plain_lines(f"\ufeff{line}\r\n{line}") == [plain, plain]


def test_a_timestamp_that_a_program_printed_stays() -> None:
    text = f"starting\n{STAMP}INFO up\nE   KeyError\nFAILED a.py::b"
    assert plain_lines(text) == text.split("\n")


def test_lines_of_gitlab_and_travis_that_no_terminal_shows() -> None:
    assert plain_lines("section_start:1700000000:step\r\x1b[0Kpip install .") == ["pip install ."]
    assert plain_lines("travis_fold:start:install\r\x1b[0Kpip install .") == ["pip install ."]


def test_a_progress_bar_shows_its_end() -> None:
    assert plain_lines("0 %\r50 %\r100 %\r") == ["100 %"]


def test_the_number_of_lines_stays() -> None:
    for path in CI.glob("*.log"):
        text = path.read_text(encoding="utf-8")
        assert len(plain_lines(text)) == len(text.split("\n")), path.name


def test_the_workspace_of_github() -> None:
    assert workspace_of(["x", 'File "/home/runner/work/a/b-c/d.py", line 1']) == "/home/runner/work/a/b-c"
    assert workspace_of(["/home/me/work/a/b"]) is None
