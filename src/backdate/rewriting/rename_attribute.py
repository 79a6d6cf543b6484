"""Another name for an attribute of objects whose class the source does not tell."""

from __future__ import annotations

from tree_sitter import Node

from backdate.editing.encodings import DecodedText
from backdate.editing.spans import Edit
from backdate.rewriting.calls import is_of_module
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import RenameAttribute
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field
from backdate.rewriting.spelling import spell_expression


def rename_attribute(
    tree: SourceTree, rewrite: RenameAttribute, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that give an attribute its new name on named lines; attributes of imported modules stay."""
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    left: list[LeftAlone] = []
    used: set[int] = set()
    for node in tree.identifiers(rewrite.old) if lines is not None else ():
        parent = node.parent
        if parent is None or parent.type != "attribute" or not is_field(parent, "attribute", node):
            continue
        if lines is not None and lines.isdisjoint(tree.statement_lines(node)):
            continue
        if is_of_module(names, parent):
            continue
        line = tree.line(node.start_byte)
        between = _between(names, imports, parent, rewrite.around) if rewrite.around else []
        if between is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
            continue
        edits += [Edit(node.start_byte, node.end_byte, rewrite.new), *between]
        used.add(line)
    if edits:
        edits += imports.edits()
    elif not left:
        left.append(LeftAlone(reason=LeftAloneReason.NOT_THERE))
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(sorted(used)), left=tuple(left))


def _between(names: SourceNames, imports: ImportEdits, attribute: Node, dotted: str) -> list[Edit] | None:
    """The edits that put the decorator ``dotted`` below ``attribute`` as a decorator, or around the one
    thing that it is called with; None for any other use, and where ``dotted`` cannot be named there."""
    tree, around = names.tree, attribute.parent
    if around is None:
        return None
    given = (
        _only_argument(around) if around.type == "call" and is_field(around, "function", attribute) else None
    )
    if around.type != "decorator" and given is None:
        return None
    spelled = spell_expression(names, imports, dotted, attribute)
    if spelled is None:
        return None
    if given is not None:
        return [
            Edit(given.start_byte, given.start_byte, f"{spelled}("),
            Edit(given.end_byte, given.end_byte, ")"),
        ]
    newline = DecodedText(content=tree.text, encoding="utf-8").newline
    indentation = tree.indentation(around.start_byte)
    return [Edit(around.end_byte, around.end_byte, f"{newline}{indentation}@{spelled}")]


def _only_argument(call: Node) -> Node | None:
    """What the call gives, where that is one positional argument."""
    arguments = call.child_by_field_name("arguments")
    given = [child for child in arguments.named_children if child.type != "comment"] if arguments else []
    starred = ("keyword_argument", "list_splat", "dictionary_splat")
    return given[0] if len(given) == 1 and given[0].type not in starred else None
