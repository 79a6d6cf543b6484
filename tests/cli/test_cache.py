from __future__ import annotations

import json
from pathlib import Path

import pytest

from backdate.cli import exit_codes
from backdate.cli.main import status_of
from backdate.cli.render_cache import size_text
from backdate.environments.cache import Cache


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("BACKDATE_CACHE_LIMIT", raising=False)
    cache = Cache(tmp_path / "cache")
    log = cache.logs / "one.log"
    log.write_bytes(b"x" * 2**20)
    return cache.folder


def test_sizes_are_told_by_kind_and_written_as_json(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cache.json"
    assert status_of(["cache", "size", "--cache", str(folder), "--json", str(file)]) == exit_codes.OK
    told = capsys.readouterr().out
    assert "results" in told
    assert "bound 20.0 GiB" in told
    written = json.loads(file.read_bytes())
    assert {one["kind"]: one["count"] for one in written["kinds"]}["results"] == 1
    assert written["bound_bytes"] == 20 * 1024**3


def test_a_kind_is_cleaned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["cache", "clean", "--kind", "results", "--cache", str(folder)]
    assert status_of([*arguments, "--dry-run"]) == exit_codes.OK
    assert "would be removed: 1.0 MiB (results 1)" in capsys.readouterr().out
    assert status_of(arguments) == exit_codes.OK
    assert "\nremoved: 1.0 MiB (results 1)" in capsys.readouterr().out
    assert not (folder / "logs" / "one.log").exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["clean"], "say what goes: --all, or --kind"),
        (["clean", "--all", "--kind", "pages"], "say what goes"),
        (["clean", "--kind", "pagez"], "pagez"),
        (["prune", "--to", "lots"], "'lots' is no size"),
        (["prune", "--unused-since", "soon"], "'soon' is not a date"),
    ],
)
def test_bad_input_is_told(
    arguments: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["cache", *arguments, "--cache", str(folder)]) == exit_codes.MISUSE
    assert told in capsys.readouterr().err
    assert (folder / "logs" / "one.log").exists()


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1024**3 - 1, "1.0 GiB")]
)
def test_sizes_are_written_for_people(size: int, text: str) -> None:
    assert size_text(size) == text
