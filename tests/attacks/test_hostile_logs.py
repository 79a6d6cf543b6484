"""A log that somebody asks about costs its reader hours, or is shown to a terminal that obeys it."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.cli.main import status_of
from backdate.diagnosis.log_report import explain_log

PIECES = (
    "=",
    " ",
    "\x1b[",
    "\x1b]0;",
    "E   ",
    '  File "a.py", line 1, in f\n',
    "Traceback (most recent call last):\n",
    "During handling of the above exception, another exception occurred:\n",
    "[Previous line repeated 99999999999999999999 more times]\n",
    "  + Exception Group Traceback (most recent call last):\n  | ",
    "====== FAILURES ======\n_____ test_a _____\n",
    "FAILED a.py::b[",
    "ERROR: Could not find a version that satisfies the requirement (from versions: 1.0, ",
    "The conflict is caused by:\n    a 1 depends on b<1\n",
    "2024-01-01T00:00:00.0000000Z ##[error]",
    "\x00\u2028\ufeff\x85\ud800",
)
TITLE, CLIPBOARD = "\x1b]0;owned\x07", "\x1b]52;c;b3duZWQ=\x07"
OBEYED = f"""
============================= FAILURES =============================
_____________________________ test_a{TITLE} _____________________________
    def test_a():
>       import absent
E       ModuleNotFoundError: No module named 'absent{CLIPBOARD}'

test_a.py:1: ModuleNotFoundError
::error file=app.py::planted
===================== short test summary info ======================
FAILED test_a.py::test_a{TITLE} - ModuleNotFoundError: No module named 'absent'
"""


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_a_piece_that_is_repeated_is_read_in_time_that_grows_with_it(piece: str) -> None:
    """Where it did not, a log of megabytes, which is read, would take hours."""
    report = explain_log(piece * (60_000 // len(piece)))
    assert len(repr(report)) < 4_000_000


def test_pieces_of_pieces_are_read(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    text = "".join(first + second * 50 for first in PIECES for second in PIECES)
    log.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert status_of(["diagnose", str(log)]) in (0, 2)
    assert "\x1b" not in capfd.readouterr().out


def test_what_it_quotes_is_obeyed_by_no_terminal(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log"
    log.write_text(OBEYED)
    assert status_of(["diagnose", str(log)]) == 0
    shown = capfd.readouterr().out
    assert "absent" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert not [line for line in shown.splitlines() if line.startswith("::")]


@pytest.mark.parametrize("name", ["a device", "a folder", "an archive"])
def test_what_is_no_log_is_refused_by_name(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log"
    match name:
        case "a folder":
            path.mkdir()
        case "an archive":
            path.write_bytes(b"PK\3\4\0\0\0")
        case "a device":
            path.symlink_to("/dev/zero")
    assert status_of(["diagnose", str(path)]) in (2, 3)
    assert str(path) in capfd.readouterr().err
