from pathlib import Path

import pytest

from backdate.cli.main import status_of


def test_the_command_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["bisect", "--help"]) == 0
    text = capsys.readouterr().out
    for word in ("--from", "--to", "--test", "--json", "--picture", "culprit"):
        assert word in text


def test_a_folder_that_is_none_is_misuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["bisect", str(tmp_path / "none"), "--cache", str(tmp_path / "cache"), "--to", "2024-01-01"]
    assert status_of([*arguments, "--sandbox", "unsafe-local"]) == 3
    assert "none" in capsys.readouterr().err
