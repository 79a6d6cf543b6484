"""Test classes with ``setup`` and ``teardown`` of nose, as pytest calls them: ``setup_method``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.rewrite import NameSetups
from backdate.rewriting.rewritten import RewrittenSource
from backdate.rewriting.source_tree import SourceTree, ancestors, is_field, source_tree

_NAMES = {"setup": "setup_method", "teardown": "teardown_method"}
_OF_MODULES = {"setup": "setup_module", "teardown": "teardown_module"}
_TAKEN = {"setup": ("setup_module", "setUpModule"), "teardown": ("teardown_module", "tearDownModule")}
_OF_UNITTEST = "TestCase"


def nose_setups(text: str) -> tuple[int, ...]:
    """The lines of such methods in a file."""
    tree = source_tree(text)
    return tuple(tree.line(name.start_byte) for _, name in _setups(tree))


def module_setups(text: str) -> tuple[int, ...]:
    """The lines of functions of the file itself that nose and pytest before 8 called once for its tests."""
    tree = source_tree(text)
    return tuple(tree.line(name.start_byte) for name in _of_module(tree))


def name_setups(tree: SourceTree, rewrite: NameSetups, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits for methods on ``lines``, and for what calls them in their classes."""
    edits: set[Edit] = set()
    if rewrite.of_module:
        for name in _of_module(tree):
            if lines is None or tree.line(name.start_byte) in lines:
                old = tree.code(name)
                uses = (use for use in tree.identifiers(old) if is_use(use))
                edits |= {Edit(use.start_byte, use.end_byte, _OF_MODULES[old]) for use in (name, *uses)}
        changed = sorted({tree.line(edit.start) for edit in edits})
        return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed))
    for definition, name in _setups(tree):
        if lines is not None and tree.line(name.start_byte) not in lines:
            continue
        old = tree.code(name)
        calls = (use for use in tree.identifiers(old) if _is_own_call(tree, use, definition))
        edits |= {Edit(use.start_byte, use.end_byte, _NAMES[old]) for use in (name, *calls)}
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed))


def _setups(tree: SourceTree) -> Iterator[tuple[Node, Node]]:
    """Each class, and the name of a method of it that pytest does not call any more."""
    classes: dict[str, Node] = {}
    for node in tree.root.named_children:
        own = node.child_by_field_name("name")
        if node.type == "class_definition" and own is not None:
            classes[tree.code(own)] = node
    tests = {name for name in classes if name.startswith(("Test", "test"))}
    for name in tuple(tests):
        tests |= set(_bases(tree, classes[name])) & set(classes)
    for name in sorted(tests, key=lambda name: classes[name].start_byte):
        methods = dict(_methods(tree, classes[name]))
        if any(base.rpartition(".")[2].endswith(_OF_UNITTEST) for base in _bases(tree, classes[name])):
            continue
        for old, new in _NAMES.items():
            if old in methods and new not in methods:
                yield classes[name], methods[old]


def _of_module(tree: SourceTree) -> Iterator[Node]:
    """The names of such functions, where nothing else in the file has the name."""
    names = SourceNames(tree)
    for node in tree.root.named_children:
        name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        if node.type != "function_definition" or name is None or parameters is None:
            continue
        old = tree.code(name)
        is_plain = old in _OF_MODULES and len(parameters.named_children) == 0
        taken = any(names.bindings(one) for one in _TAKEN.get(old, ()))
        others = [one for one in names.bindings(old) if one.scope.type != "class_definition"]
        if is_plain and not taken and len(others) == 1:
            yield name


def _bases(tree: SourceTree, definition: Node) -> Iterator[str]:
    given = definition.child_by_field_name("superclasses")
    yield from (tree.code(base) for base in (given.named_children if given is not None else ()))


def _methods(tree: SourceTree, definition: Node) -> Iterator[tuple[str, Node]]:
    """The plain methods of a class that take nothing but the object."""
    body = definition.child_by_field_name("body")
    for node in body.named_children if body is not None else ():
        name, parameters = node.child_by_field_name("name"), node.child_by_field_name("parameters")
        if node.type != "function_definition" or name is None or parameters is None:
            continue
        if len(parameters.named_children) == 1 or tree.code(name) in _NAMES.values():
            yield tree.code(name), name


def _is_own_call(tree: SourceTree, use: Node, definition: Node) -> bool:
    """Whether a use is ``self.setup`` or ``super().setup`` within the class."""
    attribute = use.parent
    if attribute is None or attribute.type != "attribute" or not is_field(attribute, "attribute", use):
        return False
    owner = attribute.child_by_field_name("object")
    code = tree.code(owner) if owner is not None else ""
    is_own = code == "self" or code.startswith("super(")
    return is_own and any(outer == definition for outer in ancestors(use))
