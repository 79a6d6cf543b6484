"""Calls of a function in a file: those of a dotted name, of a method of any object, of a base class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.source_tree import ancestors, is_field


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """One call."""

    node: Node
    function: Node
    """The name or attribute that is called."""
    arguments: Node
    """The ``argument_list``, its parentheses included; of ``f(x for x in y)`` the generator expression."""
    given: tuple[Node, ...]
    """The arguments, without comments."""
    is_whole: bool = True
    """Whether ``given`` are all: not so of ``partial(function, …)`` and ``Base.__init__(self, …)``."""

    @property
    def positional(self) -> tuple[Node, ...]:
        """Those by position; ``*args`` is one."""
        return tuple(a for a in self.given if a.type not in ("keyword_argument", "dictionary_splat"))

    @property
    def has_splat(self) -> bool:
        """Whether ``*args`` or ``**kwargs`` may give anything."""
        return any(a.type in ("list_splat", "dictionary_splat") for a in self.given)

    @property
    def has_loose_comment(self) -> bool:
        """Whether a comment stands between the arguments: it has no place in what follows."""
        return any(child.type == "comment" for child in self.arguments.children)


def calls_of(names: SourceNames, function: str) -> Iterator[FunctionCall]:
    """The calls of ``function`` in the file, in their order.

    ".name" is the method of any object but a module, and "" whatever is called. Of a class its constructor,
    ``super().__init__`` and ``Class.__init__`` in classes made from it, and
    ``functools.partial(function, …)`` count as calls.
    """
    if not function:
        yield from filter(None, map(call_at, _call_nodes(names.tree.root)))
        return
    any_object = function.startswith(".")
    found: dict[tuple[int, int], FunctionCall] = {}
    for chain in mentions(names, function):
        if any_object:
            if chain.type != "attribute" or is_of_module(names, chain):
                continue
        elif names.dotted(chain).dotted != function:
            continue
        for call in _calls_through(names, chain):
            found[call.node.start_byte, call.node.end_byte] = call
    yield from (found[place] for place in sorted(found))


def _call_nodes(root: Node) -> Iterator[Node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "call":
            yield node
        waiting += reversed(node.named_children)


def call_at(node: Node, *, skip: int = 0) -> FunctionCall | None:
    """A ``call`` node as a FunctionCall, without its first ``skip`` arguments; None for what is no call."""
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if node.type != "call" or function is None or arguments is None:
        return None
    if arguments.type == "generator_expression":
        return FunctionCall(node=node, function=function, arguments=arguments, given=(arguments,))
    given = tuple(child for child in arguments.named_children if child.type != "comment")
    return FunctionCall(
        node=node, function=function, arguments=arguments, given=given[skip:], is_whole=not skip
    )


def is_of_module(names: SourceNames, chain: Node) -> bool:
    """Whether an attribute is one of a module that is imported as a whole."""
    inner = chain.child_by_field_name("object")
    binding = names.dotted(inner).binding if inner is not None and inner.type == "identifier" else None
    imported = binding.imported if binding is not None else None
    return imported is not None and imported.statement.type == "import_statement"


def mentions(names: SourceNames, function: str) -> Iterator[Node]:
    """The names and attributes that may be the function."""
    leaf = function.rpartition(".")[2]
    words = {leaf}
    if not function.startswith("."):
        words |= {i.local for i in names.imported() if i.dotted == function}
    for word in sorted(words):
        for node in names.tree.identifiers(word):
            parent = node.parent
            if parent is not None and parent.type == "attribute" and is_field(parent, "attribute", node):
                yield parent
            elif is_use(node):
                yield node


def _calls_through(names: SourceNames, chain: Node) -> Iterator[FunctionCall]:
    """The calls that one mention of a function or a class leads to."""
    parent = chain.parent
    if parent is None:
        return
    if parent.type == "call" and is_field(parent, "function", chain):
        call = call_at(parent)
        if call is not None:
            yield call
    elif parent.type == "argument_list" and parent.parent is not None:
        outer = parent.parent
        if outer.type == "class_definition":
            yield from _constructor_calls(names, outer, chain)
        elif outer.type == "call" and chain == parent.named_child(0):
            function = outer.child_by_field_name("function")
            call = call_at(outer, skip=1)
            if call and function and names.dotted(function).dotted == "functools.partial":
                yield call


def _constructor_calls(names: SourceNames, definition: Node, base: Node) -> Iterator[FunctionCall]:
    """``super().__init__(…)`` and ``Base.__init__(self, …)`` in a class made from ``base``."""
    text = names.tree.code(base)
    for node in names.tree.identifiers("__init__"):
        attribute = node.parent
        if attribute is None or attribute.parent is None or attribute.type != "attribute":
            continue
        owner = attribute.child_by_field_name("object")
        if owner is None or not definition.start_byte < node.start_byte < definition.end_byte:
            continue
        own_class = next((a for a in ancestors(node) if a.type == "class_definition"), None)
        if own_class != definition:
            continue
        code = names.tree.code(owner)
        if code.startswith("super(") or code == text:
            call = call_at(attribute.parent, skip=int(code == text))
            if call is not None:
                yield call
