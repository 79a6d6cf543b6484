"""The checksums of a data set's files, as ``sha256sum`` writes and reads them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from backdate.errors import StoredDataError

_MOST_BYTES = 4 * 1024 * 1024 * 1024


def read_checksums(path: Path) -> dict[str, str]:
    """Name to SHA-256. Raises StoredDataError, also for a name that leads out of the folder."""
    checksums = {}
    for number, line in enumerate(read_bounded(path).decode("utf-8", "replace").splitlines(), start=1):
        match = re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line)
        parts = match[2].split("/") if match else []
        if match is None or any(part in ("", ".", "..") for part in parts):
            raise StoredDataError(f"{path}, line {number}, is no checksum of a file in this folder")
        checksums[match[2]] = match[1]
    return checksums


def read_bounded(path: Path) -> bytes:
    """The bytes of a file. Raises StoredDataError."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise StoredDataError(f"{path} is larger than {_MOST_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise StoredDataError(f"{path} cannot be read: {error.strerror}") from error


def sha256(data: bytes) -> str:
    """The SHA-256, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
