"""What a user names as a source of candidates, and which reader it is for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from backdate.construction.candidate import Entry
from backdate.construction.sources.listed import entry_of_line, names_github, read_list
from backdate.construction.sources.rows import read_jsonl, read_parquet
from backdate.errors import UsageError

_TABLES = (".jsonl", ".ndjson", ".parquet")
_LISTS = (".txt", ".list")
FORMS = (
    "a .jsonl or .parquet file of rows, a .txt list, a folder of such files, an address, "
    "OWNER/NAME, or pypi:NAME"
)


def read_entries(sources: Sequence[str]) -> Iterator[Entry]:
    """The entries of all sources, one after the other; the same ones in the same order every time."""
    for text in sources:
        if _is_word(text):
            yield entry_of_line(text, Path.cwd())
            continue
        for path in _files(text):
            if path.suffix in (".jsonl", ".ndjson"):
                yield from read_jsonl(path)
            elif path.suffix == ".parquet":
                yield from read_parquet(path)
            else:
                yield from read_list(path)


def require_sources(sources: Sequence[str]) -> None:
    """Raise UsageError for a source that is none."""
    if not sources:
        raise UsageError(f"a build needs a source: {FORMS}")
    for text in sources:
        if not _is_word(text) and not _files(text):
            raise UsageError(f"{text} holds no file of rows; write {FORMS}")


def sources_digest(sources: Sequence[str]) -> str:
    """SHA-256 over what the sources hold: a build is resumed with the same candidates or not at all."""
    state = hashlib.sha256()
    for text in sources:
        if _is_word(text):
            state.update(b"word\0%s\0" % text.encode())
            continue
        for path in _files(text):
            with path.open("rb") as file:
                state.update(b"file\0" + hashlib.file_digest(file, "sha256").digest())
    return state.hexdigest()


def _is_word(text: str) -> bool:
    """Whether ``text`` is an address or a name itself, not a file that holds some."""
    if text.startswith(("pypi:", "git@", "git+")) or "://" in text:
        return True
    path = Path(text)
    if path.suffix not in (*_TABLES, *_LISTS) and names_github(text, Path.cwd()):
        return True
    return path.is_dir() and not _tables(path)


def _tables(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in _TABLES)


def _files(text: str) -> list[Path]:
    path = Path(text).expanduser()
    if path.is_dir():
        return _tables(path)
    if not path.is_file():
        raise UsageError(f"{text!r} is not there; write {FORMS}")
    if path.suffix not in (*_TABLES, *_LISTS, ""):
        raise UsageError(f"{text!r} is not read; write {FORMS}")
    return [path]
