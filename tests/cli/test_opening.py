"""What is imported while a first command runs in the sandbox."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

from backdate.checking.settings import Settings
from backdate.cli.opening import OF_CHECKS, OF_ENVIRONMENTS, try_sandbox_beside
from backdate.errors import SandboxUnavailable


class Unavailable:
    """A sandbox that cannot be had, once what is imported beside it is there."""

    def require(self) -> None:
        while "backdate.cli.opening_beside" not in sys.modules:
            pass
        raise SandboxUnavailable("no bubblewrap here")


@pytest.mark.parametrize("name", sorted({*OF_CHECKS, *OF_ENVIRONMENTS}))
def test_what_is_imported_is_there(name: str) -> None:
    assert import_module(f"backdate.{name}")


def test_modules_are_imported_while_the_sandbox_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Settings, "open_sandbox", lambda self: Unavailable())
    (tmp_path / "opening_beside.py").write_text("")
    package = import_module("backdate.cli")
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    try:
        with pytest.raises(SandboxUnavailable, match="no bubblewrap here"):
            try_sandbox_beside(Settings(cache=tmp_path / "cache"), ("cli.opening_beside",))
    finally:
        sys.modules.pop("backdate.cli.opening_beside", None)
