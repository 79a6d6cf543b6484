"""Edits of import statements: what a rewrite does to each, collected and then written once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from backdate.editing.encodings import DecodedText
from backdate.editing.spans import Edit
from backdate.rewriting.names import ImportedName, deleted_names, imported_names
from backdate.rewriting.source_tree import SourceTree, statement_of

_BEFORE_IMPORTS = ("future_import_statement", "expression_statement")


@dataclass(slots=True)
class _Changes:
    """What becomes of one import statement."""

    entries: dict[int, str] = field(default_factory=dict)
    """Another text for an entry, by its offset; "" for one that goes."""
    appended: list[str] = field(default_factory=list)
    spans: list[Edit] = field(default_factory=list)
    """Other edits in it: of its module's name."""
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    """Whole statements beside it."""


class ImportEdits:
    """The changes of a file's imports. What is asked for twice is written once."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._changes: dict[int, tuple[Node, _Changes]] = {}
        self._newline = DecodedText(content=tree.text, encoding="utf-8").newline
        self._at_top: list[str] = []

    def _of(self, statement: Node) -> _Changes:
        return self._changes.setdefault(statement.start_byte, (statement, _Changes()))[1]

    def set_entry(self, imported: ImportedName, text: str) -> None:
        """``text`` takes the place of an entry, its alias included."""
        self._of(imported.statement).entries[imported.entry.start_byte] = text

    def drop_entry(self, imported: ImportedName) -> None:
        """An entry goes; with the last one the statement."""
        self._of(imported.statement).entries[imported.entry.start_byte] = ""

    def set_span(self, statement: Node, edit: Edit) -> None:
        """An edit of a part of ``statement`` that is no entry."""
        spans = self._of(statement).spans
        if edit not in spans:
            spans.append(edit)

    def append(self, statement: Node, entry: str) -> None:
        """One more entry at the end of ``statement``."""
        appended = self._of(statement).appended
        if entry not in appended:
            appended.append(entry)

    def add_after(self, statement: Node, text: str) -> None:
        """A statement of its own behind ``statement``, or in its place where nothing of it is left."""
        after = self._of(statement).after
        if text not in after:
            after.append(text)

    def adds_after(self, statement: Node) -> bool:
        """Whether a statement was added behind ``statement``."""
        return bool(self._of(statement).after)

    def add_at_top(self, text: str) -> None:
        """A statement of its own where the file's imports stand."""
        anchor = last_import_of_block(self._tree)
        if anchor is not None:
            self.add_after(anchor, text)
        elif text not in self._at_top:
            self._at_top.append(text)

    def edits(self) -> list[Edit]:
        """All of it as edits of the text."""
        edits = [edit for node, changes in self._changes.values() for edit in self._written(node, changes)]
        edits += self._deletions()
        if self._at_top:
            place, blank = _top_of_file(self._tree)
            text = "".join(f"{line}{self._newline}" for line in self._at_top)
            edits.append(Edit(place, place, text + (self._newline if blank else "")))
        return edits

    def _deletions(self) -> Iterator[Edit]:
        """``del`` of names whose import goes, and that no other one binds."""
        dropped = {
            entry.local
            for node, changes in self._changes.values()
            for entry in imported_names(self._tree, node)
            if changes.entries.get(entry.entry.start_byte) == ""
        }
        texts = [*self._at_top]
        for _, changes in self._changes.values():
            texts += [*changes.after, *changes.appended, *changes.entries.values()]
        bound = {name for text in texts for name in re.findall(r"(?:^|[\s,])(\w+)(?=\s*(?:,|$))", text)}
        gone = dropped - bound
        for statement in self._tree.root.named_children if gone else ():
            targets = deleted_names(statement)
            kept = [self._tree.code(one) for one in targets if self._tree.code(one) not in gone]
            if targets and not kept:
                yield self._without(statement)
            elif len(kept) < len(targets):
                yield Edit(statement.start_byte, statement.end_byte, f"del {', '.join(kept)}")

    def _written(self, statement: Node, changes: _Changes) -> list[Edit]:
        all_entries = imported_names(self._tree, statement)
        kept = [e for e in all_entries if changes.entries.get(e.entry.start_byte) != ""]
        if all_entries and not kept:
            if not changes.appended:
                return self._in_its_place(statement, changes.after)
            changes.entries[all_entries[0].entry.start_byte] = changes.appended.pop(0)
            kept = [all_entries[0]]
        edits = list(changes.spans)
        for index, imported in enumerate(all_entries):
            text = changes.entries.get(imported.entry.start_byte)
            if text == "":
                edits.append(self._removal(all_entries, index, changes.entries))
            elif text is not None:
                edits.append(Edit(imported.entry.start_byte, imported.entry.end_byte, text))
        if changes.appended:
            end = kept[-1].entry.end_byte
            edits.append(Edit(end, end, "".join(f", {entry}" for entry in changes.appended)))
        return [*_merged(edits), *self._beside(statement, changes.after)]

    def _removal(self, entries: tuple[ImportedName, ...], index: int, changed: dict[int, str]) -> Edit:
        """An entry with its comma; with its line where it stands on one of its own."""
        tree, node = self._tree, entries[index].entry
        start, end = node.start_byte, node.end_byte
        line_start, line_end = tree.line_start(start), tree.line_end(end)
        around = tree.text[line_start:start] + tree.text[end:line_end]
        if tree.line(start) == tree.line(end) and around.strip() in (",", "") and "\n" in tree.text[end:]:
            return Edit(line_start, line_end, "")
        if index + 1 < len(entries) and tree.line(entries[index + 1].entry.start_byte) == tree.line(start):
            return Edit(start, entries[index + 1].entry.start_byte, "")
        before = [e for e in entries[:index] if changed.get(e.entry.start_byte) != ""]
        if before and (index + 1 == len(entries) or tree.line(before[-1].entry.end_byte) == tree.line(start)):
            last = before[-1].entry.end_byte
            if "#" not in tree.text[last:start]:
                return Edit(last, end, "")
        comma = tree.text.find(",", end, tree.line_end(end))
        return Edit(start, comma + 1 if comma >= 0 else end, "")

    def _in_its_place(self, statement: Node, texts: list[str]) -> list[Edit]:
        """``texts`` for a whole statement."""
        start, end = statement.start_byte, statement.end_byte
        if not texts:
            return [self._without(statement)]
        indentation = self._tree.indentation(start)
        glue = f"{self._newline}{indentation}" if self._alone(statement) else "; "
        return [Edit(start, end, glue.join(texts))]

    def _without(self, statement: Node) -> Edit:
        """A whole statement goes, with its line; ``pass`` where its block would be empty."""
        parent = statement_of(statement).parent
        alone_in_block = parent is not None and parent.type == "block" and parent.named_child_count == 1
        if alone_in_block or not self._alone(statement):
            return Edit(statement.start_byte, statement.end_byte, "pass")
        tree = self._tree
        return Edit(tree.line_start(statement.start_byte), tree.line_end(statement.end_byte), "")

    def _beside(self, statement: Node, after: list[str]) -> list[Edit]:
        if not after:
            return []
        tree, end = self._tree, statement.end_byte
        if not self._alone(statement):
            return [Edit(end, end, "".join(f"; {text}" for text in after))]
        indentation = tree.indentation(statement.start_byte)
        place = tree.line_end(end)
        lines = "".join(f"{indentation}{text}{self._newline}" for text in after)
        if place == len(tree.text) and not tree.text.endswith(("\n", "\r")):
            lines = self._newline + lines.removesuffix(self._newline)
        return [Edit(place, place, lines)]

    def _alone(self, statement: Node) -> bool:
        """Whether nothing but a comment shares the lines of ``statement``."""
        tree = self._tree
        before = tree.text[tree.line_start(statement.start_byte) : statement.start_byte]
        behind = tree.text[statement.end_byte : tree.line_end(statement.end_byte)].strip()
        return not before.strip() and (not behind or behind.startswith("#"))


