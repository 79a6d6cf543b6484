from __future__ import annotations

import importlib.util
import subprocess
import sys
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "refresh_calendar.py"

PEPS = """
[[release."3.14"]]
stage = "3.14.0 final"
state = "actual"
date = 2025-10-07
[[release."3.14"]]
stage = "3.14.1 candidate 1"
state = "actual"
date = 2025-11-01
[[release."3.14"]]
stage = "3.14.8"
state = "expected"
date = 2026-10-06
[[release."3.9"]]
stage = "3.9.3"
state = "actual"
date = 2021-04-02
"""


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh_calendar", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_only_actual_final_releases_are_taken(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "release_management").mkdir()
    (tmp_path / "release_management" / "python-releases.toml").write_text(PEPS)
    merged, _ = tool.merge({}, tool.from_peps(tmp_path))
    assert merged == {"3.14.0": date(2025, 10, 7)}


def test_a_known_date_is_kept_and_the_difference_said(tool: ModuleType) -> None:
    known = {"3.12.1": date(2023, 12, 8)}
    merged, notes = tool.merge(known, {"3.12.1": date(2023, 12, 7)})
    assert merged == known
    assert len(notes) == 1
    assert "3.12.1" in notes[0]


def test_what_is_rendered_is_read_again(tool: ModuleType) -> None:
    dates = {"3.10.0": date(2021, 10, 4), "3.9.0": date(2020, 10, 5)}
    text = tool.render(dates, date(2026, 1, 1))
    assert tool.read_calendar(text) == dates
    assert text.index("3.9.0") < text.index("3.10.0")


def test_the_tool_runs_on_a_clone(tmp_path: Path) -> None:
    clone = tmp_path / "peps"
    (clone / "release_management").mkdir(parents=True)
    (clone / "release_management" / "python-releases.toml").write_text(PEPS)
    git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b"]
    when = {"GIT_COMMITTER_DATE": "2026-02-03T00:00:00Z", "PATH": "/usr/bin:/bin"}
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "one"], check=True, env=when)
    calendar = tmp_path / "calendar.csv"
    command = [sys.executable, str(SCRIPT), "--peps", str(clone), "--calendar", str(calendar)]
    subprocess.run(command, check=True, capture_output=True)
    assert calendar.read_text().splitlines()[1:] == [
        "# complete-until: 2026-02-03",
        "version,released",
        "3.14.0,2025-10-07",
    ]
