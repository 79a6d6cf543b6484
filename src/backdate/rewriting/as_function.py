"""A function that is handed on and not called: what its calls become, as a function of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from backdate.rewriting.calls import FunctionCall, call_at, is_of_module, mentions
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.source_tree import is_field
from backdate.rewriting.template import Given, placeholders_of

_NAMES = ("x", "y", "z")
_CALLED_WITH_ALL = re.compile(r"[A-Za-z_][\w.]*\((?:\{0\}|\{args\}|\{0\}, \{args\})\)")
_FORWARDS = re.compile(r"([A-Za-z_][\w.]*)\(\{args\}\)")
PARTIAL = "functools.partial"
_NOTHING = Given(code="x", is_primary=True)
_VALUE_OF = frozenset({"keyword_argument", "default_parameter", "typed_default_parameter", "pair"})
_HOLDS = frozenset({"argument_list", "list", "tuple", "return_statement", "lambda", "conditional_expression"})
_NOT_HANDED_ON = frozenset(
    {"isinstance", "issubclass", "hasattr", "getattr", "partial", "functools.partial", "super", "type", "id"}
)
"""Calls that ask what a function is, or that stand for its call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfTemplate:
    """The parameters with which a template is a function, and what they give it."""

    parameters: str
    """"" where the template calls a function with just these: then it is that function."""
    given: Mapping[str, Given]

    def around(self, code: str, use: Node) -> str:
        """The function that gives what ``code`` is, in the place of ``use``."""
        if not self.parameters:
            return code.partition("(")[0]
        made = f"lambda {self.parameters}: {code}"
        is_choice = use.parent is not None and use.parent.type == "conditional_expression"
        return f"({made})" if is_choice else made


def function_of(rewrite: ReplaceUse, expression: str) -> FunctionOfTemplate | None:
    """How the template of a call is a function; None where more than positional arguments counts.

    The key of a call of an item, ``{key}``, is not among what it gives.
    """
    only_of_calls = (rewrite.context, rewrite.assigns, rewrite.only, rewrite.begins, rewrite.defaults)
    of_other_uses = (rewrite.unpacked, rewrite.alone, rewrite.tested, rewrite.drops_arguments)
    if not rewrite.called or any(only_of_calls) or any(of_other_uses):
        return None
    if _CALLED_WITH_ALL.fullmatch(expression):
        return FunctionOfTemplate(parameters="", given={"0": _NOTHING, "args": _NOTHING})
    if rewrite.target.startswith(".") or rewrite.target in expression:
        return None  # a type that is given to convert by is no function there
    wanted = dict.fromkeys(placeholders_of(expression))
    numbers = [name for name in wanted if name not in ("args", *(("key",) if rewrite.keyed else ()))]
    if not wanted or sorted(numbers) != [str(number) for number in range(len(numbers))]:
        return None
    if len(numbers) > len(_NAMES):
        return None
    names = _NAMES[: len(numbers)]
    given = {str(n): Given(code=name, is_primary=True) for n, name in enumerate(names)}
    rest = ("*args", "**kwargs") if "args" in wanted else ()
    if rest:
        given["args"] = Given(code=", ".join(rest), is_primary=True)
    return FunctionOfTemplate(parameters=", ".join((*names, *rest)), given=given)


def handed_on(names: SourceNames, function: str, *, keyed: bool = False) -> Iterator[tuple[Node, Node]]:
    """Where the function is a value: an argument, a default, an item, what is assigned or returned.

    Each node, and the name in it: with ``keyed`` an item of the name is the function.
    """
    for chain in mentions(names, function):
        if function.startswith("."):
            if chain.type != "attribute" or is_of_module(names, chain):
                continue
        elif names.dotted(chain).dotted != function:
            continue
        node: Node | None = chain
        if keyed:
            item = chain.parent
            is_item = item is not None and item.type == "subscript" and is_field(item, "value", chain)
            node = item if is_item else None
        if node is not None and _is_value(names, node):
            yield node, chain


def _is_value(names: SourceNames, chain: Node) -> bool:
    parent = chain.parent
    if parent is None:
        return False
    if parent.type in _VALUE_OF:
        outer = parent.parent.parent if parent.parent is not None else None
        return is_field(parent, "value", chain) and not _asks_what_it_is(names, outer)
    if parent.type == "assignment":
        return is_field(parent, "right", chain)
    return parent.type in _HOLDS and not _asks_what_it_is(names, parent.parent)


def _asks_what_it_is(names: SourceNames, outer: Node | None) -> bool:
    called = outer.child_by_field_name("function") if outer is not None and outer.type == "call" else None
    if called is None:  # a class may have it as a base
        return outer is not None and outer.type == "class_definition"
    return names.tree.code(called) in _NOT_HANDED_ON or names.dotted(called).dotted in _NOT_HANDED_ON


def partial_of(names: SourceNames, call: FunctionCall, template: str) -> str:
    """What takes the place of ``functools.partial(function, …)`` where ``template`` calls another function
    with all that is given; "" for another call, and for other templates."""
    forwards = _FORWARDS.fullmatch(template)
    if forwards is None or call.is_whole or names.dotted(call.function).dotted != PARTIAL:
        return ""
    return f"{PARTIAL}({forwards[1]}, {{args}})"


def without_partial(expression: str, given: Mapping[str, Given]) -> str:
    """``expression``, or the function alone where it is a partial of it that gives nothing."""
    found = re.fullmatch(rf"{re.escape(PARTIAL)}\(([\w.]+), \{{args\}}\)", expression)
    return found[1] if found is not None and "args" in given and not given["args"].code else expression


def is_in_partial(names: SourceNames, chain: Node, template: str) -> bool:
    """Whether a use stands in a call of ``functools.partial``, and ``template`` puts another one around."""
    outer = chain.parent.parent if chain.parent is not None else None
    call = call_at(outer) if outer is not None else None
    if call is None or not template.startswith(f"{PARTIAL}("):
        return False
    return names.dotted(call.function).dotted == PARTIAL
