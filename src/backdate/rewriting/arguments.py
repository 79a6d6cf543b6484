"""Changing what calls of a function are given: renamed, dropped, added and named arguments."""

from __future__ import annotations

import re
from collections.abc import Callable

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.argument_edits import (
    append_argument,
    argument_name,
    argument_value,
    keyword_of,
    quoted_alike,
    remove_argument,
    same_code,
    value_made_of,
)
from backdate.rewriting.bound_values import values_bound_to
from backdate.rewriting.calls import FunctionCall, calls_of
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.known_keys import may_be_given
from backdate.rewriting.names import SourceNames
from backdate.rewriting.own_keywords import hands_on_own, set_own_keyword
from backdate.rewriting.rewrite import AddArgument, ChangeArgument, NamePositional
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree
from backdate.rewriting.spelling import spell_expression

Change = Callable[[FunctionCall], list[Edit] | LeftAloneReason | None]
"""The edits of a call, why it is left alone, or None where it is not concerned."""
_LONGEST_CODE = 200
"""Of an argument's code that a row's regular expression reads."""
_ITEMS_OF = frozenset({"argument_list", "list", "tuple", "list_comprehension", "generator_expression"})
"""Within which an expression is an item of what a call is given."""


def change_argument(
    tree: SourceTree, rewrite: ChangeArgument, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that rename, replace or drop a keyword argument, or drop one that is given by position."""
    names, imports = SourceNames(tree), ImportEdits(tree)

    def change(call: FunctionCall) -> list[Edit] | LeftAloneReason | None:
        argument = keyword_of(tree, call, rewrite.argument)
        if argument is None and rewrite.position is not None and not rewrite.new and not call.has_splat:
            last = call.positional[rewrite.position :]
            return [remove_argument(tree, call, last[0])] if len(last) == 1 else None
        if argument is None:
            has_more = any(a.type == "dictionary_splat" for a in call.given)
            return LeftAloneReason.ARGUMENTS if has_more else None
        if not all(_gives(tree, call, name, pattern) for name, pattern in rewrite.beside):
            return None
        value = argument_value(argument)
        code = tree.code(value)
        if rewrite.only_value and not same_code(code, rewrite.only_value):
            bound = values_bound_to(tree, value, rewrite.only_value) if _is_of_value(rewrite) else []
            return [
                Edit(one.start_byte, one.end_byte, quoted_alike(rewrite.value, tree.code(one)))
                for one in bound
            ] or None
        if not rewrite.new:
            return [remove_argument(tree, call, argument)]
        other = keyword_of(tree, call, rewrite.new) if rewrite.new != rewrite.argument else None
        if other is not None and not rewrite.value and tree.code(argument_value(other)) == code:
            return [remove_argument(tree, call, argument)]
        if other is not None:
            return LeftAloneReason.ARGUMENTS
        edits = []
        if rewrite.new != rewrite.argument:
            edits.append(Edit(argument.start_byte, argument.start_byte + len(rewrite.argument), rewrite.new))
        if rewrite.value and rewrite.value != "{value}":
            text = spell_expression(names, imports, rewrite.value, call.node)
            if text is None:
                return LeftAloneReason.SHADOWED
            first = _only_item(tree, value)
            if first is not None:
                text = text.replace("{value}[0]", first)
            text = value_made_of(text, code)
            edits.append(Edit(value.start_byte, value.end_byte, text))
        return edits

    return _changed_calls(names, imports, rewrite.function, lines, change)


def _gives(tree: SourceTree, call: FunctionCall, name: str, pattern: str) -> bool:
    """Whether a call gives an argument, by name or position, as code that the regular expression matches."""
    if name.isdecimal():
        given = call.positional[int(name)] if int(name) < len(call.positional) else None
    else:
        keyword = keyword_of(tree, call, name)
        given = argument_value(keyword) if keyword is not None else None
    return given is not None and re.fullmatch(pattern, tree.code(given)[:_LONGEST_CODE]) is not None


def _is_of_value(rewrite: ChangeArgument) -> bool:
    """Whether it is another plain value alone, which can be written wherever the old one is."""
    is_plain = re.fullmatch(r"[-\w.]+|'[^'\\\n]*'|\"[^\"\\\n]*\"", rewrite.value) is not None
    return rewrite.new == rewrite.argument and is_plain


def _only_item(tree: SourceTree, value: Node) -> str | None:
    """The item of a list or tuple that is written with this one alone."""
    items = [item for item in value.named_children if item.type != "comment"]
    if value.type not in ("list", "tuple") or len(items) != 1 or items[0].type == "list_splat":
        return None
    return tree.code(items[0])


def add_argument(tree: SourceTree, rewrite: AddArgument, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that give calls a keyword argument which they do not give yet."""
    names, imports = SourceNames(tree), ImportEdits(tree)
    given_to = {call.arguments.start_byte for call in calls_of(names, rewrite.function)}

    def change(call: FunctionCall) -> list[Edit] | LeftAloneReason | None:
        if keyword_of(tree, call, rewrite.argument) is not None or _is_given_to(call.node, given_to):
            return None
        if rewrite.position is not None and len(call.positional) > rewrite.position:
            return None
        if not all(_gives(tree, call, name, pattern) for name, pattern in rewrite.beside):
            return None
        handed_on = may_be_given(names, call, rewrite.argument)
        if handed_on and not hands_on_own(tree, names, call, rewrite.argument):
            return LeftAloneReason.ARGUMENTS
        text = spell_expression(names, imports, rewrite.value, call.node)
        if text is None:
            return LeftAloneReason.SHADOWED
        if handed_on:
            return [set_own_keyword(tree, call, rewrite.argument, text)]
        return [append_argument(tree, call, f"{rewrite.argument}={text}")]

    return _changed_calls(names, imports, rewrite.function, lines, change)


def _is_given_to(node: Node, arguments: set[int]) -> bool:
    """Whether a call is an item of what one of ``arguments``, by their offsets, gives: the outer call is the
    one that has to be told what its items are."""
    parent = node.parent
    while parent is not None and parent.type in _ITEMS_OF:
        if parent.start_byte in arguments:
            return True
        parent = parent.parent
    return False


def name_positional(
    tree: SourceTree, rewrite: NamePositional, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that give arguments by keyword which calls give by position."""
    names = SourceNames(tree)

    def change(call: FunctionCall) -> list[Edit] | LeftAloneReason | None:
        positional = call.positional
        first = next((i for i, name in enumerate(rewrite.names) if name), len(rewrite.names))
        if len(positional) <= first and not call.has_splat:
            return None
        named = rewrite.names[first : len(positional)]
        if call.has_splat or len(positional) > len(rewrite.names) or not all(named):
            return LeftAloneReason.ARGUMENTS
        if call.arguments.type == "generator_expression":
            return LeftAloneReason.ARGUMENTS
        given = {argument_name(tree, argument) for argument in call.given}
        if given & set(named):
            return LeftAloneReason.ARGUMENTS
        return [
            Edit(argument.start_byte, argument.start_byte, f"{name}=")
            for argument, name in zip(positional[first:], named, strict=True)
        ]

    return _changed_calls(names, ImportEdits(tree), rewrite.function, lines, change)


def _changed_calls(
    names: SourceNames, imports: ImportEdits, function: str, lines: frozenset[int] | None, change: Change
) -> RewrittenSource:
    """``change`` for every call of ``function`` on ``lines``; of any object's methods on named lines."""
    tree = names.tree
    edits: list[Edit] = []
    changed: list[int] = []
    left: list[LeftAlone] = []
    if lines is None and (not function or function.startswith(".")):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    for call in calls_of(names, function):
        if lines is not None and lines.isdisjoint(tree.statement_lines(call.node)):
            continue
        made = change(call)
        if isinstance(made, LeftAloneReason):
            left.append(LeftAlone(reason=made, line=tree.line(call.node.start_byte)))
        elif made:
            edits += made
            changed.append(tree.line(made[0].start))
    return RewrittenSource(
        edits=tuple(sorted({*edits, *imports.edits()})), lines=tuple(sorted(set(changed))), left=tuple(left)
    )
