"""The disk budget: which environments a build made, which of them are in use, and removing the others.

``CACHE/uses/KEY`` notes an environment that a build made, with its size. A job holds it (shared) as long
as it runs in the environment; whoever trims takes it exclusively or leaves it alone. Environments that were
in the cache before are nobody's to remove. An environment in two layers has two such notes; a job holds both.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from backdate.environments.cache import Cache
from backdate.environments.cache_contents import folder_bytes
from backdate.environments.environment import Environment


class Uses:
    """The environments that one job uses. A context manager: they may be removed afterwards."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._folder = cache.folder / "uses"
        self._held = ExitStack()

    def __enter__(self) -> Uses:
        self._folder.mkdir(exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def hold(self, environment: Environment) -> bool:
        """Keep all layers of ``environment`` from being removed; False when one was removed a moment ago."""
        below = environment.dependencies
        if not self._hold_folder(environment.key, environment.root, reused=environment.reused):
            return False
        # The lower layer last: it is never unused for longer than what lies on it, and so not removed before.
        return below is None or self._hold_folder(below.key, below.root, reused=below.reused)

    def _hold_folder(self, key: str, root: Path, *, reused: bool) -> bool:
        path, python = self._folder / key, root / "bin" / "python"
        if reused and not path.exists():
            return python.exists()
        file = self._held.enter_context(path.open("a+", encoding="ascii"))
        fcntl.flock(file, fcntl.LOCK_SH)
        if not python.exists():
            return False
        if path.stat().st_size == 0:
            file.write(str(folder_bytes(root)))
            file.flush()
        os.utime(path)
        return True


def trim(cache: Cache, budget_bytes: int) -> tuple[str, ...]:
    """Remove environments that builds made and no job uses, the longest unused first, until they take at most
    ``budget_bytes``; the keys of those removed."""
    folder = cache.folder / "uses"
    known = sorted(_sizes(folder.iterdir() if folder.is_dir() else ()))
    total = sum(size for _, _, size in known)
    removed = []
    for _, path, size in known:
        if total <= budget_bytes:
            break
        with path.open("a+", encoding="ascii") as file:
            if not _taken(file):
                continue
            cache.discard_environment(path.name)
            path.unlink(missing_ok=True)
        total -= size
        removed.append(path.name)
    return tuple(removed)


def _sizes(paths: Iterable[Path]) -> Iterable[tuple[int, Path, int]]:
    for path in paths:
        try:
            yield path.stat().st_mtime_ns, path, int(path.read_text(encoding="ascii") or 0)
        except (FileNotFoundError, ValueError):
            continue


def _taken(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
