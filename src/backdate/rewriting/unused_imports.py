"""Imports of what is gone and what nothing uses: taken out."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import ImportedName, SourceNames
from backdate.rewriting.rewrite import DropImport
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree


def drop_import(tree: SourceTree, rewrite: DropImport, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that leave imports on ``lines`` out, where nothing uses what they bind.

    Of a module that is gone all or nothing: what else a statement takes from it fails as before.
    """
    names, imports = SourceNames(tree), ImportEdits(tree)
    changed: set[int] = set()
    left: list[LeftAlone] = []
    for statement, entries in _of_statements(names, rewrite.name):
        if lines is not None and lines.isdisjoint(tree.statement_lines(statement)):
            continue
        line = tree.line(statement.start_byte)
        if not all(names.is_unused(entry, ()) for entry in entries):
            continue
        if any(
            is_guarded(tree, statement, one.dotted, "", anywhere=True, local=one.local) for one in entries
        ):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        for entry in entries:
            imports.drop_entry(entry)
        changed.add(line)
    return RewrittenSource(
        edits=tuple(sorted(imports.edits())), lines=tuple(sorted(changed)), left=tuple(left)
    )


def _of_statements(names: SourceNames, gone: str) -> Iterator[tuple[Node, list[ImportedName]]]:
    """Each import statement with its entries that are ``gone``, or in it."""
    found: dict[int, tuple[Node, list[ImportedName]]] = {}
    for entry in names.imported():
        if entry.dotted == gone or f"{entry.dotted}.".startswith(f"{gone}."):
            found.setdefault(entry.statement.start_byte, (entry.statement, []))[1].append(entry)
    yield from found.values()
