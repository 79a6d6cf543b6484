"""GitChameleon's rows, each as one typed value: which columns a row must have, and what the others may lack.

Without its id, library, versions and the code that an answer begins with nothing can be made of a row. A
column beside these may be absent, null or empty: that is one thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from backdate.errors import StoredDataError
from backdate.snippets.imported import RefusedRow
from backdate.snippets.row_lines import column_text, columns_of, lines_of
from backdate.text import UNREADABLE

_NEEDED = ("example_id", "python_version", "library", "version", "starting_code")
_NUMBERS = frozenset({"example_id", "python_version", "version", "release_date"})
"""Columns of text in which a number says what it would as text."""
_WORDS = frozenset({"additional_dependencies", "extra_dependencies"})
"""Columns of text whose words a list may hold."""
_ID = re.compile(r"[0-9A-Za-z_]{1,40}\Z", re.ASCII)
_PYTHON = re.compile(r"\d\.\d{1,2}\Z", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class GitChameleonRow:
    """A row as published; columns that are not named here are left out."""

    example_id: str
    python_version: str
    library: str
    version: str
    starting_code: str
    test: str = ""
    solution: str = ""
    problem: str = ""
    additional_dependencies: str = ""
    extra_dependencies: str = ""
    type_of_change: str = ""
    name_of_class_or_func: str = ""
    release_date: str = ""

    @property
    def environment(self) -> tuple[str, ...]:
        """What the rows of one environment have in common."""
        return (self.python_version, self.library, self.version, self.additional_dependencies)

    @property
    def answer(self) -> str:
        """The known solution, in the form of an answer: a whole module; empty without one."""
        return self.starting_code + self.solution if self.solution.strip() else ""

    @property
    def pins(self) -> tuple[Requirement, ...]:
        """The library, and what the row adds; of one distribution the first counts.

        Raises ValueError or RecursionError (``UNREADABLE``) for what is no requirement.
        """
        words = f"{self.additional_dependencies} {self.extra_dependencies}".split()
        added = (word for word in words if word != "-" and not word.startswith("pip="))
        pins = (Requirement(text) for text in (f"{self.library}=={self.version}", *added))
        return tuple(pin for pin in pins if pin.url is None)


def is_gitchameleon(data: bytes) -> bool:
    """Whether the beginning of a file looks like such rows."""
    return b'"example_id"' in data and b'"starting_code"' in data


def read_gitchameleon(file: Path) -> tuple[tuple[GitChameleonRow, ...], tuple[RefusedRow, ...]]:
    """The rows of a file, and those that cannot be read. Raises ConfigurationError for the file."""
    rows: dict[str, GitChameleonRow] = {}
    refused: list[RefusedRow] = []
    for where, line in lines_of(file):
        try:
            row = read_gitchameleon_row(line)
        except StoredDataError as error:
            refused.append(RefusedRow(name=where, why=str(error)))
            continue
        if row.example_id in rows:
            refused.append(RefusedRow(name=where, why=f"example_id {row.example_id} was there before"))
        else:
            rows[row.example_id] = row
    return tuple(rows.values()), tuple(refused)


def read_gitchameleon_row(line: bytes) -> GitChameleonRow:
    """The row in a line of JSON. Raises StoredDataError, which says what is missing or cannot be read."""
    columns = columns_of(line, of="GitChameleon")
    known = {name: _text(name, columns.get(name, "")) for name in GitChameleonRow.__slots__}
    row = GitChameleonRow(**known)
    missing = [name for name in _NEEDED if not known[name].strip()]
    if missing:
        raise StoredDataError(f"the row has no {' and no '.join(missing)}")
    if why := next(_unusable(row), None):
        raise StoredDataError(why)
    return row


def _unusable(row: GitChameleonRow) -> Iterator[str]:
    if not _ID.match(row.example_id):
        yield "its example_id is no word"
    if not _PYTHON.match(row.python_version):
        yield "its python_version is no X.Y"
    try:
        pins = row.pins
    except UNREADABLE as error:
        yield f"its requirements cannot be read: {error}"
    else:
        if not pins:
            yield "its library is an address, not a name"


def _text(name: str, value: Any) -> str:
    if name in _WORDS and isinstance(value, list):
        return " ".join(_text(name, word) for word in value if word is not None)
    text = column_text(name, value, of="GitChameleon", numbers=_NUMBERS)
    return text.strip() if name in _NUMBERS or name == "library" else text
