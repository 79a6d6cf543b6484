"""Benchmarks are run by hand and rarely: what they import of backdate has to be there all the same."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

_FOLDER = Path(__file__).parent.parent / "benchmarks"
_SCRIPTS = sorted(path for path in _FOLDER.glob("*.py") if "def main" in path.read_text(encoding="utf-8"))


def test_there_are_benchmarks() -> None:
    assert _SCRIPTS


@pytest.mark.parametrize("script", _SCRIPTS, ids=lambda path: path.stem)
def test_a_benchmark_can_be_loaded(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(_FOLDER))  # where a script finds those beside it
    for other in _SCRIPTS:
        monkeypatch.delitem(sys.modules, other.stem, raising=False)
    assert callable(runpy.run_path(str(script), run_name="benchmark")["main"])
