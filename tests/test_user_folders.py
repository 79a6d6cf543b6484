"""Tests write to temporary folders, whatever they and the programs that they start do."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import platformdirs

from backdate.environments.cache import default_cache


def _is_temporary(path: Path) -> bool:
    return path.resolve().is_relative_to(Path(os.environ.get("TMPDIR") or tempfile.gettempdir()).resolve())


def test_the_default_cache_is_temporary_and_the_one_that_tests_share(session_cache: Path) -> None:
    assert default_cache() == session_cache
    assert _is_temporary(session_cache)


def test_programs_that_tests_start_keep_their_caches_and_data_in_temporary_folders() -> None:
    code = "import platformdirs as p; print(p.user_cache_dir('x')); print(p.user_data_dir('x'))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(_is_temporary(Path(line)) for line in shown.stdout.splitlines())
    assert shown.stdout.splitlines() == [platformdirs.user_cache_dir("x"), platformdirs.user_data_dir("x")]
