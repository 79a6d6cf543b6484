"""Rows of a table of repositories: The Stack v2's columns and their usual spellings, JSONL or parquet.

Every row becomes an entry: one that cannot be read is a ``BadRow`` with its reason, never an exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from backdate.construction.candidate import BadRow, Candidate, Entry
from backdate.errors import BackdateError, InstantError, SourceError, UsageError
from backdate.projects.sources.specification import GitSource, parse_source
from backdate.timeline.instants import Instant, parse_instant

CODE_HOST = "https://github.com"
"""Where ``owner/name`` is cloned from; git's own ``url.….insteadOf`` leads it elsewhere."""
_LINE_BYTES = 16 * 1024 * 1024
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}/[A-Za-z0-9_.-]{1,100}\Z")
_COMMIT = re.compile(r"[0-9a-f]{7,64}\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")

_NAME = ("repo_name", "repository", "repo", "full_name")
_REVISION = ("revision_id", "commit_hash", "base_commit", "revision", "commit")
_DATE = ("committer_date", "reproduction_target_date", "revision_date", "date")
_STARS = ("stars", "star_events_count", "stargazers_count", "stars_count")
_LICENCES = ("licenses", "licences", "detected_licenses", "license", "licence")
_LANGUAGE = ("language", "gha_language", "main_language")


def read_jsonl(path: Path) -> Iterator[Entry]:
    """The entries of a JSONL file, in order; blank lines are none."""
    decoder = msgspec.json.Decoder()
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LINE_BYTES):
            number += 1
            row_name = f"{path.name}:{number}"
            if not line.endswith(b"\n") and len(line) == _LINE_BYTES:
                while (rest := file.readline(_LINE_BYTES)) and not rest.endswith(b"\n"):
                    pass
                yield BadRow(name=row_name, reason="a line that is too long")
            elif line.strip():
                try:
                    value = decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                    yield BadRow(name=row_name, reason="not JSON")
                else:
                    yield entry_of(value, row_name)


def read_parquet(path: Path) -> Iterator[Entry]:
    """The entries of a parquet file. Raises UsageError without pyarrow, SourceError for another file."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError as error:
        raise UsageError("reading parquet needs pyarrow: pip install 'backdate[parquet]'") from error
    wanted = {*_NAME, *_REVISION, *_DATE, *_STARS, *_LICENCES, *_LANGUAGE, "repo_url", "license_type"}
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = [name for name in file.schema_arrow.names if name in wanted]
            for batch in file.iter_batches(batch_size=4096, columns=columns):
                for row in batch.to_pylist():
                    number += 1
                    yield entry_of(row, f"{path.name}:{number}")
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{path} cannot be read as parquet: {error}") from error


def entry_of(row: object, row_name: str) -> Entry:
    """The candidate that ``row`` names, or why it names none. ``place`` names a row without a name."""
    if not isinstance(row, Mapping):
        return BadRow(name=row_name, reason="not an object")
    name = _first(row, _NAME)
    shown = name[:200] if isinstance(name, str) and name else row_name
    if not isinstance(name, str) or not name:
        return BadRow(name=shown, reason="no repo_name")
    if _REPOSITORY.match(name) is None or name.endswith((".", "/..")):
        return BadRow(name=shown, reason="repo_name is not owner/name")
    revision = _first(row, _REVISION)
    if not isinstance(revision, str) or _COMMIT.match(revision) is None:
        return BadRow(name=shown, reason="no revision_id that is a commit")
    try:
        return Candidate(
            kind="git",
            name=name,
            location=_location(row.get("repo_url"), name),
            revision=revision,
            dated=_instant(_first(row, _DATE)),
            stars=_count(_first(row, _STARS)),
            licenses=_licences(row),
            language=_text(_first(row, _LANGUAGE)),
        )
    except InstantError:
        return BadRow(name=shown, reason="committer_date is no date")
    except _NotThat as error:
        return BadRow(name=shown, reason=str(error))


class _NotThat(Exception):
    """A value that is not what its column is for."""


def _first(row: Mapping[Any, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _location(url: object, name: str) -> str:
    if url is None or url == "":
        return f"{CODE_HOST}/{name}"
    try:
        source = (
            parse_source(url) if isinstance(url, str) and url.startswith(("https://", "ssh://")) else None
        )
    except BackdateError:
        source = None
    if not isinstance(source, GitSource) or source.local:
        raise _NotThat("repo_url is not an address of a repository on the network")
    return source.location


def _instant(value: object) -> Instant | None:
    """A date as tables write it: ISO 8601, with or without an offset; seconds or milliseconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, datetime):
            return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        if isinstance(value, date):
            return datetime(value.year, value.month, value.day, tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) > 1e11 else value, tz=UTC)
        if isinstance(value, str) and _DAY.match(value):
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise InstantError(str(error)) from error
    return parse_instant(str(value)[:100])


def _count(value: object) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value or value < 0:
        raise _NotThat("stars is not a number")
    return int(value)


def _licences(row: Mapping[Any, Any]) -> tuple[str, ...] | None:
    """None where the row says nothing; The Stack's own label says that there is none."""
    value = _first(row, _LICENCES)
    if isinstance(value, str):
        value = [item.strip() for item in value.split(",") if item.strip()]
    if isinstance(value, list | tuple) and value:
        return tuple(item[:200] for item in value if isinstance(item, str))
    if value is not None or row.get("license_type") == "no_license":
        return ()
    return None


def _text(value: object) -> str | None:
    return value[:100] if isinstance(value, str) and value else None
