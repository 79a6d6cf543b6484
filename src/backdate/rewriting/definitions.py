"""Functions that a library calls: parameters that it gives them now, or gives them no more."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.class_rewrites import ChangeParameter
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree

_OBJECTS = frozenset({"self", "cls"})
_STARRED = frozenset({"list_splat_pattern", "dictionary_splat_pattern", "keyword_separator"})
_NAMED = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})


def change_parameter(
    tree: SourceTree, rewrite: ChangeParameter, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits for functions whose decorator, or whose class's bases, name ``rewrite.of`` on ``lines``."""
    names = SourceNames(tree)
    edits: set[Edit] = set()
    left: list[LeftAlone] = []
    for of, named, function in _functions(tree, names, rewrite):
        line = tree.line(named.start_byte)
        if lines is not None and lines.isdisjoint(_lines_of(tree, named, function)):
            continue
        if is_guarded(tree, named, of, "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        parameters = function.child_by_field_name("parameters")
        made = _changed(tree, function, parameters, rewrite) if parameters is not None else None
        if made is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
        else:
            edits |= set(made)
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed), left=tuple(left))


def _functions(
    tree: SourceTree, names: SourceNames, rewrite: ChangeParameter
) -> Iterator[tuple[str, Node, Node]]:
    """Which of ``of`` it is, what names it, and each function that it is about."""
    for of, chain in mentions_of(names, rewrite.of):
        outer = chain.parent
        if rewrite.methods:
            if outer is not None and outer.type == "argument_list" and outer.parent is not None:
                yield from ((of, chain, one) for one in _methods(tree, outer.parent, rewrite.methods))
            continue
        if outer is not None and outer.type == "call":
            outer = outer.parent
        if outer is not None and outer.type == "decorator" and outer.parent is not None:
            function = outer.parent.child_by_field_name("definition")
            if function is not None and function.type == "function_definition":
                yield of, chain, function


def mentions_of(names: SourceNames, of: Sequence[str]) -> Iterator[tuple[str, Node]]:
    """Every name or attribute that stands for one of some dotted names, and which of them it is.

    After a dot it is an attribute of whatever object: ``@jwt.token_in_blocklist_loader``.
    """
    leaves = {one.rpartition(".")[2] for one in of}
    leaves |= {imported.local for imported in names.imported() if imported.dotted in of}
    for leaf in sorted(leaves):
        for identifier in names.tree.identifiers(leaf):
            chain = identifier
            while chain.parent is not None and chain.parent.type == "attribute":
                chain = chain.parent
            meaning = names.dotted(chain)
            if meaning.dotted in of and not meaning.shadowed:
                yield meaning.dotted, chain
            elif f".{leaf}" in of and names.tree.code(chain).endswith(f".{leaf}"):
                yield f".{leaf}", chain


def _methods(tree: SourceTree, definition: Node, methods: Collection[str]) -> Iterator[Node]:
    """The methods of these names, where ``definition`` is a class."""
    body = definition.child_by_field_name("body") if definition.type == "class_definition" else None
    for one in body.named_children if body is not None else ():
        inner = one.child_by_field_name("definition") if one.type == "decorated_definition" else one
        name = inner.child_by_field_name("name") if inner is not None else None
        is_function = inner is not None and inner.type == "function_definition"
        if inner is not None and is_function and name is not None and tree.code(name) in methods:
            yield inner


def _lines_of(tree: SourceTree, named: Node, function: Node) -> range:
    """From what names the decorator or the class to the end of the function."""
    return range(tree.line(named.start_byte), tree.line(function.end_byte) + 1)


def _changed(
    tree: SourceTree, function: Node, parameters: Node, rewrite: ChangeParameter
) -> list[Edit] | None:
    """The edits of one definition; None where it does not have what goes, has what comes, or needs it."""
    given = [one for one in parameters.named_children if one.type != "comment"]
    named = {_name(tree, one): one for one in given}
    if rewrite.drops:
        dropped = named.get(rewrite.drops)
        body = function.child_by_field_name("body")
        if dropped is None or body is None or _uses(tree, body, rewrite.drops):
            return None
        return [_without(given, dropped)]
    bare = rewrite.adds.partition("=")[0].lstrip("*")
    splats = [one for one in given if one.type == "dictionary_splat_pattern"]
    if splats or bare in named:
        return None
    return [_with(tree, parameters, given, rewrite.adds)]


def _with(tree: SourceTree, parameters: Node, given: list[Node], added: str) -> Edit:
    """A parameter with a default goes before those with stars, another one behind the object."""
    starred = next((one for one in given if one.type in _STARRED), None)
    if "=" in added and starred is not None:
        return Edit(starred.start_byte, starred.start_byte, f"{added}, ")
    if "=" not in added and not added.startswith("*"):
        objects = [one for one in given[:1] if tree.code(one) in _OBJECTS]
        behind = given[len(objects) :]
        if behind:
            return Edit(behind[0].start_byte, behind[0].start_byte, f"{added}, ")
    if not given:
        return Edit(parameters.start_byte + 1, parameters.start_byte + 1, added)
    end = given[-1].end_byte
    return Edit(end, end, f", {added}")


def _without(given: list[Node], dropped: Node) -> Edit:
    position = given.index(dropped)
    if position:
        return Edit(given[position - 1].end_byte, dropped.end_byte, "")
    end = given[1].start_byte if len(given) > 1 else dropped.end_byte
    return Edit(dropped.start_byte, end, "")


def _name(tree: SourceTree, parameter: Node) -> str:
    if parameter.type in _NAMED:
        inner = parameter.child_by_field_name("name") or next(iter(parameter.named_children), parameter)
        return tree.code(inner).lstrip("*")
    return tree.code(parameter).lstrip("*")


def _uses(tree: SourceTree, body: Node, name: str) -> bool:
    return any(body.start_byte <= one.start_byte < body.end_byte for one in tree.identifiers(name))