def _merged(edits: list[Edit]) -> list[Edit]:
    """Removals that touch as one: of two entries beside each other."""
    merged: list[Edit] = []
    for edit in sorted(edits):
        if merged and edit.start < merged[-1].end:
            last = merged.pop()
            merged.append(Edit(last.start, max(last.end, edit.end), last.replacement + edit.replacement))
        else:
            merged.append(edit)
    return merged


def last_import_of_block(tree: SourceTree) -> Node | None:
    """The last import of the file's first block of them, on the outermost level; none: None."""
    last: Node | None = None
    for child in tree.root.named_children:
        if child.type in ("import_statement", "import_from_statement"):
            last = child
        elif child.type != "comment" and (last is not None or child.type not in _BEFORE_IMPORTS):
            return last
    return last


def _top_of_file(tree: SourceTree) -> tuple[int, bool]:
    """Where a file without imports gets its first one, and whether a blank line belongs behind it."""
    place = 0
    for child in tree.root.named_children:
        is_text = child.type == "expression_statement" and child.named_child_count == 1
        first = child.named_child(0) if is_text else None
        is_header = child.type == "comment" and child.start_point.row == tree.line(place) - 1
        is_docstring = first is not None and first.type == "string"
        if not (is_header or is_docstring or child.type == "future_import_statement"):
            break
        place = tree.line_end(child.end_byte)
    following = tree.text[place : tree.line_end(place)]
    return place, bool(following.strip()) and not following.startswith(("import ", "from "))
