"""Which distribution installed which file: read from an environment's folder, without running anything.

The files read are those of the "recording installed distributions" specification (PEP 376, PEP 627)
and setuptools' older ``.egg-info``. They were written by hostile builds: reads are bounded and
never follow a link; a file that cannot be read counts as missing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

MOST_DISTRIBUTIONS = 5000
LARGEST_FILE = 16 * 1024 * 1024
MOST_FILES = 1_000_000
"""Recorded files that are kept over all distributions."""
_LARGEST_METADATA = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """One distribution of an environment."""

    name: str
    """As its metadata spells it: "PyYAML"."""
    version: str

    @property
    def key(self) -> str:
        """The normalised name (PEP 503)."""
        return canonicalize_name(self.name)


class Distributions:
    """The distributions in some folders (``site-packages``), and the files of each."""

    def __init__(self, folders: tuple[Path, ...] = ()) -> None:
        self.folders = folders
        self.all: dict[str, Installed] = {}
        self._files: dict[str, Installed] = {}
        self._tops: dict[str, dict[str, Installed]] = {}
        self._modules: dict[Installed, list[str]] = {}
        for folder in folders:
            for entry in _metadata_folders(folder):
                self._add(entry)

    def _add(self, entry: Path) -> None:
        egg = entry.name.endswith(".egg-info")
        headers = read_bounded(entry / ("PKG-INFO" if egg else "METADATA"), _LARGEST_METADATA)
        name, version = _name_and_version(headers or "", entry.name)
        if not name:
            return
        distribution = Installed(name=name, version=version)
        self.all.setdefault(distribution.key, distribution)
        for path in _recorded(entry):
            if len(self._files) >= MOST_FILES:
                break
            if path not in self._files:
                self._files[path] = distribution
                if path.endswith((".py", ".pyi")):
                    self._modules.setdefault(distribution, []).append(path)
            self._tops.setdefault(_top(path), {})[distribution.key] = distribution
        for top in (read_bounded(entry / "top_level.txt", _LARGEST_METADATA) or "").split():
            self._tops.setdefault(top, {})[distribution.key] = distribution

    def of_file(self, relative: str) -> Installed | None:
        """The distribution that installed a file, given by its path below ``site-packages``."""
        distribution = self._files.get(relative)
        if distribution is not None:
            return distribution
        owners = self._tops.get(_top(relative), {})
        return next(iter(owners.values())) if len(owners) == 1 else None

    def of_module(self, dotted: str) -> Installed | None:
        """The distribution of a module: by its file, or as the only owner of its top-level name."""
        path = dotted.replace(".", "/")
        while path:
            for candidate in (f"{path}/__init__.py", f"{path}.py"):
                if candidate in self._files:
                    return self._files[candidate]
            path = path.rpartition("/")[0]
        owners = self._tops.get(dotted.partition(".")[0], {})
        return next(iter(owners.values())) if len(owners) == 1 else None

    def has_top_level(self, name: str) -> bool:
        """Whether any distribution installed a top-level module or package of that name."""
        return name in self._tops

    def top_level_of(self, name: str) -> tuple[str, ...]:
        """The importable top-level names that a distribution (by its normalised name) installed."""
        return tuple(top for top, owners in self._tops.items() if name in owners and top.isidentifier())

    def python_files(self, distribution: Installed) -> Sequence[str]:
        """The recorded modules of a distribution, relative to ``site-packages``."""
        return self._modules.get(distribution, ())


def site_packages(*roots: Path) -> tuple[Path, ...]:
    """The ``site-packages`` folders of an environment whose layers lie at ``roots``, the upper one first."""
    return tuple(
        folder
        for root in roots
        for folder in sorted(root.glob("lib*/python*/site-packages"))
        if folder.is_dir()
    )


def read_bounded(path: Path, most: int) -> str | None:
    """A regular file's text, or None when it is not one, is longer than ``most`` bytes, or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _metadata_folders(folder: Path) -> list[Path]:
    metadata_folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".dist-info", ".egg-info")) and entry.is_dir(follow_symlinks=False):
                metadata_folders.append(Path(entry.path))
                if len(metadata_folders) >= MOST_DISTRIBUTIONS:
                    break
    return sorted(metadata_folders)


def _name_and_version(headers: str, folder: str) -> tuple[str, str]:
    """From the metadata's headers, else from the folder's name."""
    fields: dict[str, str] = {}
    for line in headers.splitlines():
        if not line.strip():
            break
        key, colon, value = line.partition(":")
        if colon:
            fields.setdefault(key.strip().lower(), value.strip())
    stem, _, _kind = folder.rpartition(".")
    name, _, rest = stem.partition("-")
    return fields.get("name") or name, fields.get("version") or rest.partition("-")[0]


def _recorded(entry: Path) -> Iterator[str]:
    record = read_bounded(entry / "RECORD", LARGEST_FILE)
    if record is not None:
        for line in record.splitlines():
            path = line[1:].partition('"')[0] if line.startswith('"') else line.partition(",")[0]
            if path and not path.startswith(("/", "..")) and ".dist-info/" not in path:
                yield path
        return
    for line in (read_bounded(entry / "installed-files.txt", LARGEST_FILE) or "").splitlines():
        if line.startswith("../"):
            yield line.removeprefix("../").strip()


def _top(path: str) -> str:
    first, slash, _ = path.partition("/")
    return first if slash else first.partition(".")[0]
