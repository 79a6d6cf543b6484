"""Putting an expression in the place of a use: a method for a function, a call for an attribute."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tree_sitter import Node

from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.argument_edits import argument_name, argument_value, one_item, same_code
from backdate.rewriting.as_function import (
    function_of,
    handed_on,
    is_in_partial,
    partial_of,
    without_partial,
)
from backdate.rewriting.blocks import NewBlock, changed_object, into_block
from backdate.rewriting.calls import FunctionCall, call_at, calls_of, is_of_module, mentions
from backdate.rewriting.class_tests import class_tests_of, other_classes
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import ImportedName, SourceNames
from backdate.rewriting.operations import SYMBOLS, operations_of
from backdate.rewriting.repeated_values import UNCOMPUTED, is_side_effect_free, name_for_value
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import (
    SourceTree,
    ancestors,
    is_field,
    statement_of,
)
from backdate.rewriting.spelling import first_names, spell_expression
from backdate.rewriting.template import (
    Given,
    as_python,
    fill,
    given_around,
    given_by,
    is_template,
    placeholders_of,
    statement_parts,
    unpacked_items,
)

_LONGEST_BEGINNING = 200
_OBJECT_FIELDS = {"attribute": "object", "binary_operator": "left"}


def replace_use(
    tree: SourceTree, rewrite: ReplaceUse, lines: frozenset[int] | None, *, of_calls: bool = False
) -> RewrittenSource:
    """The edits that put the template for uses on ``lines``; of any object's attributes on named lines.

    With ``of_calls`` a template for the name alone also takes the place of what is called.

    An import of the name goes with its last use. Where its line is among ``lines``, every use changes.
    """
    if not is_template(statement_parts(rewrite.template)[1]) or (
        lines is None and rewrite.target.startswith(".")
    ):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    return _UseReplacement(tree, rewrite, lines, of_calls=of_calls).made()


class _UseReplacement:
    def __init__(
        self, tree: SourceTree, rewrite: ReplaceUse, lines: frozenset[int] | None, *, of_calls: bool
    ) -> None:
        self._tree, self._rewrite, self._lines = tree, rewrite, lines
        self._keyword, self._expression = statement_parts(rewrite.template)
        self._of_calls = of_calls
        self._names = SourceNames(tree, rewrite.holder)
        self._imports = ImportEdits(tree)
        self._edits: dict[tuple[int, int], str] = {}
        self._blocks: list[Edit] = []
        """What puts statements into blocks."""
        self._changed: set[int] = set()
        self._heads: set[int] = set()
        """Where the changed uses begin."""
        self._beside: dict[int, ImportedName] = {}
        """Imports of whole modules by which changed uses came."""
        self._freed: list[ImportedName] = []
        """Imports of partials that are gone."""
        self._left: list[LeftAlone] = []

    def made(self) -> RewrittenSource:
        """All edits."""
        imported = self._imported()
        asked = [(node, use) for node, use in self._uses() if self._on_lines(node)]
        if imported and any(self._on_lines(i.statement) for i in imported):
            asked = list(self._uses())
        for node, use in sorted(asked, key=lambda pair: pair[0].end_byte - pair[0].start_byte):
            self._change(node, use)
        if self._edits or not asked:
            for entry in imported:
                if self._names.is_unused(entry, self._heads) and (
                    self._edits or self._on_lines(entry.statement)
                ):
                    self._imports.drop_entry(entry)
                    self._changed.add(self._tree.line(entry.entry.start_byte))
        for entry in self._beside.values():
            has_other = self._imports.adds_after(entry.statement) or self._stands_before(entry)
            if has_other and self._names.is_unused(entry, self._heads):
                self._imports.drop_entry(entry)
        for entry in self._freed[:1]:
            if self._names.is_unused(entry, self._heads):
                self._imports.drop_entry(entry)
        edits = [*self._blocks, *(Edit(start, end, text) for (start, end), text in self._edits.items())]
        return RewrittenSource(
            edits=tuple(sorted({*edits, *self._imports.edits()})) if edits else (),
            lines=tuple(sorted(self._changed)) if edits else (),
            left=tuple(self._left),
        )

    def _stands_before(self, entry: ImportedName) -> bool:
        """Whether an import of what the template uses follows: one that another change put in its place."""
        following = entry.statement.next_named_sibling
        modules = {imported.local for imported in self._names.imported() if imported.statement == following}
        return not modules.isdisjoint(first_names(as_python(self._expression)))

    def _imported(self) -> tuple[ImportedName, ...]:
        """Imports of the name itself, where the template does without it."""
        target = self._rewrite.target
        if re.search(rf"(?<![\w.]){re.escape(target)}(?!\w)", self._rewrite.template):
            return ()
        return tuple(
            i
            for i in self._names.imported()
            if i.dotted == target and i.statement.type == "import_from_statement"
        )

    def _uses(self) -> Iterator[tuple[Node, FunctionCall | Node]]:
        """The uses: each node that is replaced, and the call or the name that it is."""
        target = self._rewrite.target
        if self._rewrite.keyed:
            yield from self._keyed()
            yield from self._handed_on()
            return
        if self._rewrite.tested:
            yield from ((call.node, call) for call in class_tests_of(self._names, target))
            return
        if target in SYMBOLS:
            yield from ((call.node, call) for call in operations_of(self._tree, target))
            return
        if self._rewrite.called:
            for call in calls_of(self._names, target):
                is_direct = call.is_whole and self._is_direct(call)
                if (is_direct or partial_of(self._names, call, self._expression)) and self._fits(call.node):
                    yield call.node, call
            yield from self._handed_on()
            return
        for chain in mentions(self._names, target):
            if target.startswith("."):
                concerned = chain.type == "attribute" and not is_of_module(self._names, chain)
            else:
                concerned = self._names.dotted(chain).dotted == target
            parent = chain.parent
            is_called = parent is not None and parent.type == "call" and is_field(parent, "function", chain)
            is_stored = parent is not None and (
                parent.type in ("delete_statement", "pattern_list")
                or (parent.type in ("assignment", "augmented_assignment") and is_field(parent, "left", chain))
            )
            if (
                concerned
                and (self._of_calls or not is_called)
                and not is_stored
                and not is_in_partial(self._names, chain, self._rewrite.template)
            ):
                yield chain, chain

    def _keyed(self) -> Iterator[tuple[Node, FunctionCall]]:
        """Calls of an item of the name."""
        for chain in mentions(self._names, self._rewrite.target):
            item = chain.parent
            call = item.parent if item is not None and item.type == "subscript" else None
            if item is None or call is None or self._names.dotted(chain).dotted != self._rewrite.target:
                continue
            found = call_at(call)
            if found is not None and is_field(item, "value", chain) and is_field(call, "function", item):
                yield call, replace(found, function=chain)

    def _handed_on(self) -> Iterator[tuple[Node, Node]]:
        """Where the function is a value, and what its calls become can be one."""
        if function_of(self._rewrite, self._expression) is not None and not self._keyword:
            yield from handed_on(self._names, self._rewrite.target, keyed=self._rewrite.keyed)

    def _is_direct(self, call: FunctionCall) -> bool:
        """Whether the call is one of the function itself, and not of ``super().__init__``."""
        target = self._rewrite.target
        return target.startswith(".") or self._names.dotted(call.function).dotted == target

    def _fits(self, node: Node) -> bool:
        """Whether a use can be what the template is: a statement takes the place of a whole one alone, and
        what is unpacked that of what is assigned to several names."""
        parent = node.parent
        if self._rewrite.begins and not self._begins(node, self._rewrite.begins):
            return False
        if self._rewrite.unpacked:
            several = parent.child_by_field_name("left") if parent is not None else None
            is_value = parent is not None and parent.type == "assignment" and is_field(parent, "right", node)
            if not is_value or several is None or several.type not in ("pattern_list", "tuple_pattern"):
                return False
        is_alone = parent is not None and parent.type == "expression_statement"
        return is_alone or not (self._keyword or self._rewrite.alone)

    def _begins(self, node: Node, pattern: str) -> bool:
        """Whether the first positional argument of a call begins as a regular expression says."""
        call = call_at(node)
        first = (
            next((one for one in call.given if not argument_name(self._tree, one)), None) if call else None
        )
        return (
            first is not None and re.match(pattern, self._tree.code(first)[:_LONGEST_BEGINNING]) is not None
        )

    def _on_lines(self, node: Node) -> bool:
        return self._lines is None or not self._lines.isdisjoint(self._tree.statement_lines(node))

    def _leave(self, reason: LeftAloneReason, node: Node) -> None:
        self._left.append(LeftAlone(reason=reason, line=self._tree.line(node.start_byte)))

    def _change(self, node: Node, use: FunctionCall | Node) -> None:
        rewrite, tree = self._rewrite, self._tree
        chain = use.function if isinstance(use, FunctionCall) else use
        expression = self._expression
        if isinstance(use, FunctionCall) and not use.is_whole:
            chain = use.arguments.named_children[0]
            expression = partial_of(self._names, use, expression)
        if is_guarded(tree, node, rewrite.target, "", anywhere=self._lines is None):
            self._leave(LeftAloneReason.GUARDED, node)
            return
        others = other_classes(self._names, chain) if rewrite.tested else ""
        expression = f"isinstance({{0}}, {{others}}) or {expression}" if others else expression
        function = None if isinstance(use, FunctionCall) else function_of(rewrite, expression)
        given = {**function.given, **self._key(chain)} if function else self._given(use, expression, others)
        if given is None or (isinstance(use, FunctionCall) and use.has_loose_comment):
            self._leave(LeftAloneReason.ARGUMENTS, node)
            return
        alone = without_partial(expression, given)
        if isinstance(use, FunctionCall) and alone != expression:
            expression = alone
            self._free(use.function)
        if _in_text(node) and re.search(r"['\"\\]", rewrite.template):
            self._leave(LeftAloneReason.IN_TEXT, node)
            return
        head = self._names.dotted(chain).binding
        imported = head.imported if head is not None else None
        beside = imported if imported is not None and _is_whole_import(imported) else None
        python = spell_expression(self._names, self._imports, as_python(expression), node, beside)
        if python is None:
            self._leave(LeftAloneReason.SHADOWED, node)
            return
        text = fill(python, given, use=node)
        assigned = changed_object(tree, node, chain, rewrite.assigns) if rewrite.assigns else ""
        if text is None or assigned is None:
            self._leave(LeftAloneReason.ARGUMENTS, node)
            return
        text = f"{assigned} = {text}" if assigned else text
        text = function.around(text, node) if function else text
        if rewrite.context:
            block = self._block(node, given)
            if block is None:
                self._leave(LeftAloneReason.ARGUMENTS, node)
                return
            self._blocks += block.edits
            text = re.sub(r"(\r\n|\r|\n)", rf"\1{block.unit}", text)
        text = self._keyword + text
        for place in [p for p in self._edits if node.start_byte <= p[0] and p[1] <= node.end_byte]:
            del self._edits[place]
        if text == tree.code(node):
            return
        self._edits[node.start_byte, node.end_byte] = text
        self._changed.add(tree.line(node.start_byte))
        self._heads.add(chain.start_byte)
        if beside is not None and beside.local not in first_names(python):
            self._beside[beside.entry.start_byte] = beside

    def _free(self, function: Node) -> None:
        """Note that a use of ``function`` goes: its import does, where it was the last one."""
        binding = self._names.dotted(function).binding
        self._heads.add(function.start_byte)
        if binding is not None and binding.imported is not None:
            self._freed.append(binding.imported)

    def _block(self, node: Node, given: dict[str, Given]) -> NewBlock | None:
        """What puts the statement of a use into a block; None where its lines are not its own."""
        expression, _, bound = self._rewrite.context.partition(" as ")
        context = fill(as_python(expression), given, use=node)
        if context is None:
            return None
        header = f"with {context} as {bound}:" if bound else f"with {context}:"
        any_statement = bool(self._rewrite.begins)
        return into_block(self._tree, statement_of(node), header, rewritten=node, any_statement=any_statement)

    def _code(self, node: Node) -> str:
        """The code of an expression, with the edits that were made within it."""
        inside = [
            Edit(start - node.start_byte, end - node.start_byte, text)
            for (start, end), text in self._edits.items()
            if node.start_byte <= start and end <= node.end_byte
        ]
        return apply_edits(self._tree.code(node), inside)

    def _given(self, use: FunctionCall | Node, expression: str, others: str) -> dict[str, Given] | None:
        """What a use gives, by placeholder; None where the template cannot carry it over."""
        tree = self._tree
        chain = use.function if isinstance(use, FunctionCall) else use
        wanted = (*placeholders_of(expression), *placeholders_of(self._rewrite.context))
        given = given_around(tree, chain, wanted, self._rewrite.defaults)
        if given is None:
            return None
        if others:
            given["others"] = Given(code=others, is_primary=True)
        owner = chain.child_by_field_name(_OBJECT_FIELDS.get(chain.type, ""))
        nodes: dict[str, Node] = {} if owner is None else {"self": owner}
        item = chain.parent
        if self._rewrite.keyed and item is not None and item.named_child_count == 2:
            nodes["key"] = item.named_children[1]
        rest: list[str] = []
        only = dict(self._rewrite.only)
        if isinstance(use, FunctionCall):
            position = 0
            for argument in use.given:
                name = argument_name(tree, argument)
                if not name and argument.type not in ("list_splat", "dictionary_splat"):
                    name = str(position)
                    position += 1
                elif self._rewrite.drops_arguments and (
                    items := unpacked_items(tree, argument, position, wanted)
                ):
                    given |= items
                    continue
                captured = one_item(only.get(name, ""), argument_value(argument))
                if captured is not None:
                    nodes[captured[0]] = captured[1]
                    del only[name]
                    continue
                if name in only and same_code(only[name], tree.code(argument_value(argument))):
                    del only[name]
                    if name not in wanted:
                        continue
                if name in wanted and name not in ("self", "args"):
                    nodes[name] = argument_value(argument)
                elif "args" in wanted:
                    rest.append(self._code(argument))
                elif not self._rewrite.drops_arguments or argument_value(argument).type not in UNCOMPUTED:
                    return None
        if only:
            return None
        for name, node in nodes.items():
            of_node = self._given_by(node, chain, several=wanted.count(name) > 1)
            if of_node is None:
                return None
            given[name] = of_node
        bound = self._rewrite.bound
        if bound:
            given[bound] = Given(code=bound, is_primary=True)
        if "args" in wanted:
            as_written = ""
            if isinstance(use, FunctionCall) and len(rest) == len(use.given):
                as_written = self._code(use.arguments).removeprefix("(").removesuffix(")")
            given["args"] = Given(
                code=", ".join(rest), is_primary=True, sole=as_written if "\n" in as_written else ""
            )
        return given

    def _key(self, chain: Node) -> dict[str, Given]:
        """The key of an item of the name, where the use is one."""
        item = chain.parent if self._rewrite.keyed else None
        if item is None or item.named_child_count != 2:
            return {}
        key = item.named_children[1]
        return {"key": given_by(self._tree, key, self._code(key))}

    def _given_by(self, node: Node, chain: Node, *, several: bool) -> Given | None:
        """What stands for a node; where the template has it ``several`` times, it is computed once.

        None where there is no name for it then.
        """
        given = given_by(self._tree, node, self._code(node))
        if not several or is_side_effect_free(node):
            return given
        bound = name_for_value(self._tree, self._rewrite.template, chain)
        if not bound:
            return None
        return Given(code=f"({bound} := {given.bare or given.code})", is_primary=True, again=bound)


def _is_whole_import(imported: ImportedName) -> bool:
    return imported.statement.type == "import_statement"


def _in_text(node: Node) -> bool:
    return any(outer.type in ("interpolation", "format_expression") for outer in ancestors(node))
