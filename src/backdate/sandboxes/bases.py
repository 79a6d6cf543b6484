"""Base systems with further Debian packages: what a recipe's apt steps ask for.

Under bubblewrap a base is a Debian of its own in a folder (``debian.py``), under Docker a layer on the
configured image. Both hold *today's* packages: a distribution's archive keeps only the newest release of
each, so this way gives no headers and libraries of an old instant, only those of the same Debian release
with its later fixes. Each base is made once and kept.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import re
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.errors import StoredDataError, UsageError
from backdate.sandboxes import debian, interruption
from backdate.sandboxes.debian import BaseFailure, DebianSource
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.docker_engine import Engine
from backdate.sandboxes.interface import BaseSystem, Sandbox
from backdate.serial import digest, from_json, to_json, write_whole

__all__ = ["BUILD_PACKAGES", "BaseFailure", "BaseSettings", "Bases", "is_name"]

BUILD_PACKAGES = (
    *("autoconf", "automake", "bzip2", "ca-certificates", "cmake", "curl", "default-libmysqlclient-dev"),
    *("dpkg-dev", "file", "g++", "gcc", "gfortran", "git", "imagemagick", "libblas-dev", "libbz2-dev"),
    *("libcurl4-openssl-dev", "libdb-dev", "libevent-dev", "libffi-dev", "libgdbm-dev", "libglib2.0-dev"),
    *("libgmp-dev", "libjpeg-dev", "libkrb5-dev", "liblapack-dev", "liblzma-dev", "libmagickwand-dev"),
    *("libmaxminddb-dev", "libncurses-dev", "libpng-dev", "libpq-dev", "libreadline-dev", "libsqlite3-dev"),
    *("libssl-dev", "libtool", "libwebp-dev", "libxml2-dev", "libxslt1-dev", "libyaml-dev", "make"),
    *("netbase", "patch", "pkg-config", "procps", "tzdata", "unzip", "wget", "xz-utils", "zlib1g-dev"),
)
"""Packages that a base under bubblewrap holds besides a minimal Debian: in essence the list of the image
``buildpack-deps``, which is also the default under Docker."""

_FORMAT = 1
"""Part of every key: raise it when the same inputs give another base."""
_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]*[a-z0-9+.]\Z")
_MOST_PACKAGES = 500
_POLL_S = 0.05
_BUILD_MEMORY = 8 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSettings:
    """The inputs of a base system; only bubblewrap uses them."""

    source: DebianSource | None = None
    """None for the source that this machine's own apt is configured with."""
    packages: tuple[str, ...] = BUILD_PACKAGES
    """What every base holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bases:
    """Makes base systems for ``sandbox`` and keeps them in ``folder``."""

    sandbox: Sandbox
    folder: Path
    settings: BaseSettings = field(default_factory=BaseSettings)

    def prepare(self, packages: Sequence[str]) -> BaseSystem | BaseFailure:
        """A base system with these Debian packages and their dependencies, from the cache or new.

        A package that does not exist or does not install gives a failure that names it. Raises UsageError
        for text that is no package name and for a sandbox that has no base of its own, SandboxUnavailable
        when this machine cannot make one (bubblewrap needs root for it), and MachineError when the archive
        does not answer.
        """
        names = checked_names(packages)
        if self.sandbox.name == "bwrap":
            self.sandbox.require()
            return self._in_folder(names)
        if isinstance(self.sandbox, Docker):
            return self._in_image(self.sandbox, names)
        raise UsageError(
            f"system packages ({', '.join(names)}) cannot be had with --sandbox {self.sandbox.name}, which "
            "has only this machine's system; use --sandbox bwrap as root, or --sandbox docker"
        )

    def _in_folder(self, packages: tuple[str, ...]) -> BaseSystem | BaseFailure:
        source = self.settings.source or debian.configured_source()
        common = checked_names(self.settings.packages)
        base = self._root(source, common, (), None)
        further = tuple(name for name in packages if name not in common)
        if further and not isinstance(base, BaseFailure):
            base = self._root(source, common, further, Path(base.place))
        return base if isinstance(base, BaseFailure) else replace(base, packages=packages)

    def _root(
        self,
        source: DebianSource,
        common: tuple[str, ...],
        packages: tuple[str, ...],
        start: Path | None,
    ) -> BaseSystem | BaseFailure:
        key = digest("debian", _FORMAT, source, common, packages)
        root = self.folder / "roots" / key
        log = self.folder / "logs" / f"{key}.log"
        record = self.folder / f"{key}.json"
        with self._guard(key):
            kept = _kept(record)
            if kept is not None and Path(kept.place).is_dir():
                return kept
            installed = debian.make_root(source, root, packages if start else common, start=start, log=log)
            if isinstance(installed, BaseFailure):
                return installed
            key = digest("debian", installed)
            base = BaseSystem(sandbox="bwrap", place=str(root), key=key, packages=packages)
            write_whole(record, to_json(base))
            return base

    def _in_image(self, sandbox: Docker, packages: tuple[str, ...]) -> BaseSystem | BaseFailure:
        image = sandbox.base_key()
        if not packages:
            return BaseSystem(sandbox="docker", place=image, key=image, packages=())
        key = digest("image", _FORMAT, image, packages)
        tag = f"backdate-base:{key[:32]}"
        log = self.folder / "logs" / f"{key}.log"
        with self._guard(key), contextlib.closing(Engine()) as engine:
            built = engine.image(tag)
            if built is None:
                text, succeeded = engine.build(
                    _context(image, packages),
                    tag=tag,
                    memory=_BUILD_MEMORY,
                    arguments=debian.proxy_variables(),
                )
                log.parent.mkdir(parents=True, exist_ok=True)
                log.write_text(text, encoding="utf-8")
                if not succeeded:
                    return debian.failure_of(text, log)
                built = engine.image(tag)
            if built is None:
                raise StoredDataError(f"the image {tag} was removed right after it was built; try again")
            return BaseSystem(sandbox="docker", place=built.id, key=built.id, packages=packages)

    @contextlib.contextmanager
    def _guard(self, key: str) -> Iterator[None]:
        """A lock that one thread of one process holds at a time, while the others wait for it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{key}.lock").open("w") as file:
            while True:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    interruption.check()
                    time.sleep(_POLL_S)
            yield


