"""Statements that become others: put into a block of their own, or assigned to what they changed."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.source_tree import SourceTree, is_field

_ASSIGNABLE = frozenset({"identifier", "attribute", "subscript"})
_SIMPLE = frozenset({"expression_statement", "return_statement"})
_COMPREHENSIONS = frozenset({"list_comprehension", "set_comprehension", "dictionary_comprehension"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NewBlock:
    """What puts a statement into a block."""

    edits: tuple[Edit, ...]
    unit: str
    """How much further in its lines begin."""


def into_block(
    tree: SourceTree, statement: Node, header: str, *, rewritten: Node, any_statement: bool = False
) -> NewBlock | None:
    """The edits that put a statement below ``header`` that is nothing but ``rewritten``, whose lines stay.

    It may also take at once what it wants of what that gives: ``row = result.first()``. With
    ``any_statement`` it may assign or return all of it, which is not closed where the block ends.
    None for any other statement; for one that shares a line with another, and for one with a string over
    several lines, whose text would change.
    """
    start, end = statement.start_byte, statement.end_byte
    first = tree.line_start(start)
    beside = (tree.text[first:start], tree.text[end : tree.line_end(max(end - 1, start))].split("#")[0])
    alone = statement.type == "expression_statement" and statement.named_child(0) == rewritten
    alone |= statement.type in _SIMPLE and (any_statement or _is_taken_at_once(rewritten))
    if not alone or any(text.strip() for text in beside):
        return None
    if any(tree.line(node.start_byte) != tree.line(node.end_byte) for node in _strings(statement)):
        return None
    indentation = tree.indentation(start)
    unit = "\t" if "\t" in indentation else "    "
    line = tree.text[first : tree.line_end(start)]
    newline = line[len(line.rstrip("\r\n")) :] or "\n"
    edits = [Edit(first, first, f"{indentation}{header}{newline}{unit}")]
    following = tree.line_end(start)
    while following < end:
        is_rewritten = rewritten.start_byte < following < rewritten.end_byte
        if not is_rewritten and tree.text[following : tree.line_end(following)].strip():
            edits.append(Edit(following, following, unit))
        following = tree.line_end(following)
    return NewBlock(edits=tuple(edits), unit=unit)


def _is_taken_at_once(result: Node) -> bool:
    """Whether nothing is left of what an expression gives when its statement ends: a part of it is taken, or
    all of it is put into a list, a set or a dictionary."""
    outer = result.parent
    if outer is None:
        return False
    if outer.type == "for_in_clause":
        return is_field(outer, "right", result) and getattr(outer.parent, "type", "") in _COMPREHENSIONS
    return outer.type == "attribute" and is_field(outer, "object", result)


def changed_object(tree: SourceTree, call: Node, function: Node, path: str) -> str | None:
    """The code of the object that a call changes, where the call is a statement of its own.

    ``path`` is "self", or of what changes the object around the method's own which attribute that one is:
    "cat" for ``frame.cat.method()``. None for any other use, and where nothing can be assigned to
    the object.
    """
    statement = call.parent
    changed = function.child_by_field_name("object")
    if statement is None or statement.type != "expression_statement" or statement.named_child_count > 1:
        return None
    if changed is not None and path != "self":
        name = changed.child_by_field_name("attribute") if changed.type == "attribute" else None
        if name is None or tree.code(name) != path:
            return None
        changed = changed.child_by_field_name("object")
    return tree.code(changed) if changed is not None and changed.type in _ASSIGNABLE else None


def _strings(statement: Node) -> list[Node]:
    found: list[Node] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.type == "string":
            found.append(node)
        else:
            waiting += node.children
    return found
