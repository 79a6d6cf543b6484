"""The small world, once a session: its index, its repositories, and an undisturbed build of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from small_world import build_command, make_repositories, running_index

from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap


@dataclass(frozen=True)
class World:
    """Where everything is."""

    index: str
    names: Path
    dataset: Path
    """Of the undisturbed build."""
    cache: Path
    said: str


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox: {error}")
    folder = tmp_path_factory.mktemp("world")
    names = make_repositories(folder / "repositories")
    with running_index() as index:
        cache, dataset = folder / "cache", folder / "undisturbed"
        done = subprocess.run(
            build_command(names, dataset, index, cache, "--jobs", "2"),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        yield World(index=index, names=names, dataset=dataset, cache=cache, said=done.stdout)
