"""What ``backdate fix`` refuses before any work."""

from __future__ import annotations

import pytest

from backdate.cli import exit_codes
from backdate.cli.main import status_of


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["pypi:six==1.0", "--apply"], "--apply changes a folder, and pypi:six==1.0 is none"),
        ([".", "--solver", "gold"], "--solver gold: write rules"),
        ([".", "--solver", "rules:nonsense"], "there is no source 'nonsense'"),
        ([".", "--scope", "all"], "'all' is not one of"),
    ],
)
def test_misuse_is_told_at_once(arguments, told, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of(["fix", *arguments]) == exit_codes.MISUSE
    assert told in capsys.readouterr().err


def test_an_earlier_undo_patch_is_not_lost(capsys, tmp_path) -> None:
    (tmp_path / "backdate-undo.patch").write_text("mine\n")
    assert status_of(["fix", str(tmp_path), "--apply"]) == exit_codes.MISUSE
    assert "of an earlier change is there" in capsys.readouterr().err
