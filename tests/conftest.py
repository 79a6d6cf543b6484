"""What a machine may lack, found out once a session; and the folders that tests read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import hypothesis
import pytest
from docker_engine import IMAGE, NotStarted, import_image, started_engine
from small_debian import small_debian

from backdate.errors import MachineError
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.interface import BaseSystem

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
INDEX = os.environ.get("BACKDATE_TEST_INDEX", "https://pypi.org/simple")

# How long an example takes says how busy the machine is, not whether the project is right.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")

# Nor do the colours and the width that whoever runs the tests likes, which programs that are started inherit.
for _name in ("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "COLUMNS", "LINES", "PYTEST_ADDOPTS"):
    os.environ.pop(_name, None)


def _no_index() -> str | None:
    try:
        httpx.get(f"{INDEX}/six/", timeout=20, follow_redirects=True).raise_for_status()
    except httpx.HTTPError as error:
        return f"the package index {INDEX} cannot be reached: {error}"
    return None


def _no_shared_data() -> str | None:
    return None if SHARED.is_dir() else "the published data is not at ../shared/data"


def _no_debian() -> str | None:
    if os.geteuid() != 0:
        return "a Debian of its own can be made by root only"
    lacking = [name for name in ("bwrap", "debootstrap", "apt-get") if shutil.which(name) is None]
    return f"not installed: {', '.join(lacking)}" if lacking else None


def _no_docker() -> str | None:
    if shutil.which("dockerd") is None:
        return "no Docker engine is installed (Debian: apt-get install docker.io)"
    return _no_debian()


_PROBES: dict[str, Callable[[], str | None]] = {
    "network": _no_index,
    "shared": _no_shared_data,
    "debian": _no_debian,
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


@pytest.fixture(scope="session")
def debian() -> BaseSystem:
    """A small Debian that is kept from one run of the tests to the next; for tests marked ``debian``."""
    try:
        return small_debian()
    except MachineError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def docker_sandbox(debian: BaseSystem) -> Iterator[Docker]:
    """The sandbox over an engine of the tests' own, that Debian as image; for tests marked ``docker``."""
    with pytest.MonkeyPatch.context() as patch:
        try:
            with started_engine() as address:
                patch.setenv("DOCKER_HOST", address)
                import_image(Path(debian.place))
                yield Docker(IMAGE)
        except NotStarted as error:
            pytest.skip(str(error))
