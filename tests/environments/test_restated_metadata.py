"""Releases whose metadata uv cannot read resolve by what a table says of them."""

from __future__ import annotations

import subprocess
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.environments.restated_metadata import dependency_metadata, restated_metadata
from backdate.environments.uv import find_uv
from backdate.knowledge import load


def test_every_row_is_sound_and_told_to_uv_once() -> None:
    told = tomllib.loads(restated_metadata())["dependency-metadata"]
    assert len({(one["name"], Version(one["version"])) for one in told}) == len(told)
    assert {one["name"] for one in told} == {row.name for row in load.restated_metadata()}
    for one in told:
        assert all(map(Requirement, one["requires-dist"]))
        SpecifierSet(one.get("requires-python", ""))


def test_what_is_known_already_is_not_restated() -> None:
    told = tomllib.loads(restated_metadata([("pandas", "0.24.2")]))["dependency-metadata"]
    assert ("pandas", "0.24.2") not in {(one["name"], one["version"]) for one in told}
    assert ("pandas", "0.24.1") in {(one["name"], one["version"]) for one in told}


def test_a_table_says_all_that_is_known() -> None:
    text = dependency_metadata("a", "1", ['b>=2; extra == "x"'], requires_python=">=3.6", extras=["x"])
    assert tomllib.loads(text)["dependency-metadata"] == [
        {
            "name": "a",
            "version": "1",
            "requires-dist": ['b>=2; extra == "x"'],
            "provides-extra": ["x"],
            "requires-python": ">=3.6",
        }
    ]


@pytest.mark.network
def test_pandas_of_an_old_day_is_that_of_the_day(tmp_path: Path, index_url: str) -> None:
    """pandas 0.23.4 asks for pytz>=2011k, and uv took pandas 0.13.1 in its place, from source."""
    (tmp_path / "uv.toml").write_text(restated_metadata())
    (tmp_path / "asked.txt").write_text("pandas\n")
    instant = datetime(2018, 11, 1, tzinfo=UTC).isoformat()
    command = [find_uv(), "pip", "compile", "-q", "--no-header", "--no-annotate", "--config-file", "uv.toml"]
    where = ["--python-version", "3.6", "--default-index", index_url, "--exclude-newer", instant, "asked.txt"]
    done = subprocess.run([*command, *where], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "pandas==0.23.4" in done.stdout, done.stderr
