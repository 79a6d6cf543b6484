"""Proposals for an argument that the failing call takes from a dictionary: ``Field(**options)``.

The call does not name the argument, and often not even the function; the error does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from tree_sitter import Node

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.rewrite import ChangeArgument, ChangeKey
from backdate.rewriting.source_tree import SourceTree, ancestors, source_tree
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal

_CONSTRUCTORS = ("__init__", "__new__")


def for_dictionary(proposal: Proposal, group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The same for the dictionaries that calls on the failing lines are given, and for what is handed on.

    None where the proposal is for something else, or no call there is given a dictionary.
    """
    rewrite, cause = proposal.rewrite, group.cause
    if not isinstance(rewrite, ChangeArgument):
        return None
    named = cause.kind is CauseKind.UNEXPECTED_ARGUMENT and rewrite.argument == cause.name
    value = "" if rewrite.value == "{value}" else rewrite.value
    if not named and not (value and rewrite.only_value):
        return None
    # a value is often refused elsewhere than where the object is made: in its `fit`
    made = evidence.uses.names.get(rewrite.function) if not named else None
    places = tuple(dict.fromkeys((*group.places, *(evidence.executed_of(made.places) if made else ()))))
    splats = tuple(_splats(places, evidence))
    if not splats and made:  # a table has the class and what it is given, which another line hands over
        places = tuple(_executed_stars(dict.fromkeys(place.file for place in made.places), evidence))
        splats = tuple(_splats(places, evidence))
    files = {place.file for place in places} - evidence.kept_files
    texts = (text for file in files if "**" in (text := evidence.texts.get(file, "")))
    if not splats or not all(_can_be_written(value, text) for text in texts):
        return None
    through = sorted({name for tree, splat in splats for name in _handing_on(tree, splat)})
    changed = ChangeKey(
        argument=rewrite.argument,
        new=rewrite.new,
        value=value,
        only_value=rewrite.only_value,
        through=tuple(through),
    )
    return replace(proposal, rewrite=changed, places=places)


def _can_be_written(value: str, text: str) -> bool:
    """Whether a file has all that a value names: it imports the modules under their own names."""
    try:
        parsed = ast.parse(value.replace("{value}", "0"), mode="eval") if value else None
    except SyntaxError:
        return False
    named = {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)} if parsed else set()
    tree = parsed_or_none(text) if named else None
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import)) if tree is not None else ()
    return named <= {alias.name for node in imports for alias in node.names if alias.asname is None}


def _splats(places: Iterable[SourcePlace], evidence: FixEvidence) -> Iterator[tuple[SourceTree, Node]]:
    """What calls on lines are given as ``**``."""
    for place in places:
        text = evidence.texts.get(place.file, "")
        if "**" not in text:
            continue
        tree = source_tree(text)
        for node in nodes_on(tree, frozenset({place.line})) if tree.is_python else ():
            parent = node.parent
            if parent is None or parent.type != "dictionary_splat" or parent.parent is None:
                continue
            if parent.parent.type == "argument_list":
                yield tree, node


def _executed_stars(files: Iterable[str], evidence: FixEvidence) -> Iterator[SourcePlace]:
    """The executed lines of some files that have two stars in them."""
    for file in files:
        lines = evidence.texts.get(file, "").split("\n")
        for number in sorted((evidence.executed or {}).get(file, ())):
            if number <= len(lines) and "**" in lines[number - 1]:
                yield SourcePlace(file=file, line=number)


def _handing_on(tree: SourceTree, splat: Node) -> Iterator[str]:
    """The names by which the function is called whose own ``**`` parameter is handed on."""
    function = next((one for one in ancestors(splat) if one.type == "function_definition"), None)
    parameters = function.child_by_field_name("parameters") if function is not None else None
    name = function.child_by_field_name("name") if function is not None else None
    if function is None or parameters is None or name is None:
        return
    own = [one for one in parameters.named_children if one.type == "dictionary_splat_pattern"]
    if not any(tree.code(one).lstrip("* ") == tree.code(splat) for one in own):
        return
    yield tree.code(name)
    outer = next((one for one in ancestors(function) if one.type == "class_definition"), None)
    of_class = outer.child_by_field_name("name") if outer is not None else None
    if of_class is not None and tree.code(name) in _CONSTRUCTORS:
        yield tree.code(of_class)
