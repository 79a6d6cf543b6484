"""Rows as others publish them: a row a line or one JSON list, columns of any kind.

A column that is absent or null is one thing. Text with half a character (a lone surrogate) is read with a
question mark in its place. A number is read as it is written, so that the version 3.10 is not 3.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backdate.errors import StoredDataError
from backdate.serial import read_limited

_MOST_BYTES = 256 * 1024 * 1024
_MARK = b"\xef\xbb\xbf"


def lines_of(file: Path) -> Iterator[tuple[str, bytes]]:
    """Each row of a file as JSON, and where it stands: a row a line, or one JSON list of them all.

    Raises ConfigurationError for a file that cannot be read.
    """
    data = read_limited(file, limit=_MOST_BYTES, what=str(file)).removeprefix(_MARK)
    listed = _listed(data) if data.lstrip().startswith(b"[") else None
    if listed is not None:
        for number, row in enumerate(listed, start=1):
            yield f"{file.name}, row {number}", json.dumps(row).encode()
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield f"{file.name}, line {number}", line


def columns_of(line: bytes, *, of: str) -> dict[str, Any]:
    """The columns of a row of ``of`` ("CodeMEnv") that hold something. Raises StoredDataError."""
    columns = _loaded(line, of)
    if not isinstance(columns, dict):
        raise StoredDataError(f"a row of {of} is a JSON object")
    return {name: value for name, value in columns.items() if value is not None}


def column_text(name: str, value: Any, *, of: str, numbers: frozenset[str]) -> str:
    """The text of a column; of one of ``numbers`` a number, too, as it is written.

    Raises StoredDataError, naming the column, for what is neither.
    """
    if isinstance(value, str):
        return whole_text(value)
    if name in numbers and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise StoredDataError(f"a row of {of} cannot be read: its {name} is no text")


def whole_text(text: str) -> str:
    """``text`` without lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def _listed(data: bytes) -> list[Any] | None:
    try:
        found = _loaded(data, "a file")
    except StoredDataError:
        return None
    return found if isinstance(found, list) else None


def _loaded(data: bytes, of: str) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise StoredDataError(f"a row of {of} cannot be read as JSON: {error}") from error
