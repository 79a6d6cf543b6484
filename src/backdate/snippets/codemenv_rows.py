"""CodeMEnv's rows, each as one typed value whatever its columns hold.

A column that is absent, null or empty is one thing, and a version may be a number (``row_lines.py``).
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from backdate.errors import StoredDataError
from backdate.serial import from_builtins
from backdate.snippets.row_lines import column_text, columns_of, whole_text

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


def read_row(line: bytes) -> tuple[CodeMEnvRow, dict[str, str]]:
    """The row in a line of JSON, and all of its columns as text. Raises StoredDataError."""
    columns = columns_of(line, of="CodeMEnv")
    known: dict[str, Any] = {}
    for name in CodeMEnvRow.__struct_fields__:
        if name in columns:
            known[name] = _list(name, columns[name]) if name in _LISTS else _text(name, columns[name])
    published = {
        name: whole_text(
            value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        )
        for name, value in columns.items()
    }
    return from_builtins(CodeMEnvRow, known), published


def _text(name: str, value: Any) -> str:
    return column_text(name, value, of="CodeMEnv", numbers=_NUMBERS)


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
