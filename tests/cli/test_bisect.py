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


def test_a_picture_in_another_format_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["bisect", str(tmp_path), "--cache", str(tmp_path / "cache"), "--sandbox", "unsafe-local"]
    assert status_of([*arguments, "--picture", str(tmp_path / "a.gif")]) == 3
    assert "drawn as .svg or .png, not as .gif" in capsys.readouterr().err
    assert status_of([*arguments, "--json", str(tmp_path)]) == 3
    assert "is a folder" in capsys.readouterr().err
