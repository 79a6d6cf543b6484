"""Putting another dotted name in the place of one: where it is used, and where it is imported."""

from __future__ import annotations

import builtins

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import (
    ImportedName,
    SourceNames,
    imported_names,
    is_use,
    module_of_import,
    name_of_entry,
)
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field
from backdate.rewriting.spelling import NewImport, add_import, spell


def replace_name(tree: SourceTree, rewrite: ReplaceName, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that put the new name for the old one on ``lines``, and in the imports that bring it."""
    return _Replacement(tree, rewrite, lines).made()


class _Replacement:
    """One rewrite of one file."""

    def __init__(self, tree: SourceTree, rewrite: ReplaceName, lines: frozenset[int] | None) -> None:
        self._tree, self._lines = tree, lines
        self._names = SourceNames(tree, rewrite.holder)
        self._old = rewrite.old
        new = rewrite.new
        self._new = new if "." in new or not hasattr(builtins, new) else f"builtins.{new}"
        self._imports = ImportEdits(tree)
        self._edits: list[Edit] = []
        self._changed: set[int] = set()
        self._left: list[LeftAlone] = []
        self._heads: dict[int, tuple[ImportedName, set[int]]] = {}
        """By import, the heads of the uses that are changed, by offset."""
        self._needed: dict[int, tuple[NewImport, ImportedName | None]] = {}
        self._whole_modules: list[ImportedName] = []

    def made(self) -> RewrittenSource:
        """All edits. Imports come first: one that goes takes every use of its name along."""
        leaf = self._old.rpartition(".")[2]
        occurrences = self._tree.identifiers(leaf)
        self._statements(occurrences)
        for node in occurrences:
            self._use(node)
        for needed, head in self._needed.values():
            _, changed = self._heads.get(head.entry.start_byte, (head, set())) if head else (None, set())
            unused = head if head is not None and self._names.is_unused(head, changed) else None
            add_import(self._names, self._imports, needed, unused=unused, beside=head)
        edits = [*self._edits, *self._imports.edits()]
        return RewrittenSource(
            edits=tuple(sorted(set(edits))), lines=tuple(sorted(self._changed)), left=tuple(self._left)
        )

    def _statements(self, occurrences: tuple[Node, ...]) -> None:
        seen: set[int] = set()
        for node in occurrences:
            statement = _import_of(node)
            if statement is None or statement.start_byte in seen:
                continue
            seen.add(statement.start_byte)
            module = module_of_import(self._tree, statement)
            if f"{module}.".startswith(f"{self._old}."):
                if self._asked(statement, statement, ""):
                    self._module_of_from(statement, module)
                continue
            for imported in imported_names(self._tree, statement):
                name = imported.dotted if module else imported.module
                concerned = name == self._old or (not module and name.startswith(f"{self._old}."))
                if concerned and self._asked(statement, imported.entry, imported.local):
                    self._entry(imported, module)

    def _asked(self, statement: Node, node: Node, local: str) -> bool:
        """Whether an import is on the lines that are asked for, or a use of what it brings is."""
        if not self._on_lines(statement) and not any(
            self._on_lines(use)
            for use in self._tree.identifiers(local)
            if is_use(use) and self._names.bindings(local)
        ):
            return False
        anywhere = self._lines is None
        if is_guarded(self._tree, statement, self._old, self._new, anywhere=anywhere, local=local or "*"):
            self._leave(LeftAloneReason.GUARDED, node)
            return False
        return True

    def _on_lines(self, node: Node) -> bool:
        if self._lines is None:
            return True
        return not self._lines.isdisjoint(self._tree.statement_lines(node))

    def _leave(self, reason: LeftAloneReason, node: Node) -> None:
        self._left.append(LeftAlone(reason=reason, line=self._tree.line(node.start_byte)))

    def _module_of_from(self, statement: Node, module: str) -> None:
        """``from old.part import name``: the names come along."""
        node = statement.child_by_field_name("module_name")
        if node is None or self._new.startswith("builtins."):
            return
        text = self._new + module[len(self._old) :]
        self._imports.set_span(statement, Edit(node.start_byte, node.end_byte, text))
        self._changed.add(self._tree.line(statement.start_byte))

    def _entry(self, imported: ImportedName, module: str) -> None:
        """One entry of an import statement, which keeps the name that it binds."""
        self._changed.add(self._tree.line(imported.entry.start_byte))
        if not module:
            self._whole_module(imported)
            return
        new_module, _, leaf = self._new.rpartition(".")
        if new_module == "builtins":
            self._builtin_for_import(imported, leaf)
            return
        entry = leaf if leaf == imported.local else f"{leaf} as {imported.local}"
        if not new_module:
            self._imports.drop_entry(imported)
            self._imports.add_after(imported.statement, f"import {entry}")
        elif new_module == module:
            self._imports.set_entry(imported, entry)
        elif self._neighbour(imported.statement, new_module) is not None:
            self._imports.drop_entry(imported)
            self._beside(imported.statement, new_module, entry)
        elif len(imported_names(self._tree, imported.statement)) == 1:
            node = imported.statement.child_by_field_name("module_name")
            if node is not None:
                self._imports.set_span(imported.statement, Edit(node.start_byte, node.end_byte, new_module))
            self._imports.set_entry(imported, entry)
        else:
            self._imports.drop_entry(imported)
            self._beside(imported.statement, new_module, entry)

    def _beside(self, statement: Node, module: str, entry: str) -> None:
        """An entry in a statement of its own, or in the one beside that imports of its module."""
        neighbour = self._neighbour(statement, module)
        if neighbour is not None:
            self._imports.append(neighbour, entry)
        else:
            self._imports.add_after(statement, f"from {module} import {entry}")

    def _neighbour(self, statement: Node, module: str) -> Node | None:
        """The statement right before or behind that imports names from ``module``."""
        for neighbour in (statement.next_named_sibling, statement.prev_named_sibling):
            if neighbour is None or neighbour.type != "import_from_statement":
                continue
            if module_of_import(self._tree, neighbour) == module and imported_names(self._tree, neighbour):
                return neighbour
        return None

    def _builtin_for_import(self, imported: ImportedName, leaf: str) -> None:
        self._imports.drop_entry(imported)
        if imported.local != leaf:
            self._imports.add_after(imported.statement, f"{imported.local} = {leaf}")

    def _whole_module(self, imported: ImportedName) -> None:
        """``import old``, ``import old.part`` and both with an alias."""
        name = name_of_entry(imported)
        text = self._new + imported.module[len(self._old) :]
        if imported.aliased:
            self._imports.set_span(imported.statement, Edit(name.start_byte, name.end_byte, text))
            return
        if imported.module == imported.local:
            self._imports.set_entry(
                imported, text if text == imported.local else f"{text} as {imported.local}"
            )
            return
        self._whole_modules.append(imported)
        keeps_head = text.partition(".")[0] == imported.local or not self._head_is_used_otherwise(imported)
        self._imports.set_entry(imported, text if keeps_head else f"{imported.local}, {text}")

    def _head_is_used_otherwise(self, imported: ImportedName) -> bool:
        """Whether the top package that ``import old.part`` binds is used for other things of it."""
        others = [b for b in self._names.bindings(imported.local) if b.imported is not None]
        if any(b.imported is not None and b.imported.entry != imported.entry for b in others):
            return False
        for use in self._tree.identifiers(imported.local):
            if not is_use(use):
                continue
            chain = _outermost_chain(use)
            if not f"{self._names.dotted(chain).dotted}.".startswith(f"{self._old}."):
                return True
        return False

    def _use(self, node: Node) -> None:
        """One occurrence of the old name's last part in an expression."""
        parent = node.parent
        if parent is None or _import_of(node) is not None:
            return
        chain = parent if parent.type == "attribute" and is_field(parent, "attribute", node) else node
        if chain is node and not is_use(node):
            return
        meaning = self._names.dotted(chain)
        if chain is node and "." in self._old and not self._old.startswith("builtins."):
            if meaning.star and self._comes_by_star() and self._on_lines(node):
                self._leave(LeftAloneReason.STAR_IMPORT, node)
            return
        if meaning.dotted != self._old:
            if meaning.shadowed and self._on_lines(node) and self._could_be(chain):
                self._leave(LeftAloneReason.SHADOWED, node)
            return
        head = meaning.binding.imported if meaning.binding is not None else None
        if chain is node and head is not None:
            return  # a whole module by its own name: its import keeps that name
        forced = any(head is not None and head.local == whole.local for whole in self._whole_modules)
        if (forced or self._on_lines(node)) and not _is_stored(chain):
            self._change(chain, head)

    def _change(self, chain: Node, head: ImportedName | None) -> None:
        anywhere = self._lines is None
        if is_guarded(self._tree, chain, self._old, self._new, anywhere=anywhere):
            self._leave(LeftAloneReason.GUARDED, chain)
            return
        if head is not None and any(head.local == whole.local for whole in self._whole_modules):
            self._write(chain, self._new)
            return
        spelling = spell(self._names, self._new, chain, head)
        if spelling is None:
            self._leave(LeftAloneReason.SHADOWED, chain)
            return
        self._write(chain, spelling.expression)
        if head is not None:
            heads = self._heads.setdefault(head.entry.start_byte, (head, set()))[1]
            heads.add(chain.start_byte)
        if spelling.needs is not None:
            self._needed.setdefault(head.entry.start_byte if head is not None else -1, (spelling.needs, head))

    def _write(self, chain: Node, text: str) -> None:
        """``text`` for a chain; the parts that stay are not touched, so an alias and a line break live on."""
        self._changed.add(self._tree.line(chain.end_byte))
        start, attribute = chain.start_byte, chain.child_by_field_name("attribute")
        before, _, leaf = text.rpartition(".")
        if attribute is not None and before:
            owner = self._tree.text[start : attribute.start_byte]
            if "".join(owner.split()) == f"{before}.":
                start, text = attribute.start_byte, leaf
        self._edits.append(Edit(start, chain.end_byte, text))

    def _comes_by_star(self) -> bool:
        return self._old.rpartition(".")[0] in self._names.star_modules

    def _could_be(self, chain: Node) -> bool:
        """Whether one of the meanings of the head of ``chain`` makes it the old name."""
        head = chain
        while head.type == "attribute" and (inner := head.child_by_field_name("object")) is not None:
            head = inner
        rest = "".join(self._tree.text[head.end_byte : chain.end_byte].split())
        return any(
            binding.imported is not None and binding.imported.dotted + rest == self._old
            for binding in self._names.bindings(self._tree.code(head))
        )


def _import_of(node: Node) -> Node | None:
    """The import statement that an identifier is a part of."""
    outer = node.parent
    while outer is not None and outer.type in ("dotted_name", "aliased_import", "relative_import"):
        outer = outer.parent
    if outer is not None and outer.type in ("import_statement", "import_from_statement"):
        return outer
    return None


def _outermost_chain(node: Node) -> Node:
    while (
        (parent := node.parent) is not None
        and parent.type == "attribute"
        and is_field(parent, "object", node)
    ):
        node = parent
    return node


def _is_stored(chain: Node) -> bool:
    """Whether a name is assigned or deleted: what gives the old name its value is no use of it."""
    parent = chain.parent
    if parent is None:
        return False
    if parent.type in ("assignment", "augmented_assignment"):
        return is_field(parent, "left", chain)
    return parent.type in ("delete_statement", "pattern_list", "tuple_pattern")