def is_name(text: str) -> bool:
    """Whether ``text`` can be the name of a Debian package (Debian Policy 5.6.1, 5.6.7).

    A name that ends in a hyphen, which the policy allows and no package has, means removal to apt.
    """
    return len(text) <= 100 and _NAME.match(text) is not None


def checked_names(packages: Sequence[str]) -> tuple[str, ...]:
    """The names, sorted and without repetition. Raises UsageError for text that is no name."""
    for name in packages:
        if not is_name(name):
            raise UsageError(f"{name!r} is not the name of a Debian package, such as libldap2-dev")
    if len(packages) > _MOST_PACKAGES:
        raise UsageError(f"{len(packages)} system packages are asked for; no project needs so many")
    return tuple(sorted(set(packages)))


def _kept(record: Path) -> BaseSystem | None:
    try:
        return from_json(BaseSystem, record.read_bytes(), what=str(record))
    except FileNotFoundError:
        return None
    except StoredDataError:
        record.unlink(missing_ok=True)  # it is made again by the caller
        return None


def dockerfile(image: str, packages: Sequence[str]) -> str:
    """A Dockerfile that adds Debian packages to an image; no shell sees a name."""
    install = ("apt-get", "install", "--yes", "--no-install-recommends", *checked_names(packages))
    lines = [
        f"FROM {image}",
        "USER 0",
        f"RUN {json.dumps(['apt-get', 'update'])}",
        f"RUN {json.dumps(['env', 'DEBIAN_FRONTEND=noninteractive', *install])}",
    ]
    return "\n".join(lines) + "\n"


def _context(image: str, packages: Sequence[str]) -> bytes:
    return tar_of({"Dockerfile": dockerfile(image, packages).encode()})


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """A tar file with these files, by name."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()
