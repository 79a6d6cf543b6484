"""Where environments are kept: one folder, shared by all runs of all processes of a user.

::

    CACHE/clean/uv/                 uv's own cache            ┐ what no foreign code wrote to
    CACHE/clean/environments/KEY/   environments of wheels    ┘
    CACHE/built/environments/KEY/   environments, or layers, in whose making foreign code ran
    CACHE/built/wheels/KEY/         wheels that were built from sdists (``wheel_store.py``)
    CACHE/wheels/KEY.json           their names and hashes
    CACHE/builds/                   the private folders of builds that are going on
    CACHE/seals/KEY.json            what each finished environment is held to (``seal.py``)
    CACHE/records/KEY.json          written last: without its record an environment does not exist
    CACHE/locks/KEY.json            resolutions, keyed by all their inputs
    CACHE/extractions/KEY.json      what the files of a tree say about recipes
    CACHE/lent/KEY.json             which of uv's files the caller's environments share (``lent_files.py``)
    CACHE/layers/KEY.json           what the upper layers of equally packaged trees have in common
    CACHE/clean/uv-BASE/            uv's caches of what is built in other base systems
    CACHE/systems/                  base systems with Debian packages
    CACHE/references/               repositories and archives that requirements name by address
    CACHE/logs/                     logs of builds, by key
    CACHE/guards/KEY                lock files, held while KEY is being made
    CACHE/workers/PID-RANDOM        held by a process that works with the cache (``cache_use.py``)
    CACHE/secrets/made-here.json    known to this cache alone: what others wrote does not pass for its own
    CACHE/sizes/measured.json       what environments and unpacked wheels take on disk (``cache_contents.py``)

Only steps in which nothing but uv itself runs write to ``clean``. A step that runs foreign code writes to the
one environment that it makes and to private folders (``private_view.py``), and sees no other environment
but the layer below. (What releases before kept in ``CACHE/store`` could be written to by every build, and is
not used.)
"""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import platformdirs

from backdate.errors import MachineError, StoredDataError
from backdate.sandboxes.file_lock import held_file, tried_file
from backdate.sandboxes.scratch import remove_tree
from backdate.serial import digest, from_json, to_json, write_whole

T = TypeVar("T")


