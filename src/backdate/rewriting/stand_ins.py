"""Functions of a file that are put in the place of a library's: ``library.module.render = my_render``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.rewrite import FollowSignature
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, ancestors, is_field, source_tree

_ASSIGNED = re.compile(
    r"^[ \t]*(?P<target>[A-Za-z_][\w.]{0,200}\.\w{1,100})[ \t]*="
    r"[ \t]*(?P<value>[A-Za-z_]\w{0,100})[ \t]*(?:#|$)",
    re.MULTILINE,
)
_MOST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """One such assignment."""

    library: str
    """The dotted name that is assigned to."""
    function: str
    """The file's own function."""
    parameters: tuple[str, ...]
    """Of the function, all by position."""
    line: int
    """Of the assignment."""
    defined: int
    """The line of the function's ``def``."""


def stand_ins(text: str) -> Iterator[StandIn]:
    """The assignments of a file that put a function of its outermost level in the place of a library's."""
    matches = [match for _, match in zip(range(_MOST), _ASSIGNED.finditer(text), strict=False)]
    if not matches:
        return
    tree = source_tree(text)
    names = SourceNames(tree)
    for match in matches:
        target = _expression(tree, *match.span("target"))
        function = _function(tree, names, match["value"])
        parameters = _parameters(tree, function) if function is not None else None
        if target is None or function is None or parameters is None:
            continue
        meaning = names.dotted(target)
        if meaning.binding is not None and "." in meaning.dotted and not meaning.dotted.startswith("."):
            yield StandIn(
                library=meaning.dotted,
                function=match["value"],
                parameters=parameters,
                line=tree.line(match.start("target")),
                defined=tree.line(function.start_byte),
            )


def follow_signature(
    tree: SourceTree, rewrite: FollowSignature, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edit that gives a function of the file its parameters in the order in which it is called now.

    A function that the file calls itself is left alone, and one that uses a parameter that goes.
    """
    names = SourceNames(tree)
    function = _function(tree, names, rewrite.function)
    line = tree.line(function.start_byte) if function is not None else 0
    if function is None or (lines is not None and line not in lines):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    parameters = function.child_by_field_name("parameters")
    body = function.child_by_field_name("body")
    had = _parameters(tree, function)
    if parameters is None or body is None or had is None or _is_called(tree, rewrite.function):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line),))
    gone = [name for name in had if name not in rewrite.parameters]
    if any(body.start_byte <= use.start_byte < body.end_byte for n in gone for use in tree.identifiers(n)):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line),))
    first, last = parameters.named_children[0], parameters.named_children[-1]
    text = ", ".join(rewrite.parameters)
    if had == rewrite.parameters:
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    return RewrittenSource(edits=(Edit(first.start_byte, last.end_byte, text),), lines=(line,))


def _expression(tree: SourceTree, start: int, end: int) -> Node | None:
    """The attribute with exactly that span that is assigned to."""
    node = tree.root.descendant_for_byte_range(start, end)
    if node is None or node.type != "attribute" or (node.start_byte, node.end_byte) != (start, end):
        return None
    parent = node.parent
    is_target = parent is not None and parent.type == "assignment" and is_field(parent, "left", node)
    return node if is_target else None


def _function(tree: SourceTree, names: SourceNames, name: str) -> Node | None:
    """The only thing in the file that the name is: a function of the outermost level, not decorated."""
    bindings = names.bindings(name)
    definition = bindings[0].node.parent if len(bindings) == 1 else None
    if definition is None or definition.type != "function_definition" or definition.parent != tree.root:
        return None
    return definition


def _parameters(tree: SourceTree, function: Node) -> tuple[str, ...] | None:
    """The names of a function's parameters; None where one is more than a name, or there are none."""
    parameters = function.child_by_field_name("parameters")
    given = parameters.named_children if parameters is not None else []
    if not given or any(one.type != "identifier" for one in given):
        return None
    return tuple(tree.code(one) for one in given)


def _is_called(tree: SourceTree, name: str) -> bool:
    uses = [use for use in tree.identifiers(name) if is_use(use)]
    calls = (next(iter(ancestors(use)), None) for use in uses)
    return any(
        outer is not None and outer.type == "call" and is_field(outer, "function", use)
        for use, outer in zip(uses, calls, strict=True)
    )
