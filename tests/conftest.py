"""What a machine may lack, found out once a session; and the folders that tests read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
INDEX = os.environ.get("BACKDATE_TEST_INDEX", "https://pypi.org/simple")


def _no_index() -> str | None:
    try:
        httpx.get(f"{INDEX}/six/", timeout=20, follow_redirects=True).raise_for_status()
    except httpx.HTTPError as error:
        return f"the package index {INDEX} cannot be reached: {error}"
    return None


def _no_shared_data() -> str | None:
    return None if SHARED.is_dir() else "the published data is not at ../shared/data"


def _no_docker() -> str | None:
    try:
        done = subprocess.run(["docker", "info"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no Docker engine: {error}"
    last = [*done.stderr.strip().splitlines(), ""][-1]
    return f"no Docker engine: {last}" if done.returncode else None


_PROBES: dict[str, Callable[[], str | None]] = {
    "network": _no_index,
    "shared": _no_shared_data,
    "docker": _no_docker,
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine cannot run, with the reason; nothing is asked for tests that are not there."""
    for mark, probe in _PROBES.items():
        marked = [item for item in items if item.get_closest_marker(mark)]
        if marked and (reason := probe()) is not None:
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def repository_root() -> Path:
    """The folder of this checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Published data beside the checkout; for tests marked ``shared``."""
    return SHARED


@pytest.fixture(scope="session")
def index_url() -> str:
    """The package index; for tests marked ``network``."""
    return INDEX


@pytest.fixture(scope="session")
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all tests that build environments, so that each is built once."""
    return tmp_path_factory.mktemp("cache")
