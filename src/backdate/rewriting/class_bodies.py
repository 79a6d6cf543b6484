"""What classes say in their body for a library to read, ``class Meta`` and ``class Config`` among it."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.argument_edits import same_code
from backdate.rewriting.class_rewrites import ChangeClassBody
from backdate.rewriting.definitions import mentions_of
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree
from backdate.rewriting.template import as_python, fill, given_by


def change_class_body(
    tree: SourceTree, rewrite: ChangeClassBody, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits of the bodies of classes that are on ``lines`` anywhere from their head to their end."""
    names = SourceNames(tree)
    edits: set[Edit] = set()
    left: list[LeftAlone] = []
    for definition in _concerned(names, rewrite, asked=lines is not None):
        first, last = tree.line(definition.start_byte), tree.line(definition.end_byte)
        if lines is not None and lines.isdisjoint(range(first, last + 1)):
            continue
        if is_guarded(tree, definition, "", "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=first))
            continue
        body = _body(tree, definition, rewrite.within)
        if body is not None:
            outside = {} if rewrite.within else dict(_set_outside(tree, definition))
            edits |= set(_edits(tree, body, rewrite, outside))
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed), left=tuple(left))


def _concerned(names: SourceNames, rewrite: ChangeClassBody, *, asked: bool) -> tuple[Node, ...]:
    """The classes of a file that the rewrite is about.

    On named lines also classes with whatever base that have such a class in their body: their base class is
    in another file, and the attributes say whose they are.
    """
    own = classes_from(names, rewrite.of)
    if not (asked and rewrite.within and rewrite.attributes):
        return own
    found = {definition.start_byte: definition for definition in own}
    for node in names.tree.identifiers(rewrite.within):
        inner = node.parent
        outer = inner.parent.parent if inner is not None and inner.parent is not None else None
        if inner is None or outer is None or {inner.type, outer.type} != {"class_definition"}:
            continue
        if outer.child_by_field_name("superclasses") is not None:
            found.setdefault(outer.start_byte, outer)
    return tuple(found[start] for start in sorted(found))


def classes_from(names: SourceNames, bases: tuple[str, ...]) -> tuple[Node, ...]:
    """The classes of a file with one of ``bases``, and those made from such a class of the file."""
    found: dict[int, Node] = {}
    waiting = [chain for _, chain in mentions_of(names, bases)]
    while waiting:
        definition = class_with_base(waiting.pop())
        if definition is None or definition.start_byte in found:
            continue
        found[definition.start_byte] = definition
        name = definition.child_by_field_name("name")
        waiting += names.tree.identifiers(names.tree.code(name)) if name is not None else ()
    return tuple(found[start] for start in sorted(found))


def class_with_base(node: Node) -> Node | None:
    """The class that has ``node`` as one of its base classes; None where it stands elsewhere."""
    outer = node.parent
    if outer is None or outer.type != "argument_list" or outer.parent is None:
        return None
    return outer.parent if outer.parent.type == "class_definition" else None


def _body(tree: SourceTree, definition: Node, within: str) -> Node | None:
    """The body of a class, or of the class ``within`` it."""
    body = definition.child_by_field_name("body")
    if not within or body is None:
        return body
    for inner in body.named_children:
        name = inner.child_by_field_name("name") if inner.type == "class_definition" else None
        if name is not None and tree.code(name) == within:
            return inner.child_by_field_name("body")
    return None


def _edits(
    tree: SourceTree, body: Node, rewrite: ChangeClassBody, outside: dict[str, Node]
) -> Iterator[Edit]:
    given = outside | dict(_assignments(tree, body))
    gone: list[Node] = []
    for key, template in rewrite.attributes:
        if key.endswith("()"):
            yield from _renamed_method(tree, body, key.removesuffix("()"), template)
            continue
        attribute, _, only = (part.strip() for part in key.partition("="))
        statement = given.get(attribute)
        value = statement.named_children[0].child_by_field_name("right") if statement is not None else None
        if statement is None or value is None or (only and not same_code(only, tree.code(value))):
            continue
        target, _, expression = (part.strip() for part in template.partition("="))
        if target and target != attribute and target in given:
            continue  # it says so already
        if not template:
            gone.append(statement)
            continue
        filled = fill(as_python(expression), {"value": given_by(tree, value)}, use=value)
        if filled is not None:
            left = statement.named_children[0].child_by_field_name("left")
            owner = tree.code(left).removesuffix(attribute) if left is not None else ""
            yield Edit(statement.start_byte, statement.end_byte, f"{owner}{target} = {filled}")
    yield from _without(tree, body, gone)
    missing = [added for added in rewrite.adds if added.partition("=")[0].strip() not in given]
    # of `class Meta: model = User` the body has no lines of its own
    if (
        missing
        and body.parent is not None
        and tree.line(body.parent.start_byte) != tree.line(body.start_byte)
    ):
        yield _with(tree, body, missing)


