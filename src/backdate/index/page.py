"""The model: a project's page, as the simple repository API gives it (PEP 503, 691, 700, 714).

One entry describes one file. Pages arrive in three dialects (``reading``), are kept in one
serialised form (``page_store``), cut at an instant and written in two forms (``rendering``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import msgspec

from backdate.timeline.instants import Instant

Microseconds: TypeAlias = int
"""Microseconds since 1970-01-01T00:00:00Z: instants as they are compared, exactly."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_microseconds(instant: Instant) -> Microseconds:
    """``instant`` as a whole number of microseconds since 1970."""
    return (instant - _EPOCH) // _MICROSECOND


def from_microseconds(value: Microseconds) -> Instant:
    """The instant that lies ``value`` microseconds after 1970-01-01T00:00:00Z."""
    return _EPOCH + timedelta(microseconds=value)


def parse_upload_time(text: str | None) -> Microseconds | None:
    """The upload time that PEP 700's ``text`` states; None when it states none.

    A time without an offset counts as none: guessing the offset could show a file too early.
    """
    if not text:
        return None
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is None:
            return None
        past = instant - _EPOCH
        return (past.days * 86_400 + past.seconds) * 1_000_000 + past.microseconds
    except (ValueError, OverflowError):
        return None


def _no_hashes() -> dict[str, str]:
    return {}  # of a function that is not ``dict`` itself msgspec writes the empty value too


class FileEntry(msgspec.Struct, omit_defaults=True, rename="kebab", gc=False):
    """One file, with the keys of PEP 691 (``files`` of a project's page)."""

    filename: str
    url: str
    hashes: dict[str, str] = msgspec.field(default_factory=_no_hashes)
    """Written even when empty: PEP 691 demands the key."""
    requires_python: str | None = None
    """PEP 345's Requires-Python, not escaped."""
    size: int | None = None
    """Bytes (PEP 700)."""
    upload_time: str | None = None
    """RFC 3339 (PEP 700)."""
    yanked: bool | str | None = False
    """The reason, or True when none was given (PEP 592)."""
    core_metadata: bool | dict[str, str] | None = None
    """Whether ``URL.metadata`` is served, and its hashes (PEP 658 under the name of PEP 714)."""
    dist_info_metadata: bool | dict[str, str] | None = None
    """The same under PEP 691's name, which older clients read."""
    gpg_sig: bool | None = None

    @property
    def metadata(self) -> bool | dict[str, str]:
        """What the page advertises about the file's metadata, under either name."""
        return self.core_metadata or self.dist_info_metadata or False


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexFile:
    """One file that an index serves, as the rest of backdate sees it."""

    filename: str
    url: str
    """Absolute."""
    version: str | None
    """As the file's name states it, in PEP 440's spelling; None when it states none."""
    upload_time: Instant
    hashes: tuple[str, ...]
    """``sha256:…`` and others that the index gives."""
    requires_python: str | None
    size_bytes: int | None
    yanked: bool
    """Whether it is yanked *today*: an index does not publish when a file was yanked."""
    yanked_reason: str | None
    has_metadata: bool
    """Whether the index serves ``url + ".metadata"`` (PEP 658)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectPage:
    """All files of a project, as the index listed them at ``fetched_at``."""

    name: str
    """Normalised."""
    exists: bool
    """Whether the index knows the project at all."""
    files: tuple[IndexFile, ...]
    """In the index' order; those without an upload time are not among them."""
    hidden_files: int
    """How many had no upload time (or made no sense) and were left out."""
    fetched_at: Instant
    upstream: str
    """The index that answered."""

    def before(self, instant: Instant) -> tuple[IndexFile, ...]:
        """The files that were uploaded strictly before ``instant``."""
        return tuple(file for file in self.files if file.upload_time < instant)
