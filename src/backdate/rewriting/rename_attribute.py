"""Another name for an attribute of objects whose class the source does not tell."""

from __future__ import annotations

from backdate.editing.spans import Edit
from backdate.rewriting.calls import is_of_module
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import LeftAlone, LeftAloneReason, RenameAttribute, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field


def rename_attribute(
    tree: SourceTree, rewrite: RenameAttribute, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that give an attribute its new name on named lines; attributes of imported modules stay."""
    names = SourceNames(tree)
    edits: list[Edit] = []
    for node in tree.identifiers(rewrite.old) if lines is not None else ():
        parent = node.parent
        if parent is None or parent.type != "attribute" or not is_field(parent, "attribute", node):
            continue
        if lines is not None and lines.isdisjoint(tree.statement_lines(node)):
            continue
        if not is_of_module(names, parent):
            edits.append(Edit(node.start_byte, node.end_byte, rewrite.new))
    left = () if edits else (LeftAlone(reason=LeftAloneReason.NOT_THERE),)
    lines_of_uses = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(edits), lines=tuple(lines_of_uses), left=left)