def _renamed_method(tree: SourceTree, body: Node, old: str, new: str) -> Iterator[Edit]:
    """Another name for a method of the body, and where the body calls it of ``super()`` or an object.

    A body that has the new one already serves both releases.
    """
    methods = dict(_methods(tree, body))
    name = methods.get(old)
    if name is None or new in methods:
        return
    for node in tree.identifiers(old):
        outer = node.parent
        attribute = outer is not None and outer.type == "attribute" and outer.child_by_field_name("attribute")
        if node == name or (attribute == node and body.start_byte <= node.start_byte < body.end_byte):
            yield Edit(node.start_byte, node.end_byte, new)


def _methods(tree: SourceTree, body: Node) -> Iterator[tuple[str, Node]]:
    """The names of a class's methods, by what they are."""
    for statement in body.named_children:
        inner = statement.child_by_field_name("definition") or statement
        name = inner.child_by_field_name("name") if inner.type == "function_definition" else None
        if name is not None:
            yield tree.code(name), name


def _assignments(tree: SourceTree, body: Node) -> Iterator[tuple[str, Node]]:
    """The plain assignments of a class's body, by attribute."""
    for statement in body.named_children:
        inner = statement.named_child(0) if statement.type == "expression_statement" else None
        target = inner.child_by_field_name("left") if inner is not None else None
        plain = target is not None and target.type == "identifier" and statement.named_child_count == 1
        if inner is not None and inner.type == "assignment" and target is not None and plain:
            yield tree.code(target), statement


def _set_outside(tree: SourceTree, definition: Node) -> Iterator[tuple[str, Node]]:
    """What a file assigns to attributes of a class behind it, ``Command.name = value``, by attribute."""
    name = definition.child_by_field_name("name")
    for statement in tree.root.named_children if name is not None else ():
        inner = statement.named_child(0) if statement.type == "expression_statement" else None
        target = inner.child_by_field_name("left") if inner is not None else None
        if inner is None or inner.type != "assignment" or target is None or target.type != "attribute":
            continue
        owner, _, attribute = tree.code(target).rpartition(".")
        if name is not None and owner == tree.code(name):
            yield attribute, statement


def _without(tree: SourceTree, body: Node, gone: list[Node]) -> Iterator[Edit]:
    """Statements with their lines; ``pass`` in the place of the first where nothing else is left."""
    others = [child for child in body.named_children if child.type != "comment" and child not in gone]
    for number, statement in enumerate(gone):
        start, end = tree.line_start(statement.start_byte), tree.line_end(max(statement.end_byte - 1, 0))
        beside = tree.text[start : statement.start_byte] + tree.text[statement.end_byte : end].split("#")[0]
        if number == 0 and not others:
            yield Edit(statement.start_byte, statement.end_byte, "pass")
        elif not beside.strip():
            yield Edit(start, end, "")


def _with(tree: SourceTree, body: Node, added: list[str]) -> Edit:
    """Further assignments behind the last line of a body."""
    last = body.named_children[-1]
    indentation = tree.indentation(body.named_children[0].start_byte)
    first = tree.text[tree.line_start(body.start_byte) : tree.line_end(body.start_byte)]
    newline = first[len(first.rstrip("\r\n")) :] or "\n"
    start, end = tree.line_start(last.end_byte - 1), tree.line_end(last.end_byte - 1)
    behind = start + len(tree.text[start:end].rstrip("\r\n"))
    return Edit(behind, behind, "".join(f"{newline}{indentation}{one}" for one in added))
