"""The files that the package index lists for a distribution, with the facts that choosing an sdist needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.version import Version

from backdate.errors import SourceError, SourceProblem
from backdate.index.page import IndexFile
from backdate.index.upstream import IndexClient
from backdate.projects.sources.archives import ARCHIVE_SUFFIXES
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """One file of a distribution, with what the index says of it."""

    filename: str
    url: str
    """Absolute."""
    version: Version
    uploaded: Instant
    sha256: str | None
    yanked: bool
    sdist: bool
    """Whether it is a source distribution of a kind that can be unpacked."""
    size_bytes: int | None = None
    """None where the index does not say it."""
    requires_python: str = ""
    """The Pythons that it says it works with (PEP 345); "" for any."""


def fetch_listing(client: IndexClient, name: str) -> tuple[ListedFile, ...]:
    """The files of the distribution ``name`` that say their version, in the index' order.

    Raises SourceError when the index has no such distribution, and IndexUnavailable when it cannot
    be reached, answers in another format, or gives no upload times.
    """
    page = client.project_page(name)
    if not page.exists:
        raise SourceError(
            f"{name} is not on the package index {client.upstreams[0]}; is the name right?",
            SourceProblem.NOT_ON_INDEX,
        )
    return tuple(listed for file in page.files if (listed := _listed(file)) is not None)


def _listed(file: IndexFile) -> ListedFile | None:
    """None for what does not say its version, or lies where no index keeps files."""
    if file.version is None or not file.url.startswith(("http://", "https://")):
        return None
    try:
        version = Version(file.version)
    except UNREADABLE:
        return None
    digests = (text.removeprefix("sha256:").lower() for text in file.hashes if text.startswith("sha256:"))
    return ListedFile(
        filename=file.filename,
        url=file.url,
        version=version,
        uploaded=file.upload_time,
        sha256=next((digest for digest in digests if re.fullmatch(r"[0-9a-f]{64}", digest)), None),
        yanked=file.yanked,
        sdist=file.filename.endswith(ARCHIVE_SUFFIXES) and "/" not in file.filename,
        size_bytes=file.size_bytes,
        requires_python=file.requires_python or "",
    )