def default_cache() -> Path:
    """``$BACKDATE_CACHE``, or the user's cache folder."""
    given = os.environ.get("BACKDATE_CACHE")
    return Path(given).resolve() if given else Path(platformdirs.user_cache_dir("backdate"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSecret:
    """A text that nobody guesses."""

    value: str


@dataclass(frozen=True, slots=True)
class Cache:
    """The cache at a folder, which is made where it is missing."""

    folder: Path

    def __post_init__(self) -> None:
        try:
            for path in (self.clean, self.built, self.built_wheels, self.logs):
                path.mkdir(parents=True, exist_ok=True)
            for name in (
                "records",
                "seals",
                "wheels",
                "locks",
                "layers",
                "neighbours",
                "guards",
                "downloads",
                "references",
                "lent",
                "choices",
                "extractions",
                "workers",
                "sizes",
                "secrets",
            ):
                (self.folder / name).mkdir(exist_ok=True)
            if not os.access(self.folder, os.W_OK | os.X_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        except OSError as error:
            raise MachineError(
                f"the cache {self.folder} cannot be written: {error.strerror}; "
                "name another folder with --cache or BACKDATE_CACHE"
            ) from error

    @property
    def clean(self) -> Path:
        """What only steps without foreign code write to."""
        return self.folder / "clean"

    @property
    def uv(self) -> Path:
        """uv's cache."""
        return self.clean / "uv"

    def make_clean(self, folder: Path) -> None:
        """Make ``folder``, which lies in ``clean``, for the user whose ``clean`` is."""
        owner = self.clean.stat()  # the user of sandboxed commands, once they have written there
        for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
            missing.mkdir(exist_ok=True)  # another step may be doing so
            os.chown(missing, owner.st_uid, owner.st_gid)

    def of_base(self, folder: Path, base_key: str | None) -> Path:
        """``folder`` of ``clean``, or its counterpart for what is built in another base system.

        A tool keeps what it built from an sdist whatever that was linked with, so each system has its own.
        """
        return folder if base_key is None else folder.with_name(f"{folder.name}-{digest(base_key)[:16]}")

    @property
    def systems(self) -> Path:
        """Base systems (see ``sandboxes/bases.py``); out of reach of build steps."""
        return self.folder / "systems"

    @property
    def services(self) -> Path:
        """Empty databases, of which runs get copies."""
        return self.folder / "services"

    @property
    def environments(self) -> Path:
        """The folder of environments that were installed from wheels, in whose making no foreign code ran."""
        return self.clean / "environments"

    @property
    def built(self) -> Path:
        """The folder of environments, and of layers, in whose making foreign code ran."""
        return self.folder / "built" / "environments"

    @property
    def built_wheels(self) -> Path:
        """The folder of wheels that were built from sdists; builds do not see it."""
        return self.folder / "built" / "wheels"

    @property
    def builds(self) -> Path:
        """The folder of the private folders of builds that are going on."""
        return self.folder / "builds"

    @property
    def logs(self) -> Path:
        """Logs of builds."""
        return self.folder / "logs"

    @property
    def index(self) -> Path:
        """Pages of package indexes (see ``index/cache.py``)."""
        return self.folder / "index"

    @property
    def references(self) -> Path:
        """Repositories and archives that requirements name by address, and records of them."""
        return self.folder / "references"

    @property
    def downloads(self) -> Path:
        """Files that were downloaded, by hash."""
        return self.folder / "downloads"

    def read(self, kind: type[T], room: str, key: str) -> T | None:
        """The record ``room``/``key``, or None where there is none; a damaged one is removed."""
        path = self.folder / room / f"{key}.json"
        try:
            return from_json(kind, path.read_bytes(), what=str(path))
        except FileNotFoundError:
            return None
        except StoredDataError:
            path.unlink(missing_ok=True)  # it can be made again from its inputs: that is what the caller does
            return None

    def secret(self) -> str:
        """What this cache alone knows: its user wrote what has keys that are made with it."""
        kept = self.read(CacheSecret, "secrets", "made-here")
        if kept is None:
            (self.folder / "secrets").chmod(0o700)
            kept = CacheSecret(value=secrets.token_hex(32))
            self.write("secrets", "made-here", kept)
        return kept.value

    def has(self, room: str, key: str) -> bool:
        """Whether there is a record ``room``/``key``."""
        return (self.folder / room / f"{key}.json").exists()

    def keys(self, room: str) -> list[str]:
        """The keys of all records of ``room``, sorted."""
        return sorted(path.stem for path in (self.folder / room).glob("*.json"))

    def write(self, room: str, key: str, value: object) -> None:
        """Keep ``value`` as the record ``room``/``key``."""
        write_whole(self.folder / room / f"{key}.json", to_json(value))

    def forget(self, room: str, key: str) -> None:
        """Remove the record ``room``/``key``, if there is one."""
        (self.folder / room / f"{key}.json").unlink(missing_ok=True)

    @contextmanager
    def guard(self, key: str) -> Iterator[None]:
        """Held by one thread of one process at a time; the others wait for it.

        Raises KeyboardInterrupt when what the thread obeys is set meanwhile.
        """
        with held_file(self.folder / "guards" / key):
            yield

    @contextmanager
    def try_guard(self, key: str) -> Iterator[bool]:
        """Whether nobody holds the guard of ``key``; where so, it is held meanwhile. Waits for nothing."""
        with tried_file(self.folder / "guards" / key) as taken:
            yield taken

    def discard_environment(self, key: str) -> None:
        """Remove the environment of that key, its record first, without which it is none."""
        self.forget("records", key)
        self.forget("seals", key)
        for folder in (self.environments, self.built):
            self.discard(folder / key)

    def discard(self, path: Path) -> None:
        """Remove a folder of the store, whatever a build left in it."""
        if os.path.lexists(path):
            remove_tree(path)
