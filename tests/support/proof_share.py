"""Which files of rules ``./dev test --all`` proves again: a seventh a day, and those that were just changed.

A proof installs two releases as of an instant that is over, so it says the same on every day unless the
file or backdate changes; all of them took almost half of the time of all tests.
"""

from __future__ import annotations

import subprocess
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from backdate.index.names import normalise

DAYS = 7
RECENT = timedelta(hours=1)
TABLES = "src/backdate/knowledge/tables"


@dataclass(frozen=True, slots=True)
class ProofShare:
    """The files of rules whose turn it is at a commit: of its day, or changed in ``RECENT`` before."""

    day: int
    changed: frozenset[str]

    def has(self, distribution: str) -> bool:
        """Whether the rules of ``distribution`` are proven at this commit."""
        name = normalise(distribution)
        return name in self.changed or zlib.crc32(name.encode()) % DAYS == self.day % DAYS


def share_of_commit(checkout: Path) -> ProofShare | None:
    """The share of the commit that is checked out; None, which is all of them, where there is no history."""
    try:
        when = datetime.fromisoformat(_git(checkout, "log", "-1", "--format=%cI").strip())
        since = f"--since={(when - RECENT).isoformat()}"
        names = _git(checkout, "log", since, "--name-only", "--format=", "--", TABLES).split()
        names += _git(checkout, "diff", "--name-only", "HEAD", "--", TABLES).split()
    except (OSError, subprocess.CalledProcessError, ValueError):
        return None
    return ProofShare(when.toordinal(), frozenset(normalise(Path(name).stem) for name in names))


def leave_out_proofs(items: list[pytest.Item], config: pytest.Config, checkout: Path) -> int:
    """Take proofs of other days out of ``items`` and return how many.

    None when they are asked for, or when tests are chosen by name.
    """
    named = config.getoption("keyword") or any("::" in argument for argument in config.args)
    if config.getoption("--proofs") or named or (share := share_of_commit(checkout)) is None:
        return 0
    others = [item for item in items if _is_of_another_day(item, share)]
    if others:
        left = set(others)
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=others)
    return len(others)


def _is_of_another_day(item: pytest.Item, share: ProofShare) -> bool:
    if item.get_closest_marker("proof") is None or not isinstance(item, pytest.Function):
        return False
    return not share.has(item.callspec.params["distribution"])


def _git(checkout: Path, *arguments: str) -> str:
    command = ["git", "-C", str(checkout), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
