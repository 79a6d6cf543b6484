"""From published rows to a data set: whose rows they are, and what they are read by."""

from __future__ import annotations

import itertools
from functools import cache, partial
from pathlib import Path

from backdate.errors import UsageError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import fetch_listing
from backdate.snippets.codemenv import read_rows
from backdate.snippets.codemenv_rows import is_codemenv
from backdate.snippets.dataset import SnippetDataset
from backdate.snippets.gitchameleon import find_rows, import_gitchameleon
from backdate.snippets.imported import SnippetImport
from backdate.snippets.pairs import pairs_of
from backdate.snippets.pinned_sides import IndexUploads
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset_folder import require_new
from backdate.timeline.instants import now
from backdate.version import __version__

_LOOKED_AT = 1 << 20
"""Bytes of a file that tell whose rows it holds: the first rows are in them, one of which may be damaged."""
_MOST_FILES = 200
_SUFFIXES = (".json", ".jsonl")


def import_snippets(
    source: Path, output: Path, *, index: IndexClient, name: str | None = None
) -> tuple[SnippetDataset, SnippetImport]:
    """Make a data set at ``output`` of the rows in a file or folder.

    Raises UsageError for what holds none and where ``output`` is taken, SourceError and IndexUnavailable.
    """
    require_new(output)
    imported = _read(source, index)
    info = DatasetInfo(
        name=name or source.stem,
        description=f"{len(imported.snippets)} snippets of published rows.",
        created=now(),
        made_by=f"backdate {__version__} snippets import {source.name}",
    )
    return SnippetDataset.create(output, imported.snippets, info), imported


def _read(source: Path, index: IndexClient) -> SnippetImport:
    if not source.exists():
        raise UsageError(f"{source} does not exist")
    files = (source,) if source.is_file() else _files_in(source)
    codemenv = tuple(file for file in files if is_codemenv(_beginning(file)))
    if codemenv:
        return read_rows(codemenv, cache(partial(fetch_listing, index)))
    rows = find_rows(source)
    if rows is None:
        raise UsageError(f"{source} holds no rows of CodeMEnv or GitChameleon (*.jsonl)")
    imported = import_gitchameleon(rows, IndexUploads(index))
    return SnippetImport(
        snippets=(*imported.snippets, *pairs_of(imported.snippets)),
        refused=imported.refused,
        notes=imported.notes,
    )


def _files_in(folder: Path) -> tuple[Path, ...]:
    """Files that may hold rows: in the folder itself, else in those below it (a clone)."""
    here = sorted(path for path in folder.glob("*.json*") if path.suffix in _SUFFIXES)
    below = () if here else (path for path in sorted(folder.rglob("*.json*")) if path.suffix in _SUFFIXES)
    return tuple(path for path in itertools.islice((*here, *below), _MOST_FILES) if path.is_file())


def _beginning(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(_LOOKED_AT)
