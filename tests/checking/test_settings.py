from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backdate.checking.settings import Settings
from backdate.errors import MachineError, UsageError


def test_a_text_is_taken_for_a_path(tmp_path: Path) -> None:
    settings = Settings(cache=cast(Any, str(tmp_path / "cache")), keep=cast(Any, str(tmp_path / "kept")))
    assert settings == Settings(cache=tmp_path / "cache", keep=tmp_path / "kept")
    assert settings.open_cache().folder == tmp_path / "cache"


def test_a_relative_folder_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings(cache=Path("cache"))
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert settings.open_cache().folder == tmp_path / "cache"
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.parametrize("folder", [None, 7, b"cache", "", SimpleNamespace(folder="cache")])
def test_what_is_no_path_is_refused_by_name(folder: object) -> None:
    with pytest.raises(UsageError, match="cache is"):
        Settings(cache=cast(Any, folder))
    if folder is not None:
        with pytest.raises(UsageError, match="keep is"):
            Settings(keep=cast(Any, folder))


def test_a_cache_that_cannot_be_made_is_said_when_it_is_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = Settings(cache=tmp_path / "file" / "cache")
    with pytest.raises(MachineError, match="--cache"):
        settings.open_cache()


def test_the_sandbox_is_the_one_that_is_named() -> None:
    sandbox = Settings(sandbox="unsafe-local").open_sandbox()
    assert sandbox.name == "unsafe-local"
    assert sandbox is Settings(sandbox="unsafe-local").open_sandbox()  # so that its probes run once
    with pytest.raises(UsageError, match="there is no sandbox"):
        Settings(sandbox="none").open_sandbox()
