"""Keyword arguments that a call takes from a dictionary: ``options["missing"] = 0``, ``Field(**options)``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.argument_edits import (
    argument_value,
    keyword_of,
    remove_argument,
    same_code,
    value_made_of,
)
from backdate.rewriting.calls import FunctionCall, call_at
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ChangeKey
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, ancestors, is_field

_METHODS = ("get", "setdefault", "pop")
"""Of dictionaries; their first argument is a key."""
_MAKERS = ("dict", "collections.OrderedDict")
_SEVERAL = ("parenthesized_expression", "conditional_expression", "boolean_operator", "binary_operator")
"""An expression of these may hold the dictionary that a name is given."""
_SCOPES = ("function_definition", "class_definition", "module")
_FEW_DISPLAYS = 4
"""Lines with the key: of more of them it may mean other things."""
_DROPPED = LeftAloneReason.ARGUMENTS


def change_key(tree: SourceTree, rewrite: ChangeKey, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that change or leave out a key of the dictionaries which calls on ``lines`` are given as
    ``**``, wherever the same function, class or module writes or reads it, and the keyword of calls on
    ``lines`` of functions that hand their arguments on. Where a call is given what is taken out of something
    else, ``TABLE[name]``, the few dictionaries that the file writes out with the key are meant."""
    finder = _DictionaryKeys(tree, rewrite)
    edits: dict[Edit, None] = {}
    calls = map(call_at, nodes_on(tree, lines or frozenset()))
    for call in filter(None, calls):
        if _leaf(tree, call) in rewrite.through:
            edits.update(dict.fromkeys(finder.of_keyword(call)))
        for argument in call.given:
            value = argument.named_child(0) if argument.type == "dictionary_splat" else None
            if value is not None:
                of_it = tuple(finder.of_value(value))
                taken_out = not of_it and finder.is_taken_out(value)
                edits.update(dict.fromkeys(finder.of_any_display() if taken_out else of_it))
    if not edits or finder.stuck:
        reason = _DROPPED if finder.stuck else LeftAloneReason.NOT_THERE
        return RewrittenSource(left=(LeftAlone(reason=reason),))
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed))


