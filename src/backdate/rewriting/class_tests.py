"""Classes that ``isinstance`` is asked about: another test than for the class that takes their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from backdate.rewriting.calls import FunctionCall, call_at, mentions
from backdate.rewriting.names import SourceNames

_FUNCTION = "isinstance"


def class_tests_of(names: SourceNames, class_name: str) -> Iterator[FunctionCall]:
    """The calls of ``isinstance`` with a class, alone or in a tuple: given the object, named by the class."""
    for chain in mentions(names, class_name):
        holder = _tuple_around(chain) or chain
        arguments = holder.parent
        call = call_at(arguments.parent) if arguments is not None and arguments.parent is not None else None
        if call is None or names.dotted(chain).dotted != class_name:
            continue
        is_builtin = names.tree.code(call.function) == _FUNCTION and not names.bindings(_FUNCTION)
        if is_builtin and len(call.positional) == len(call.given) == 2 and call.given[1] == holder:
            yield replace(call, function=chain, given=call.given[:1])


def other_classes(names: SourceNames, chain: Node) -> str:
    """The code of the classes that the tuple around one holds besides; "" where it is alone."""
    holder = _tuple_around(chain)
    others = [names.tree.code(node) for node in holder.named_children if node != chain] if holder else []
    return f"({', '.join(others)})" if len(others) > 1 else "".join(others)


def _tuple_around(chain: Node) -> Node | None:
    return chain.parent if chain.parent is not None and chain.parent.type == "tuple" else None
