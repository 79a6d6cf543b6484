"""Projects of a test's own making, and what must be true after whatever was done to them."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap

FROM = datetime(2024, 1, 5, tzinfo=UTC)
TO = datetime(2024, 1, 20, tzinfo=UTC)
"""Between these two neither pip, setuptools nor pytest had a release: both sides share one environment."""


@dataclass
class Machine:
    """A project in a user's folder, and a cache."""

    project: Path
    cache: Path

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, when: str = "2024-01-05T00:00:00Z") -> None:
        identity = {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", when))
        }
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
            subprocess.run(["git", *words], cwd=self.project, check=True, env=os.environ | identity)


def snapshot(folder: Path) -> dict[str, tuple[object, ...]]:
    """Everything below ``folder``: kind and mode, time of change, content."""
    found: dict[str, tuple[object, ...]] = {}
    for path in (folder, *folder.rglob("*")):
        status = path.lstat()
        content: object = None
        if stat.S_ISLNK(status.st_mode):
            content = path.readlink()
        elif stat.S_ISREG(status.st_mode):
            content = path.read_bytes()
        found[str(path)] = (status.st_mode, status.st_mtime_ns, content)
    return found


def without_record(cache: Path) -> list[str]:
    """Environments in the cache that nobody may use: half-built ones."""
    folders = [cache / kind / "environments" for kind in ("clean", "built")]
    made = [path.name for folder in folders if folder.is_dir() for path in folder.iterdir()]
    return [name for name in made if not (cache / f"records/{name}.json").exists()]


@pytest.fixture(scope="session")
def _isolation() -> None:
    """Skip where the real sandbox cannot be had."""
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def machine(tmp_path: Path, session_cache: Path, _isolation: None) -> Iterator[Callable[..., Machine]]:
    """Makes a project of files; afterwards it must be as it was, and no environment half-built."""
    made: list[tuple[Machine, dict[str, tuple[object, ...]]]] = []

    def make(
        files: Mapping[str, str | bytes],
        *,
        cache: Path | None = None,
        prepare: Callable[[Machine], None] | None = None,
    ) -> Machine:
        machine = Machine(project=tmp_path / "user" / "project", cache=cache or session_cache)
        machine.project.mkdir(parents=True)
        machine.write(files)
        if prepare is not None:
            prepare(machine)
        made.append((machine, snapshot(machine.project.parent)))
        return machine

    yield make
    for machine, before in made:
        assert snapshot(machine.project.parent) == before
        assert without_record(machine.cache) == []
