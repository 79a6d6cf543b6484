"""Private indexes and the public one behind one address."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from patience import PATIENCE_S
from private_indexes import IndexAtPath, PrivateIndexes, private_indexes

from backdate.errors import IndexUnavailable, MachineError, UsageError
from backdate.index.beside import indexes_together
from backdate.index.together import IndexStrategy

PUBLIC = "https://pypi.org/simple"
OTHER_USER = 65534


@pytest.fixture
def indexes() -> Iterator[PrivateIndexes]:
    with private_indexes() as given:
        yield given


def test_the_same_indexes_have_the_same_address_and_one_server_at_a_time(
    indexes: PrivateIndexes, tmp_path: Path
) -> None:
    one, second = (indexes.add(name, IndexAtPath()) for name in ("one", "second"))
    with indexes_together([one], PUBLIC, tmp_path) as first:
        assert first.startswith("http://127.0.0.1:")
        with (
            pytest.raises(MachineError, match="another command with the same indexes"),
            indexes_together([one], PUBLIC, tmp_path),
        ):
            pass
        with indexes_together([second], PUBLIC, tmp_path) as other:
            assert other != first
        with indexes_together([one], PUBLIC, tmp_path, IndexStrategy.UNSAFE_BEST_MATCH) as unsafe:
            assert unsafe != first
    with indexes_together([f"team={one}/"], PUBLIC, tmp_path) as again:
        assert again == first


def test_addresses_with_a_password_are_refused(tmp_path: Path) -> None:
    refused = indexes_together(["https://a:b@private.example/simple"], PUBLIC, tmp_path)
    with pytest.raises(UsageError, match="has credentials"), refused:
        pass


def test_an_index_that_wants_other_credentials_is_told_before_anything_is_built(
    indexes: PrivateIndexes, tmp_path: Path
) -> None:
    closed = indexes.add("closed", IndexAtPath(wants="what nobody sends"))
    with (
        pytest.raises(IndexUnavailable, match=r"answered 401.*UV_INDEX_NAME_USERNAME"),
        indexes_together([closed], PUBLIC, tmp_path),
    ):
        pass


def asked_by(user: int, url: str) -> str:
    """The status line that a process of ``user`` gets."""
    parts = urlsplit(url)
    script = (
        f"exec 3<>/dev/tcp/127.0.0.1/{parts.port}; "
        f'printf "GET {parts.path} HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n" >&3; head -1 <&3'
    )
    answered = subprocess.run(
        [shutil.which("bash") or "bash", "-c", script],
        user=user,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    return answered.stdout.strip()


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
def test_other_users_of_the_machine_get_nothing(indexes: PrivateIndexes, tmp_path: Path) -> None:
    private = IndexAtPath()
    private.put("team-library", "1.0")
    with indexes_together([indexes.add("private", private)], PUBLIC, tmp_path) as address:
        page = f"{address}team-library/"
        assert httpx.get(page).status_code == 200
        assert " 200 " in asked_by(os.geteuid(), page)
        assert " 403 " in asked_by(OTHER_USER, page)
        assert " 403 " in asked_by(OTHER_USER, page.replace("/simple/", "/snapshot/2024-01-01/simple/"))