class _DictionaryKeys:
    """The places where one key is written or read."""

    def __init__(self, tree: SourceTree, rewrite: ChangeKey) -> None:
        self._tree, self._rewrite = tree, rewrite
        self._names = SourceNames(tree)
        self._seen: set[tuple[str, int]] = set()
        self.stuck = False
        """Whether a use cannot be left out, so that the others have to stay."""

    def of_value(self, value: Node) -> Iterator[Edit]:
        """The edits of an expression that gives a dictionary."""
        if value.type == "dictionary":
            yield from self._of_display(value)
        elif value.type == "call":
            call = call_at(value)
            if call is not None and self._tree.code(call.function) in _MAKERS:
                yield from self.of_keyword(call)
                for argument in call.given:
                    inner = argument.named_child(0) if argument.type == "dictionary_splat" else argument
                    if inner is not None and argument.type != "keyword_argument":
                        yield from self.of_value(inner)
        elif value.type in _SEVERAL:
            for part in value.named_children:
                yield from self.of_value(part)
        elif value.type in ("identifier", "attribute"):
            yield from self._of_name(value)

    def is_taken_out(self, value: Node) -> bool:
        """Whether a value is an item of something: itself, or by how its name is bound."""
        if value.type == "subscript":
            return True
        if value.type != "identifier":
            return False
        for node in self._tree.identifiers(self._tree.code(value)):
            holder = node.parent
            of_several = holder is not None and holder.type in ("pattern_list", "tuple_pattern")
            bound = holder if holder is not None and not of_several else getattr(holder, "parent", None)
            if bound is None or bound.type not in ("assignment", "for_statement"):
                continue
            left = node if not of_several else holder
            right = bound.child_by_field_name("right")
            is_item = bound.type == "for_statement" or (right is not None and right.type == "subscript")
            if is_item and left is not None and is_field(bound, "left", left):
                return True
        return False

    def of_any_display(self) -> Iterator[Edit]:
        """The edits of all dictionaries in the file that are written out with the key; none of many."""
        found = [edit for node in _displays(self._tree) for edit in self.of_value(node)]
        keys = {self._tree.line(edit.start) for edit in found}
        if len(keys) <= _FEW_DISPLAYS:
            yield from found

    def of_keyword(self, call: FunctionCall) -> Iterator[Edit]:
        """The edits of a call that gives the argument by its name."""
        old, new = self._rewrite.argument, self._rewrite.new
        argument = keyword_of(self._tree, call, old)
        if argument is None or not self._fits(argument_value(argument)):
            return
        if new not in ("", old) and keyword_of(self._tree, call, new) is not None:
            self.stuck = True
        elif new:
            if new != old:
                yield Edit(argument.start_byte, argument.start_byte + len(old), new)
            yield from self._revalued(argument_value(argument))
        else:
            yield remove_argument(self._tree, call, argument)

    def _fits(self, value: Node | None) -> bool:
        """Whether the key changes where it is given ``value``; None where nobody sees what it is given."""
        wanted = self._rewrite.only_value
        return not wanted or (value is not None and same_code(self._tree.code(value), wanted))

    def _revalued(self, value: Node | None) -> Iterator[Edit]:
        if value is not None and self._rewrite.value:
            text = value_made_of(self._rewrite.value, self._tree.code(value))
            yield Edit(value.start_byte, value.end_byte, text)

    def _of_display(self, display: Node) -> Iterator[Edit]:
        entries = tuple(child for child in display.named_children if child.type != "comment")
        for entry in entries:
            key = entry.child_by_field_name("key")
            if entry.type == "dictionary_splat":
                inner = entry.named_child(0)
                if inner is not None:
                    yield from self.of_value(inner)
            elif entry.type == "pair" and key is not None and self._is_key(key):
                value = entry.child_by_field_name("value")
                if not self._fits(value):
                    continue
                if self._rewrite.new:
                    yield from self._renamed(key)
                    yield from self._revalued(value)
                else:
                    as_call = FunctionCall(node=display, function=display, arguments=display, given=entries)
                    yield remove_argument(self._tree, as_call, entry)

    def _of_name(self, name: Node) -> Iterator[Edit]:
        """Every use of the key through the same name, in the scope that the name belongs to."""
        scope, code = self._scope(name), self._tree.code(name)
        if (code, scope.id) in self._seen:
            return
        self._seen.add((code, scope.id))
        leaf = code.rpartition(".")[2].strip()
        for node in self._tree.identifiers(leaf):
            parent = node.parent
            chain = node
            if "." in code and parent is not None and parent.type == "attribute":
                chain = parent
            of_body = "." in code and self._is_of_body(node, scope)
            if of_body:
                yield from self._of_use(node)
            if self._tree.code(chain) != code or not _is_inside(chain, scope) or self._scope(chain) != scope:
                continue
            yield from self._of_use(chain)

    def _is_of_body(self, name: Node, scope: Node) -> bool:
        """Whether the body of a class gives its attribute that name."""
        parent = name.parent
        is_set = parent is not None and parent.type == "assignment" and is_field(parent, "left", name)
        innermost = next((outer for outer in ancestors(name) if outer.type in _SCOPES), None)
        return is_set and scope.type == "class_definition" and innermost == scope

    def _of_use(self, chain: Node) -> Iterator[Edit]:
        parent = chain.parent
        if parent is None:
            return
        if parent.type in ("assignment", "augmented_assignment") and is_field(parent, "left", chain):
            right = parent.child_by_field_name("right")
            if right is not None:
                yield from self.of_value(right)
        elif parent.type == "subscript" and is_field(parent, "value", chain):
            statement = parent.parent
            is_set = statement is not None and is_field(statement, "left", parent)
            right = statement.child_by_field_name("right") if statement is not None and is_set else None
            for key in parent.children_by_field_name("subscript"):
                yield from self._of_key(key, right)
        elif parent.type == "comparison_operator" and parent.named_child(0) != chain:
            first = parent.named_child(0)
            if first is not None and any(child.type in ("in", "not in") for child in parent.children):
                yield from self._of_key(first)
        elif parent.type == "attribute" and parent.parent is not None and parent.parent.type == "call":
            method, call = parent.child_by_field_name("attribute"), call_at(parent.parent)
            if method is None or call is None or call.function != parent:
                return
            if self._tree.code(method) == "update":
                yield from self.of_keyword(call)
                for argument in call.positional:
                    yield from self.of_value(argument)
            elif self._tree.code(method) in _METHODS and call.positional:
                yield from self._of_key(call.positional[0])

    def _of_key(self, key: Node, value: Node | None = None) -> Iterator[Edit]:
        if not self._is_key(key) or not self._fits(value):
            return
        if self._rewrite.new:
            yield from self._renamed(key)
            yield from self._revalued(value)
        else:
            self.stuck = True

    def _is_key(self, key: Node) -> bool:
        code = self._tree.code(key)
        return key.type == "string" and code[1:-1] == self._rewrite.argument and code[:1] in "\"'"

    def _renamed(self, key: Node) -> Iterator[Edit]:
        if self._rewrite.new != self._rewrite.argument:
            yield Edit(key.start_byte + 1, key.end_byte - 1, self._rewrite.new)

    def _scope(self, name: Node) -> Node:
        """The function that binds a name, the class around an attribute of ``self``, or else the module."""
        outer = [a for a in ancestors(name) if a.type in _SCOPES]
        module = self._tree.root
        if name.type == "attribute":
            return next((a for a in outer if a.type == "class_definition"), module)
        bound = {binding.scope for binding in self._names.bindings(self._tree.code(name))}
        return next((a for a in outer if a.type != "class_definition" and a in bound), module)


def _leaf(tree: SourceTree, call: FunctionCall) -> str:
    return tree.code(call.function).rpartition(".")[2].strip()


def _is_inside(node: Node, scope: Node) -> bool:
    return scope.start_byte <= node.start_byte and node.end_byte <= scope.end_byte


def _displays(tree: SourceTree) -> Iterator[Node]:
    """The dictionaries that a file writes out, ``{"a": 1}`` and ``dict(a=1)``."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        function = node.child_by_field_name("function") if node.type == "call" else None
        if node.type == "dictionary" or (function is not None and tree.code(function) in _MAKERS):
            yield node
        waiting += reversed(node.named_children)
