"""Fetching a file that the package index lists: bounded, checked, and kept by its hash."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.errors import IndexUnavailable, SourceError, SourceProblem
from backdate.projects.sources.archives import ARCHIVE_SUFFIXES
from backdate.projects.sources.listing import ListedFile
from backdate.projects.sources.tree import safe_name
from backdate.serial import write_whole

if TYPE_CHECKING:
    import httpx


def new_client() -> httpx.Client:
    """A client for files: bounded waiting, redirects followed."""
    import httpx

    return httpx.Client(timeout=httpx.Timeout(30.0), follow_redirects=True)


def kept_file(file: ListedFile, cache: Path) -> Path | None:
    """The file from ``cache``, its hash checked; None when it is not there, or nothing can be checked."""
    if file.sha256 is None:
        return None
    path = _place(file, file.sha256, cache)
    return path if path.is_file() and _sha256(path) == file.sha256 else None


def _place(file: ListedFile, sha256: str, cache: Path) -> Path:
    return cache / sha256[:2] / sha256 / safe_archive_name(file.filename)


def download(
    client: httpx.Client, file: ListedFile, cache: Path, *, most_bytes: int, most_s: float | None = None
) -> Path:
    """The file, from ``cache`` or the index, its hash checked either way.

    Raises SourceError when it is larger than ``most_bytes`` or not what the index lists, and
    IndexUnavailable when it cannot be had, or is not here after ``most_s`` seconds.
    """
    import httpx

    if file.sha256 is None:
        raise IndexUnavailable(f"the index gives no SHA-256 for {file.filename}, so it cannot be checked")
    kept = kept_file(file, cache)
    if kept is not None:
        return kept
    data = bytearray()
    ends = None if most_s is None else time.monotonic() + most_s
    try:
        with client.stream("GET", file.url) as response:
            if response.status_code != 200:
                raise IndexUnavailable(
                    f"{file.url} answered with status {response.status_code}; try again later"
                )
            for chunk in response.iter_bytes():
                data += chunk
                if ends is not None and time.monotonic() > ends:
                    raise IndexUnavailable(f"{file.url} takes longer than {most_s:.0f} s")
                if len(data) > most_bytes:
                    raise SourceError(
                        f"{file.filename} is larger than {most_bytes:,} bytes", SourceProblem.TOO_LARGE
                    )
    except httpx.HTTPError as error:
        raise IndexUnavailable(f"{file.url} cannot be had: {error or type(error).__name__}") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != file.sha256:
        raise SourceError(f"{file.filename} is not what the index lists: SHA-256 {sha256}, not {file.sha256}")
    path = _place(file, sha256, cache)
    write_whole(path, bytes(data))
    return path


def safe_archive_name(filename: str) -> str:
    """A file name for the cache that keeps the suffix, which says how to unpack it."""
    suffix = next(s for s in (*ARCHIVE_SUFFIXES, ".whl") if filename.endswith(s))
    return safe_name(filename.removesuffix(suffix)) + suffix


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
