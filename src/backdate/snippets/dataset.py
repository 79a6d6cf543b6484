"""A data set of snippets: a folder like that of tasks, with one snippet a line.

::

    DATASET/
        snippets.jsonl          one snippet a line, complete
        README.md               the card
        dataset.json            its name, and where it is from
        checksums.sha256        of all of these, for ``sha256sum --check``
        verified.jsonl          what ``bench verify`` found so far; of this copy, not in the checksums

Results of a verification are appended as they come, and are in the snippets when it has ended.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.errors import BackdateError, StoredDataError, UsageError
from backdate.migrations import Migration, read_stored
from backdate.serial import to_json, write_whole
from backdate.snippets.snippet import SNIPPET_FORMAT, Snippet
from backdate.tasks.card import DatasetInfo
from backdate.tasks.checksums import read_bounded, sha256_of
from backdate.tasks.dataset import require_instance_id
from backdate.tasks.dataset_folder import (
    CARD,
    CHECKSUMS,
    INFO,
    opened,
    read_lines,
    require_new,
    settled,
    turn,
    whole_folder,
    write_change,
)
from backdate.tasks.formats import read_info
from backdate.timeline.instants import format_day

SNIPPETS = "snippets.jsonl"
VERIFIED = "verified.jsonl"
_MIGRATIONS = tuple(Migration(to_format=number) for number in range(2, SNIPPET_FORMAT + 1))


def holds_snippets(folder: Path) -> bool:
    """Whether a folder is a data set of snippets: the one place that tells it from one of tasks."""
    return (folder / SNIPPETS).is_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetDataset:
    """A data set on disk, as it was when it was opened."""

    folder: Path
    info: DatasetInfo
    snippets: tuple[Snippet, ...]

    @classmethod
    def open(cls, folder: Path) -> SnippetDataset:
        """The data set in ``folder``.

        Raises UsageError when there is none, and StoredDataError, naming file and line, when it is damaged.
        """
        if not holds_snippets(folder):
            raise UsageError(
                f"{folder} is no data set of snippets: it has no {SNIPPETS}; make one with "
                "'backdate snippets import'"
            )
        return opened(folder, cls._read)

    @classmethod
    def _read(cls, folder: Path) -> SnippetDataset:
        data = read_lines(folder, SNIPPETS)
        info = read_info(read_bounded(folder / INFO), what=str(folder / INFO))
        return cls(folder=folder, info=info, snippets=_parse(data, folder / SNIPPETS))

    @classmethod
    def create(cls, folder: Path, snippets: Iterable[Snippet], info: DatasetInfo) -> SnippetDataset:
        """Write a new data set to ``folder``, whole or not at all.

        Raises UsageError when something is there already, or for names that cannot be files or come twice.
        """
        require_new(folder)
        named = tuple(snippets)
        _require_ids(named)
        with whole_folder(folder) as temporary:
            dataset = cls(folder=temporary, info=info, snippets=named)
            write_whole(temporary / SNIPPETS, _lines(named))
            dataset.render()
        return replace(dataset, folder=folder)

    def snippet(self, name: str) -> Snippet:
        """The snippet of that id. Raises UsageError, naming the nearest."""
        for snippet in self.snippets:
            if snippet.id == name:
                return snippet
        near = difflib.get_close_matches(name, [snippet.id for snippet in self.snippets], n=3, cutoff=0.4)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{self.folder} has no snippet {name!r}{hint}")

    def changed(self, change: Callable[[Snippet], Snippet]) -> SnippetDataset:
        """The data set with ``change`` made of each snippet that is on disk by now, written there."""
        with turn(self.folder):
            current = settled(self.folder, SnippetDataset._read)
            after = replace(current, snippets=tuple(map(change, current.snippets)))
            if after.snippets == current.snippets:
                return current
            write_change(after, SNIPPETS, _lines(after.snippets))
            return after

    def render(self) -> None:
        """Write everything that is made from the snippets, the checksums last."""
        write_whole(self.folder / INFO, to_json(self.info, indent=2))
        write_whole(self.folder / CARD, _card(self.info, self.snippets).encode())
        lines = (f"{sha256_of(self.folder / name)}  {name}\n" for name in (CARD, INFO, SNIPPETS))
        write_whole(self.folder / CHECKSUMS, "".join(lines).encode())


def _card(info: DatasetInfo, snippets: tuple[Snippet, ...]) -> str:
    """The card: a README.md with the header that the Hugging Face hub reads."""
    header = {
        "pretty_name": info.name,
        "license": info.license or "other",
        "tags": ["code", "api-migration"],
        "configs": [{"config_name": "default", "data_files": [{"split": "test", "path": SNIPPETS}]}],
    }
    head = "\n".join(f"{name}: {json.dumps(value)}" for name, value in header.items())
    counts = Counter((snippet.collection.value, snippet.library) for snippet in snippets)
    rows = "".join(
        f"| {collection} | {library} | {n} |\n" for (collection, library), n in sorted(counts.items())
    )
    title, description = (" ".join(text.split()) for text in (info.name, info.description))
    return (
        f"---\n{head}\n---\n\n# {title}\n\n{description}\n\n"
        f"Made on {format_day(info.created)} by `{' '.join(info.made_by.split()).replace('`', '')}`.\n\n"
        "Each snippet is code for one version of a library, of which something is asked with regard to "
        f"another.\n\n| collection | library | snippets |\n|---|---|--:|\n{rows}\n"
        "`backdate bench verify DATASET` runs them, `backdate bench show DATASET` shows what that found.\n"
    )


def _parse(data: bytes, path: Path) -> tuple[Snippet, ...]:
    snippets = tuple(
        read_stored(
            Snippet,
            line,
            current=SNIPPET_FORMAT,
            migrations=_MIGRATIONS,
            what=f"{path}, line {number},",
        )
        for number, line in enumerate(data.split(b"\n"), start=1)
        if line.strip()
    )
    try:
        _require_ids(snippets)
    except BackdateError as error:
        raise StoredDataError(f"{path}: {error}") from error
    return snippets


def _require_ids(snippets: tuple[Snippet, ...]) -> None:
    seen: set[str] = set()
    for snippet in snippets:
        if require_instance_id(snippet.id).lower() in seen:
            raise UsageError(f"two snippets are called {snippet.id!r}")
        seen.add(snippet.id.lower())


def _lines(snippets: Iterable[Snippet]) -> bytes:
    return b"".join(to_json(snippet) + b"\n" for snippet in snippets)
