"""Where the logs of a check are kept when nobody said where."""

from __future__ import annotations

import shutil
from pathlib import Path

from backdate.errors import UsageError
from backdate.timeline.instants import Instant

KEPT_RUNS = 50
"""Older folders of runs are removed from the cache when a new one is made."""


def require_new_folder(folder: Path) -> None:
    """Raise UsageError unless ``folder`` is empty or not there yet: nobody's files are mixed with ours."""
    if folder.is_symlink() or folder.exists():
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder; name one that is empty or not there yet")
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is there already and not empty; name another folder")


def run_folder(cache: Path, project: str, started: Instant) -> Path:
    """A new folder for one run's logs in the cache, the oldest ones making room for it."""
    runs = cache / "runs"
    runs.mkdir(parents=True, exist_ok=True)
    for old in sorted(path for path in runs.iterdir() if path.is_dir())[: -KEPT_RUNS + 1]:
        shutil.rmtree(old, ignore_errors=True)  # another process may be removing it as well
    return runs / f"{started:%Y%m%dT%H%M%S.%f}-{project}"
