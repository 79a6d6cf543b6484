"""Reading a stored result of any command back, by the marker that each holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import msgspec

from backdate.bisection.result import FORMAT as BISECTION_FORMAT
from backdate.bisection.result import read_bisect_result
from backdate.checking.answers import read_answers
from backdate.checking.result import FORMAT as CHECK_FORMAT
from backdate.checking.setup_result import read_setup_result
from backdate.diagnosis.log_report import read_log_report
from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.fixing.result import read_fix_result
from backdate.lowest.result import read_lowest_result
from backdate.migrations import read_result_bytes
from backdate.output.render import AnyResult
from backdate.serial import decoder_of

_IN_FOLDER = "result.json"
"""What ``--keep`` leaves in its folder."""
_READERS: Mapping[str, Callable[[Path], AnyResult]] = MappingProxyType(
    {
        "check": read_answers,
        "answers": read_answers,
        "bisect": read_bisect_result,
        "fix": read_fix_result,
        "setup": read_setup_result,
        "diagnose": read_log_report,
        "lowest": read_lowest_result,
    }
)
_NEWEST = max(CHECK_FORMAT, BISECTION_FORMAT)
_FIELDS: tuple[tuple[str, frozenset[str]], ...] = (
    ("answers", frozenset({"decided_by"})),
    ("bisect", frozenset({"check", "findings"})),
    ("fix", frozenset({"check", "outcome"})),
    ("setup", frozenset({"attempts", "recipe"})),
    ("diagnose", frozenset({"diagnosis", "installs"})),
    ("check", frozenset({"verdict", "old", "new"})),
)
"""What results hold that were written before there was a marker: the first that has all of the fields."""


def read_any_result(path: Path) -> AnyResult:
    """The result in the file at ``path``, or in a folder of ``--keep``, whichever command made it.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    if path.is_dir():
        if not (path / _IN_FOLDER).is_file():
            raise SourceError(
                f"{path} holds no {_IN_FOLDER}: `--keep` leaves one; for runs of `backdate eval` and `score` "
                "there is `backdate report`, for data sets `backdate bench show`"
            )
        path = path / _IN_FOLDER
    return _READERS[_kind_of(read_result_bytes(path), path)](path)


def _number(value: msgspec.Raw | None) -> int:
    """A field that is a whole number; 0 for anything else."""
    text = b"" if value is None else bytes(value)
    return int(text) if text.isdigit() and len(text) < 10 else 0


def _kind_of(data: bytes, path: Path) -> str:
    try:
        fields = decoder_of(dict[str, msgspec.Raw]).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoredDataError(f"{path} cannot be read as a result: {error}") from error
    for kind in _READERS:
        if bytes(fields.get("kind", b"")) == f'"{kind}"'.encode():
            return kind
    for kind, names in _FIELDS:
        if names <= fields.keys():
            return kind
    if "kind" in fields or _number(fields.get("format")) > _NEWEST:
        raise NewerFormat(f"{path} is a result that this version does not know: update backdate")
    raise StoredDataError(
        f"{path} cannot be read as a result: it has the fields of none; one is written by: "
        "backdate check --json FILE (also by bisect, fix, setup and diagnose)"
    )
