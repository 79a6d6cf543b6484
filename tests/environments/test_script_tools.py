"""Which project managers of a set-up script get an environment of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.environments.script_tools import MANAGERS, managers_apart


@pytest.mark.parametrize(
    ("script", "shared"),
    [
        ("pip install poetry\npoetry install", ()),
        ("poetry config virtualenvs.create false\npoetry install", ("poetry",)),
        ("poetry config \\\n  virtualenvs.create  False --local", ("poetry",)),
        ("POETRY_VIRTUALENVS_CREATE='0' poetry install", ("poetry",)),
        ("poetry config virtualenvs.create true", ()),
        ("# poetry config virtualenvs.create false", ()),
        ("pipenv install --dev --system --deploy", ("pipenv",)),
        ("pipenv install --dev; uv pip install --system x", ()),
        ("export PIPENV_SYSTEM=1", ("pipenv",)),
    ],
)
def test_a_script_says_which_share_their_environment(
    script: str, shared: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "setup.sh").write_text(f"#!/bin/bash\n{script}\n")
    assert set(MANAGERS) - set(managers_apart(tmp_path, "setup.sh")) == set(shared)


@pytest.mark.parametrize(
    ("settings", "apart"),
    [("[virtualenvs]\ncreate = false\n", False), ("[virtualenvs]\ncreate = true\n", True), ("a = [", True)],
)
def test_settings_of_poetry_say_so_too(settings: str, apart: bool, tmp_path: Path) -> None:
    (tmp_path / "poetry.toml").write_text(settings)
    assert ("poetry" in managers_apart(tmp_path, "setup.sh")) is apart
