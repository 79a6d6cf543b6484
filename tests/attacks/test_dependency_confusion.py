"""Somebody publishes a newer package of a private one's name on the public index."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from patience import PATIENCE_S
from private_indexes import IndexAtPath, PrivateIndexes, private_indexes, sent

from backdate.environments.uv import find_uv
from backdate.errors import IndexUnavailable
from backdate.index.beside import indexes_together
from backdate.index.together import IndexStrategy

NAME = "team-library"


@pytest.fixture
def indexes() -> Iterator[PrivateIndexes]:
    with private_indexes() as given:
        yield given


def installed(address: str, folder: Path, *requirements: str) -> str:
    """The version that uv installs of what it is shown; empty for none."""
    done = subprocess.run(
        [
            *(find_uv(), "pip", "install", "--quiet", "--target", folder, "--default-index", address),
            *(
                "--python",
                sys.executable,
                "--cache-dir",
                folder.with_name("cache"),
                "--no-config",
                *requirements,
            ),
        ],
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0 or not folder.exists() or not any(folder.glob("demo.py"))
    return (folder / "demo.py").read_text().split("'")[1] if done.returncode == 0 else ""


def test_the_private_one_wins_though_the_public_one_is_newer(indexes: PrivateIndexes, tmp_path: Path) -> None:
    private, public = IndexAtPath(), IndexAtPath()
    private.put(NAME, "1.0", "1.1")
    public.put(NAME, "1.2", "99.0")
    both = [indexes.add("private", private)], indexes.add("public", public)
    with indexes_together(*both, tmp_path / "pages") as address:
        assert installed(address, tmp_path / "any", NAME) == "1.1"
        assert installed(address, tmp_path / "newer", f"{NAME}>=2") == ""
    assert not any(path.startswith(f"/public/simple/{NAME}") for path, _ in indexes.asked)
    unsafe = IndexStrategy.UNSAFE_BEST_MATCH
    with indexes_together(*both, tmp_path / "pages", unsafe) as address:
        assert installed(address, tmp_path / "unsafe", NAME) == "99.0"
        assert installed(address, tmp_path / "older", f"{NAME}<1.2") == "1.1"


@pytest.mark.parametrize("status", [401, 403, 500])
def test_nothing_public_takes_its_place_while_the_private_index_refuses(
    indexes: PrivateIndexes, status: int, tmp_path: Path
) -> None:
    private, public = IndexAtPath(), IndexAtPath()
    public.put(NAME, "99.0")
    both = [indexes.add("private", private)], indexes.add("public", public)
    with indexes_together(*both, tmp_path / "pages") as address:
        private.status = status  # from now on
        assert httpx.get(f"{address}{NAME}/").status_code == 502
    with pytest.raises(IndexUnavailable, match=f"answered {status}"):
        indexes_together(*both, tmp_path / "other").__enter__()


def test_credentials_are_for_the_private_index_alone(
    indexes: PrivateIndexes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private, public = IndexAtPath(wants=sent("alice", "secret")), IndexAtPath()
    private.put(NAME, "1.0")
    public.put("other", "2.0")
    monkeypatch.setenv("UV_INDEX_OUR_TEAM_USERNAME", "alice")
    monkeypatch.setenv("UV_INDEX_OUR_TEAM_PASSWORD", "secret")
    given = f"our-team={indexes.add('private', private)}"
    other = indexes.add("public", public).replace("127.0.0.1", "localhost")
    with indexes_together([given], other, tmp_path / "pages") as address:
        assert installed(address, tmp_path / "private", NAME) == "1.0"
        assert installed(address, tmp_path / "public", "other") == "2.0"
    assert {told for path, told in indexes.asked if path.startswith("/private")} == {
        f"Basic {sent('alice', 'secret')}"
    }
    assert {told for path, told in indexes.asked if path.startswith("/public")} == {None}
