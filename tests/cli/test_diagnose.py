"""``backdate diagnose``: what it prints and writes, and how it ends."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from backdate.cli.main import status_of
from backdate.diagnosis.log_report import LogReport
from backdate.serial import from_json

CI = Path(__file__).parent.parent / "diagnosis" / "ci"


def test_it_names_cause_library_and_change(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["diagnose", str(CI / "pytest-werkzeug.log")]) == 0
    out = capsys.readouterr().out
    assert "werkzeug.urls.url_quote cannot be imported (Werkzeug, flask)" in out
    assert "werkzeug dropped werkzeug.urls.url_quote in 3.0; use urllib.parse.quote" in out
    assert "tests/conftest.py:9" in out


def test_standard_input_and_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = (CI / "pip-conflict.log").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert status_of(["diagnose", "-", "--json", str(tmp_path / "report.json")]) == 0
    assert "Werkzeug==1.0.1 and flask==2.2.2 cannot be installed together" in capsys.readouterr().out
    report = from_json(LogReport, (tmp_path / "report.json").read_bytes())
    assert report.installs[0].failure.details == (
        "The user requested Werkzeug==1.0.1",
        "flask 2.2.2 depends on Werkzeug>=2.2.2",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("===== 3 passed in 0.1s =====\n", "holds no failure of pytest, unittest or pip that can be read;"),
        (
            "ERROR: file or directory not found: x\n",
            "its last error is 'ERROR: file or directory not found: x'",
        ),
    ],
)
def test_a_log_without_a_failure(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text(text)
    assert status_of(["diagnose", str(tmp_path / "log")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err


def test_what_is_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["diagnose", str(tmp_path / "gone")]) == 3
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "logs.zip").write_bytes(b"PK\x03\x04\0\0")
    assert status_of(["diagnose", str(tmp_path / "logs.zip")]) == 3
    assert "unpack it first" in capsys.readouterr().err
    (tmp_path / "log").write_text("x")
    assert status_of(["diagnose", str(tmp_path / "log"), "--project", str(tmp_path / "log")]) == 3
    assert "is not a folder" in capsys.readouterr().err


def test_a_log_of_powershell_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (CI / "pytest-werkzeug.log").read_text(encoding="utf-8")
    (tmp_path / "log").write_text(text, encoding="utf-16")
    assert status_of(["diagnose", str(tmp_path / "log")]) == 0
    assert "werkzeug.urls.url_quote cannot be imported" in capsys.readouterr().out
