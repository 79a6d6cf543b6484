"""Decorators of functions and classes: finding them, and taking them out."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import DropDecorator
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree


def drop_decorator(tree: SourceTree, rewrite: DropDecorator, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that take a decorator out, where it or its import is on ``lines``; with its unused import."""
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    heads: set[int] = set()
    left: list[LeftAlone] = []
    imported = [entry for entry in names.imported() if entry.dotted == rewrite.decorator]
    everywhere = lines is None or any(tree.line(entry.statement.start_byte) in lines for entry in imported)
    for decorator, _ in decorated_functions(tree, names, rewrite.decorator, classes=True):
        line = tree.line(decorator.start_byte)
        if not everywhere and lines is not None and line not in lines:
            continue
        if is_guarded(tree, decorator, rewrite.decorator, "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        edits.append(without_decorator(tree, decorator))
        heads |= {expression.start_byte for expression in decorator.named_children}
    for entry in imported:
        if (edits or everywhere) and names.is_unused(entry, heads):
            imports.drop_entry(entry)
    made = sorted({*edits, *imports.edits()})
    changed = sorted({tree.line(edit.start) for edit in made})
    return RewrittenSource(edits=tuple(made), lines=tuple(changed), left=tuple(left))


def decorated_functions(
    tree: SourceTree, names: SourceNames, dotted: str, *, classes: bool = False
) -> Iterator[tuple[Node, Node]]:
    """Each decorator that is ``dotted``, not called, and the function (or class, if ``classes``) below it."""
    wanted = ("function_definition", "class_definition") if classes else ("function_definition",)
    for word in sorted(
        {dotted.rpartition(".")[2], *(i.local for i in names.imported() if i.dotted == dotted)}
    ):
        for identifier in tree.identifiers(word):
            chain = identifier
            while chain.parent is not None and chain.parent.type == "attribute":
                chain = chain.parent
            decorator = chain.parent
            if decorator is None or decorator.type != "decorator" or decorator.parent is None:
                continue
            definition = decorator.parent.child_by_field_name("definition")
            if definition is None or definition.type not in wanted:
                continue
            meaning = names.dotted(chain)
            if meaning.dotted == dotted and not meaning.shadowed:
                yield decorator, definition


def without_decorator(tree: SourceTree, decorator: Node) -> Edit:
    """The edit that takes the decorator out with its line, or alone where the line holds more."""
    start, end = tree.line_start(decorator.start_byte), tree.line_end(decorator.end_byte)
    around = tree.text[start : decorator.start_byte] + tree.text[decorator.end_byte : end]
    if around.strip():
        return Edit(decorator.start_byte, decorator.end_byte, "")
    return Edit(start, end, "")
