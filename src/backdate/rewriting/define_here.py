"""Putting the definition of what is gone into the file that uses it."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import takewhile

from tree_sitter import Node

from backdate.editing.encodings import DecodedText, split_lines
from backdate.editing.spans import Edit
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits, last_import_of_block
from backdate.rewriting.names import ImportedName, SourceNames, imported_names
from backdate.rewriting.rewrite import DefineHere
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field


def define_here(tree: SourceTree, rewrite: DefineHere, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that define it in the file, of which something that uses it is on ``lines``.

    All uses in the file are of that definition then, which has the name that the file uses. It stands behind
    the file's first imports. A file that gives one of the names that it binds another meaning is left alone.
    """
    return _DefiningHere(tree, _as_imported(tree, rewrite)).made(lines)


def _as_imported(tree: SourceTree, rewrite: DefineHere) -> DefineHere:
    """The same under the name that the file's imports give it, where they give it one other name."""
    locals_ = {one.local for one in SourceNames(tree).imported() if one.dotted == rewrite.name}
    own, local = rewrite.binds[-1], next(iter(locals_), rewrite.binds[-1])
    word = re.compile(rf"(?<![\w.\"'#]){re.escape(own)}(?!\w)")
    places = [match.start() for match in word.finditer(rewrite.definition)]
    code = [place for place in places if not rewrite.definition[:place].rpartition("\n")[2].startswith("#")]
    if len(locals_) != 1 or own == local or len(code) != 1:
        return rewrite
    start = code[0]
    text = rewrite.definition[:start] + local + rewrite.definition[start + len(own) :]
    return replace(rewrite, definition=text, binds=(*rewrite.binds[:-1], local))


class _DefiningHere:
    """One rewrite of one file."""

    def __init__(self, tree: SourceTree, rewrite: DefineHere) -> None:
        self._tree, self._rewrite = tree, rewrite
        self._names, self._imports = SourceNames(tree), ImportEdits(tree)
        self._leaf = rewrite.name.rpartition(".")[2]
        self._local = rewrite.binds[-1]
        self._entries = [one for one in self._names.imported() if one.dotted == rewrite.name]
        self._chains = list(self._used_by_attribute())

    def made(self, lines: frozenset[int] | None) -> RewrittenSource:
        nodes = [*(one.statement for one in self._entries), *(chain for chain, _ in self._chains)]
        asked = [node for node in nodes if lines is None or not lines.isdisjoint(self._lines_of(node))]
        if not asked:
            return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
        line = self._tree.line(asked[0].start_byte)
        if any(is_guarded(self._tree, node, self._rewrite.name, "", anywhere=True) for node in nodes):
            return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.GUARDED, line=line),))
        if any(self._is_elsewhere(one) for one in self._entries) or not self._has_room():
            return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.SHADOWED, line=line),))
        edits = [Edit(chain.start_byte, chain.end_byte, self._local) for chain, _ in self._chains]
        dropped = [*self._entries, *self._unused_modules()]
        for entry in dropped:
            self._imports.drop_entry(entry)
        added = [one.statement for one in self._rewrite.imports if not self._names.bindings(one.local)]
        for statement in added:
            self._imports.add_at_top(statement)
        self._imports.add_at_top(self._between_blank_lines({one.entry for one in dropped}, bool(added)))
        changed = {self._tree.line(node.start_byte) for node in nodes}
        return RewrittenSource(
            edits=tuple(sorted({*edits, *self._imports.edits()})), lines=tuple(sorted(changed))
        )

    def _between_blank_lines(self, dropped: Set[Node], adds_imports: bool) -> str:
        """The definition with two blank lines around it, where the file does not have them there."""
        text, before, after = self._rewrite.definition.rstrip(), 2, 0
        anchor = last_import_of_block(self._tree)
        if anchor is not None:
            lines = split_lines(self._tree.text[self._tree.line_end(anchor.end_byte) :])
            after = max(0, 2 - _blank(lines)) if any(line.strip() for line in lines) else 0
            if not adds_imports and all(one.entry in dropped for one in imported_names(self._tree, anchor)):
                above = split_lines(self._tree.text[: self._tree.line_start(anchor.start_byte)])
                before = max(0, 2 - _blank(above[::-1])) if above else 0
        newline = DecodedText(content=self._tree.text, encoding="utf-8").newline
        return "\n".join((*[""] * before, text, *[""] * after)).replace("\n", newline)

    def _lines_of(self, node: Node) -> frozenset[int]:
        return frozenset(self._tree.statement_lines(node))

    def _used_by_attribute(self) -> list[tuple[Node, ImportedName | None]]:
        """``module.function`` in expressions, each with the import of its head."""
        found: list[tuple[Node, ImportedName | None]] = []
        for node in self._tree.identifiers(self._leaf):
            chain = node.parent
            if chain is None or chain.type != "attribute" or not is_field(chain, "attribute", node):
                continue
            meaning = self._names.dotted(chain)
            if meaning.dotted == self._rewrite.name and not meaning.shadowed:
                found.append((chain, meaning.binding.imported if meaning.binding else None))
        return found

    def _unused_modules(self) -> list[ImportedName]:
        """Imports whose every use goes."""
        changed = {chain.start_byte for chain, _ in self._chains}
        heads = {head.entry.start_byte: head for _, head in self._chains if head is not None}
        return [head for head in heads.values() if self._names.is_unused(head, changed)]

    def _is_elsewhere(self, entry: ImportedName) -> bool:
        """Whether an import binds another name, or not for the whole file."""
        parent = entry.statement.parent
        return entry.local != self._local or parent is None or parent.type != "module"

    def _has_room(self) -> bool:
        """Whether the file gives none of the names that the definition binds or needs another meaning."""
        own = {entry.entry.start_byte for entry in self._entries}
        for name in self._rewrite.binds:
            for binding in self._names.bindings(name):
                if binding.imported is None or binding.imported.entry.start_byte not in own:
                    return False
        return all(
            binding.imported is not None and binding.imported.dotted == needed.dotted
            for needed in self._rewrite.imports
            for binding in self._names.bindings(needed.local)
        )


def _blank(lines: Sequence[str]) -> int:
    """How many blank lines come first."""
    return sum(1 for _ in takewhile(lambda line: not line.strip(), lines))
