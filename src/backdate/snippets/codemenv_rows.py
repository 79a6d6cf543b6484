"""CodeMEnv's rows as they lie in files, and each as one typed value whatever its columns hold.

A column that is absent, null or empty is one thing. A version may be a number, read as it is written: 3.10 is
not 3.1. Text with half a character (a lone surrogate) is read with a question mark in its place.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from backdate.errors import StoredDataError
from backdate.serial import read_limited

_MOST_BYTES = 256 * 1024 * 1024
_LISTS = ("signature_list", "update_list")
_NUMBERS = frozenset({"origin_version", "compare_version", "code_id"})
"""Columns of text in which a number says what it would as text."""


class CodeMEnvRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of any of the three files; columns that a file does not have are empty."""

    code_id: str = ""
    package: str = ""
    solution_function: str = ""
    solution_signature: str = ""
    problem: str = ""
    signature: str = ""
    update: str = ""
    update_type: str = ""
    compare_signature: str | None = ""
    signature_list: tuple[str, ...] = ()
    update_list: tuple[str, ...] = ()
    origin_version: str = ""
    compare_version: str = ""
    solution_function_script: str = ""
    message: str = ""
    java_code: str = ""
    class_name: str = ""
    function_description: str = ""


def is_codemenv(data: bytes) -> bool:
    """Whether the beginning of a file looks like such rows."""
    return b'"code_id"' in data and (b'"solution_function' in data or b'"java_code"' in data)


def lines_of(file: Path) -> Iterator[tuple[str, bytes]]:
    """Each row of a file as JSON, and where it stands: a row a line, or one JSON list of them all.

    Raises ConfigurationError for a file that cannot be read.
    """
    data = read_limited(file, limit=_MOST_BYTES, what=str(file)).removeprefix(b"\xef\xbb\xbf")
    listed = _listed(data) if data.lstrip().startswith(b"[") else None
    if listed is not None:
        for number, row in enumerate(listed, start=1):
            yield f"{file.name}, row {number}", json.dumps(row).encode()
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield f"{file.name}, line {number}", line


def _listed(data: bytes) -> list[Any] | None:
    try:
        found = _loaded(data)
    except StoredDataError:
        return None
    return found if isinstance(found, list) else None


def _loaded(data: bytes) -> Any:
    """What JSON says, numbers with a point as they are written."""
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_float=str)
    except (ValueError, RecursionError) as error:
        raise StoredDataError(f"a row of CodeMEnv cannot be read as JSON: {error}") from error


def read_row(line: bytes) -> tuple[CodeMEnvRow, dict[str, str]]:
    """The row in a line of JSON, and all of its columns as text. Raises StoredDataError."""
    columns = _loaded(line)
    if not isinstance(columns, dict):
        raise StoredDataError("a row of CodeMEnv is a JSON object")
    columns = {name: value for name, value in columns.items() if value is not None}
    known: dict[str, Any] = {}
    for name in CodeMEnvRow.__struct_fields__:
        if name in columns:
            known[name] = _list(name, columns[name]) if name in _LISTS else _text(name, columns[name])
    published = {
        name: _whole(
            value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        )
        for name, value in columns.items()
    }
    return msgspec.convert(known, CodeMEnvRow), published


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return _whole(value)
    if name in _NUMBERS and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise StoredDataError(f"a row of CodeMEnv cannot be read: its {name} is no text")


def _list(name: str, value: Any) -> tuple[str, ...]:
    """A list of texts; of a text what it writes down, else the text alone."""
    if isinstance(value, str):
        value = _written_down(value)
    if not isinstance(value, list):
        raise StoredDataError(f"a row of CodeMEnv cannot be read: its {name} is no list")
    return tuple(_text(name, one) for one in _present(value))


def _written_down(text: str) -> list[Any]:
    if not text.strip():
        return []
    try:
        found = ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return [text]
    return list(found) if isinstance(found, list | tuple) else [text]


def _present(values: Iterable[Any]) -> Iterator[Any]:
    return (value for value in values if value is not None)


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
