"""Reading a stored result again."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from backdate.checking.result import FORMAT, CheckResult
from backdate.errors import SourceError, StoredDataError
from backdate.serial import from_json

T = TypeVar("T")


class StoredResult(msgspec.Struct):
    """The part of a result that every format has."""

    format: int


def read_result(path: Path) -> CheckResult:
    """The result in the file at ``path``.

    Raises SourceError when there is no such file, StoredDataError when it is not a result or was written by
    a newer version in a format that this one does not know.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    head = _read(StoredResult, data, path)
    if head.format > FORMAT:
        raise StoredDataError(
            f"{path} has format {head.format}, this version reads up to {FORMAT}: update backdate"
        )
    return _read(CheckResult, data, path)


def _read(kind: type[T], data: bytes, path: Path) -> T:
    try:
        return from_json(kind, data, what=str(path))
    except StoredDataError as error:
        raise StoredDataError(
            f"{path} cannot be read as a check's result ({error.__cause__}); one is written by: "
            "backdate check --json FILE"
        ) from error
