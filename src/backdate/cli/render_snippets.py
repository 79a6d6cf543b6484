"""What the terminal shows of data sets of snippets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backdate.snippets.dataset import SnippetDataset
    from backdate.snippets.findings import LibraryFindings
    from backdate.snippets.imported import SnippetImport
    from backdate.snippets.snippet import Snippet

_MOST_REFUSED = 20
_CLASSES = {
    "confirmed-by-running": "by running",
    "confirmed-statically": "statically",
    "only-warns": "only warns",
    "none-seen": "none seen",
    "breaks-elsewhere": "elsewhere",
    "origin-fails": "origin fails",
    "other": "other",
}


def import_lines(dataset: SnippetDataset, imported: SnippetImport) -> Iterator[str]:
    """What an import made, with the rows that it could not read and the flags of those that it could."""
    yield f"{dataset.folder}: {len(dataset.snippets)} snippets"
    counts = Counter(snippet.collection.value for snippet in dataset.snippets)
    yield from (f"  {number:5}  {name}" for name, number in sorted(counts.items()))
    flags = Counter(flag for snippet in dataset.snippets for flag in snippet.flags)
    if flags:
        yield "flags:"
        yield from (f"  {number:5}  {name}" for name, number in flags.most_common())
    yield from imported.notes
    if imported.refused:
        yield f"{len(imported.refused)} rows are no snippets:"
        yield from (f"  {row.name}: {row.why}" for row in imported.refused[:_MOST_REFUSED])
        if len(imported.refused) > _MOST_REFUSED:
            yield f"  and {len(imported.refused) - _MOST_REFUSED} more"


def dataset_lines(dataset: SnippetDataset) -> Iterator[str]:
    """A data set in short: what it holds, and what verifying it found."""
    from backdate.snippets.findings import findings_of

    yield f"{dataset.info.name}: {len(dataset.snippets)} snippets"
    counts = Counter((one.collection.value, one.library) for one in dataset.snippets)
    yield from (f"  {number:5}  {name}, {library}" for (name, library), number in sorted(counts.items()))
    findings = findings_of(dataset.snippets)
    yield from table_lines(findings) if findings else ("not verified yet: backdate bench verify DATASET",)


def table_lines(findings: tuple[LibraryFindings, ...]) -> Iterator[str]:
    """The findings as a table in Markdown, a library a line."""
    counted = ("snippets", "run", "three cases", *_CLASSES.values(), "confirmed", "varies", "solved")
    yield f"| library | {' | '.join(counted)} |"
    yield f"|---|{'--:|' * len(counted)}"
    for row in findings:
        run = (row.snippets, row.run, row.on_three_cases)
        classes = (row.classes.get(name, 0) for name in _CLASSES)
        cells = (*run, *classes, row.confirmed, row.nondeterministic, row.with_reference)
        yield f"| {row.library} | {' | '.join(map(str, cells))} |"


def snippet_lines(snippet: Snippet) -> Iterator[str]:
    """One snippet in full."""
    sides = (snippet.origin, snippet.target)
    versions = " -> ".join(side.version for side in sides if side is not None)
    yield f"{snippet.id}: {snippet.library} {versions}"
    for api in snippet.apis:
        taken = f", instead {api.replacement}" if api.replacement else ""
        yield f"  {api.name}: {api.change.value}{taken}"
    if snippet.flags:
        yield f"  flags: {', '.join(snippet.flags)}"
    if snippet.validity is not None:
        yield f"  {snippet.validity.found.value}"
        yield from (f"    {line}" for line in snippet.validity.evidence)
    yield ""
    yield from snippet.code.splitlines()
    if snippet.harness.cases:
        yield ""
        for number, case in enumerate(snippet.harness.cases):
            given = snippet.expected[number] if number < len(snippet.expected) else None
            told = "" if given is None else f"  gives {given.error or given.value}"
            yield f"case {number + 1}: {case}{told}"
