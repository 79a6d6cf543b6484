"""Which files of rules are proven again with a commit."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from proof_share import DAYS, ProofShare, share_of_commit

CHANGES = "src/backdate/knowledge/tables/changes"
MINED = "src/backdate/knowledge/tables/mined"


@given(st.text("abcdefghij-_.", min_size=1), st.integers(700_000, 800_000))
def test_each_file_has_one_day_of_every_seven(name: str, day: int) -> None:
    shares = [ProofShare(day + later, frozenset()) for later in range(DAYS)]
    assert [share.has(name) for share in shares].count(True) == 1


def test_what_was_changed_just_now_is_proven_too(tmp_path: Path) -> None:
    commit(tmp_path, f"{CHANGES}/old.toml", "2026-01-01T08:00:00Z")
    commit(tmp_path, f"{MINED}/Some_Name.toml", "2026-01-05T07:30:00Z")
    commit(tmp_path, "README.md", "2026-01-05T08:00:00Z")
    (tmp_path / CHANGES / "old.toml").write_text("edited, and not committed")
    share = share_of_commit(tmp_path)
    assert share is not None
    assert share.changed == {"some-name", "old"}
    assert share.has("Some.Name")


def test_what_was_changed_days_ago_waits_for_its_day(tmp_path: Path) -> None:
    commit(tmp_path, f"{CHANGES}/old.toml", "2026-01-01T08:00:00Z")
    commit(tmp_path, "README.md", "2026-01-05T08:00:00Z")
    share = share_of_commit(tmp_path)
    assert share is not None
    assert share.changed == frozenset()


def test_without_history_all_are_proven(tmp_path: Path) -> None:
    assert share_of_commit(tmp_path) is None


def commit(repository: Path, name: str, when: str) -> None:
    file = repository / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(when)
    dated = {**os.environ, "GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    who = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-q", "-m", name]):
        subprocess.run(["git", "-C", str(repository), *arguments], check=True, env=dated)
