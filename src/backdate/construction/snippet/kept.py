"""What a build found out, kept by what it depends on: one that was stopped goes on from there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from backdate.errors import StoredDataError
from backdate.serial import from_json, to_json, write_whole

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptResults:
    """A folder with one file for each result."""

    folder: Path

    def get(self, kind: type[T], key: str) -> T | None:
        """The result of that key; None where there is none, or it is damaged and made again."""
        path = self._path(key)
        if not path.is_file():
            return None
        try:
            return from_json(kind, path.read_bytes(), what=str(path))
        except StoredDataError:
            path.unlink(missing_ok=True)
            return None

    def put(self, key: str, value: object) -> None:
        """Keep a result, whole or not at all."""
        write_whole(self._path(key), to_json(value))

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
