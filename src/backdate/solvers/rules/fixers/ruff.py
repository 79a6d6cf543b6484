"""What ruff finds and would edit, as spans of the texts that it read.

Its rules are those for names and syntax that releases of Python and of libraries dropped; a style that merely
grew old is not among them. The project's configuration does not go in, and ``--isolated`` reads none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from backdate.editing.encodings import line_starts
from backdate.editing.spans import Edit
from backdate.serial import decoder_of
from backdate.solvers.rules.fixers.running import AT

FAMILIES = ("NPY", "PD", "UP", "FURB", "AIR", "PT009", "F632", "W605")
"""``UP`` and ``FURB`` have rules of style as well: an edit counts only where it writes another thing for the
name that the error is about."""
LEFT_OUT = ("UP030", "UP031", "UP032", "FURB192")
"""Rules of how texts are formatted, and of the first item of ``sorted``: Python dropped none of the ways, so
these edits mend nothing."""
_OLDEST, _NEWEST = (3, 7), (3, 14)
"""The targets that every ruff of the extra knows."""


class _RuffPosition(msgspec.Struct, frozen=True):
    row: int
    column: int


class _RuffEdit(msgspec.Struct, frozen=True):
    content: str
    location: _RuffPosition
    end_location: _RuffPosition


class _RuffFix(msgspec.Struct, frozen=True):
    edits: tuple[_RuffEdit, ...] = ()


class _RuffDiagnostic(msgspec.Struct, frozen=True):
    filename: str
    message: str
    location: _RuffPosition
    end_location: _RuffPosition
    code: str | None = None
    url: str | None = None
    fix: _RuffFix | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuffFinding:
    """What ruff says of a place, with the edits that it would make, all of them or none."""

    file: str
    first_line: int
    last_line: int
    code: str
    message: str
    url: str
    edits: tuple[Edit, ...]
    """In order, without overlaps, none of which leaves its text as it is."""


def ruff_arguments(python: str, files: Iterable[str]) -> tuple[str, ...]:
    """Arguments for these files below ``AT``, which run on that Python ("3.12.1").

    Each is named, because a folder called ``build`` is passed over otherwise.
    """
    return (
        *("check", "--isolated", "--no-cache", "--quiet", "--exit-zero", "--ignore-noqa"),
        *("--output-format", "json", "--select", ",".join(FAMILIES), "--ignore", ",".join(LEFT_OUT)),
        *("--target-version", _target(python)),
        *("--", *(f"{AT}/{file}" for file in files)),
    )


def _target(python: str) -> str:
    numbers = tuple(int(part) for part in python.split(".")[:2] if part.isdigit())
    version = min(max(numbers, _OLDEST), _NEWEST) if len(numbers) == 2 else _NEWEST
    return f"py{version[0]}{version[1]}"


def read_findings(answer: bytes, texts: Mapping[str, str]) -> tuple[RuffFinding, ...]:
    """The findings with edits in ruff's JSON. Raises ValueError where it is none."""
    try:
        diagnostics = decoder_of(list[_RuffDiagnostic]).decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("its answer is no list of findings") from error
    starts = {file: line_starts(text) for file, text in texts.items()}
    return tuple(
        finding for diagnostic in diagnostics if (finding := _finding(diagnostic, texts, starts)) is not None
    )


def _finding(
    diagnostic: _RuffDiagnostic, texts: Mapping[str, str], starts: Mapping[str, list[int]]
) -> RuffFinding | None:
    file = _file_of(diagnostic.filename, texts)
    if diagnostic.fix is None or not diagnostic.code or not file:
        return None
    edits = tuple(_edits(diagnostic.fix, texts[file], starts[file]))
    if not edits or any(after.start < before.end for before, after in pairwise(edits)):
        return None
    return RuffFinding(
        file=file,
        first_line=diagnostic.location.row,
        last_line=max(diagnostic.end_location.row, diagnostic.location.row),
        code=diagnostic.code,
        message=diagnostic.message,
        url=diagnostic.url or "",
        edits=edits,
    )


def _file_of(filename: str, texts: Mapping[str, str]) -> str:
    """The file that ruff names by its whole path, wherever the sandbox shows it; "" for none of ``texts``."""
    parts = filename.split("/")
    ends = ("/".join(parts[first:]) for first in range(1, len(parts)))
    return next((end for end in ends if end in texts), "")


def _edits(fix: _RuffFix, text: str, starts: list[int]) -> Iterator[Edit]:
    found = set()
    for one in fix.edits:
        start, end = (_offset(place, text, starts) for place in (one.location, one.end_location))
        if start <= end and text[start:end] != one.content:
            found.add(Edit(start, end, one.content))
    yield from sorted(found)


def _offset(place: _RuffPosition, text: str, starts: list[int]) -> int:
    """Rows and columns count from 1, columns in characters; the row behind the last one is the end."""
    row = min(max(place.row, 1), len(starts) + 1)
    if row > len(starts):
        return len(text)
    return min(starts[row - 1] + max(place.column, 1) - 1, len(text))
