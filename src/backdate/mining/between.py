"""What the releases between two versions of a distribution announce, read one by one while somebody asks.

An archive is fetched and parsed when it is reached, and what it announces is kept by its hash, the archive
is not. What cannot be read is named in ``unread``, and nothing is raised.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from packaging.version import Version

from backdate.errors import IndexUnavailable, StoredDataError, UsageError
from backdate.index.deadline import deadline
from backdate.index.upstream import IndexClient
from backdate.mining.announcements import Announcement, announcements_in
from backdate.mining.literals import may_announce
from backdate.mining.releases import ReleaseBounds, read_release, releases_between
from backdate.projects.sources.listing import ListedFile
from backdate.serial import digest, from_json, to_json, write_whole
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant

MOST_RELEASES = 8
_MOST_BYTES = 48 * 1024 * 1024
"""Of one archive."""
_MOST_S = 30.0
"""For all that one object fetches and parses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseAnnouncements:
    """What one release announces."""

    version: Version
    filename: str
    announcements: tuple[Announcement, ...]

    @property
    def series(self) -> str:
        """The minor release, "2.1": which of its patch releases said it first is not looked up."""
        return ".".join(map(str, self.version.release[:2]))


class _TimeIsUp(Exception):
    """Nothing more is read."""


@dataclass(slots=True)
class ReleasesBetween:
    """Reads releases for one task."""

    index: Callable[[], IndexClient]
    folder: Path
    """Where what archives announce is kept."""
    until: Instant
    """Files that were uploaded then or later do not count."""
    seconds_left: float = _MOST_S
    _listed: dict[tuple[str, str, str], tuple[ListedFile, ...]] = field(init=False, default_factory=dict)
    _read: dict[str, ReleaseAnnouncements] = field(init=False, default_factory=dict)
    _unread: dict[str, None] = field(init=False, default_factory=dict)

    @property
    def unread(self) -> tuple[str, ...]:
        """Distributions whose releases could not be listed, and archives that could not be read."""
        return tuple(self._unread)

    def announced(self, distribution: str, old: str, new: str) -> Iterator[ReleaseAnnouncements]:
        """What the minor releases from ``old`` to before ``new`` announce, the newest first.

        Of more than eight those that lie evenly between the first and the last.
        """
        for file in self._files(distribution, old, new):
            if file.filename not in self._read and file.filename not in self._unread:
                self._timed(file.filename, partial(self._keep, file))
            if file.filename in self._read:
                yield self._read[file.filename]

    def _files(self, distribution: str, old: str, new: str) -> tuple[ListedFile, ...]:
        key = (distribution, old, new)
        if key not in self._listed:
            self._listed[key] = ()
            self._timed(distribution, partial(self._list, key))
        return self._listed[key]

    def _timed(self, what: str, read: Callable[[], None]) -> None:
        if self.seconds_left <= 0:
            self._unread[what] = None
            return
        started = time.monotonic()
        try:
            with deadline(self.seconds_left):
                read()
        except (UsageError, IndexUnavailable, _TimeIsUp):  # SourceError is a UsageError
            self._unread[what] = None
        finally:
            self.seconds_left -= time.monotonic() - started

    def _list(self, key: tuple[str, str, str]) -> None:
        distribution, old, new = key
        try:
            first, last = Version(old), Version(new)
        except UNREADABLE:
            return
        bounds = ReleaseBounds(first=first, last=last, until=self.until)
        found = releases_between(self.index(), distribution, bounds, most_bytes=_MOST_BYTES)
        before = [series.file for series in found if series.file.version < last]
        self._listed[key] = tuple(reversed(_spread(before)))

    def _keep(self, file: ListedFile) -> None:
        kept = self.folder / f"{digest('announcements', 2, file.sha256 or file.url)}.json"
        announcements = _kept(kept) if file.sha256 else None
        if announcements is None:
            announcements = self._parsed(file)
            if file.sha256:
                write_whole(kept, to_json(announcements))
        self._read[file.filename] = ReleaseAnnouncements(
            version=file.version, filename=file.filename, announcements=announcements
        )

    def _parsed(self, file: ListedFile) -> tuple[Announcement, ...]:
        ends = time.monotonic() + self.seconds_left
        with tempfile.TemporaryDirectory() as folder:
            release = read_release(file, Path(folder), most_bytes=_MOST_BYTES, most_s=self.seconds_left)
        found: list[Announcement] = []
        for module, source in release.sources.items():
            if time.monotonic() > ends:
                raise _TimeIsUp
            if may_announce(source):
                found += announcements_in(source, module)
        return tuple(found)


def _spread(files: list[ListedFile]) -> list[ListedFile]:
    if len(files) <= MOST_RELEASES:
        return files
    last = len(files) - 1
    return [files[round(number * last / (MOST_RELEASES - 1))] for number in range(MOST_RELEASES)]


def _kept(path: Path) -> tuple[Announcement, ...] | None:
    if not path.is_file():
        return None
    try:
        return from_json(tuple[Announcement, ...], path.read_bytes(), what=str(path))
    except StoredDataError:
        path.unlink(missing_ok=True)  # damaged: the archive is read again
        return None
