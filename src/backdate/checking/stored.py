"""Reading a stored result again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from backdate.checking import result, setup_result
from backdate.checking.result import CheckResult
from backdate.checking.setup_result import SetupResult
from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.migrations import Migration, read_stored

T = TypeVar("T")


def read_result(path: Path) -> CheckResult:
    """The check's result in the file at ``path``, of this version or an older one.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    return read_result_of("check", CheckResult, path, result.FORMAT, result.MIGRATIONS)


def read_setup_result(path: Path) -> SetupResult:
    """The set-up's result in the file at ``path``. Raises as ``read_result`` does."""
    return read_result_of("setup", SetupResult, path, setup_result.FORMAT, setup_result.MIGRATIONS)


def read_result_of(
    command: str, kind: type[T], path: Path, current: int, migrations: Sequence[Migration]
) -> T:
    """The result that ``command`` wrote to the file at ``path``. Raises as ``read_result`` does."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return read_stored(kind, data, current=current, migrations=migrations, what=str(path))
    except NewerFormat:
        raise
    except StoredDataError as error:
        raise StoredDataError(
            f"{path} cannot be read as a {command}'s result ({error.__cause__}); one is written by: "
            f"backdate {command} --json FILE"
        ) from error
