"""The changelogs in a release's archive: files of their own, and long descriptions that hold one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from backdate.advising.changelog_files import is_changelog
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.listing import ListedFile

_LARGEST_CHANGELOG = 4 * 1024 * 1024
_MOST_FILES = 80
_FOLDED = re.compile(r"(?m)^(?: {8}| {7}\|)")
"""What stands before the further lines of a description in a header (core metadata before 2.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedChangelogs:
    """The changelogs of one archive, by the names of its members."""

    files: Mapping[str, bytes]
    described: Mapping[str, bytes]
    """Long descriptions, which of many distributions hold the changelog."""


def archive_of(files: Sequence[ListedFile], version: str) -> ListedFile | None:
    """The file of a version that most likely holds a changelog: its sdist, else a wheel."""
    of_version = [file for file in files if file.version == Version(version)]
    sdists = [file for file in of_version if file.sdist]
    wheels = [file for file in of_version if file.filename.endswith(".whl")]
    return next(iter((*sdists, *wheels)), None)


def read_changelogs(
    path: Path, old: str | None, new: str, *, what: str, most_files: int = _MOST_FILES
) -> ArchivedChangelogs | None:
    """The changelogs in the archive at ``path`` that may say what changed after ``old`` up to ``new``.

    None without any. Raises SourceError, naming ``what``, for an archive that is damaged.
    """
    files = read_members(
        path,
        lambda name: is_changelog(name, old, new),
        what=what,
        most_files=most_files,
        most_bytes=_LARGEST_CHANGELOG,
    )
    metadata = read_members(
        path, _is_description, what=what, most_files=most_files, most_bytes=_LARGEST_CHANGELOG
    )
    described = {name: description_of(data) for name, data in metadata.items()}
    if not files and not any(described.values()):
        return None
    return ArchivedChangelogs(files=files, described=described)


def description_of(metadata: bytes) -> bytes:
    """The long description that a distribution's core metadata hold, as it was written; empty without one."""
    from backdate.index.core_metadata import read_core_metadata  # with every licence that there is

    read = read_core_metadata(metadata)
    return b"" if read is None else _FOLDED.sub("", read[0].get("description", "")).encode("utf-8", "replace")


def _is_description(name: str) -> bool:
    return name.endswith(".dist-info/METADATA") or (name.count("/") == 1 and name.endswith("/PKG-INFO"))
