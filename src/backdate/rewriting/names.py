"""What the names in a file stand for: imports, and whatever else binds a name, by scope."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from backdate.rewriting.source_tree import SourceTree, ancestors, is_field, scope_of, statement_of

_PATTERNS = frozenset(
    {
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "as_pattern_target",
        "tuple",
        "list",
        "parenthesized_expression",
    }
)
_PARAMETERS = frozenset({"parameters", "lambda_parameters"})
_TYPED = frozenset({"default_parameter", "typed_parameter", "typed_default_parameter"})
_FIELDS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "for_statement": "left",
    "for_in_clause": "left",
    "named_expression": "name",
    "function_definition": "name",
    "class_definition": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
}

_NO_EXPRESSION = frozenset(
    {
        "dotted_name",
        "aliased_import",
        "parameters",
        "lambda_parameters",
        "typed_parameter",
        "global_statement",
        "nonlocal_statement",
        "pattern_list",
        "tuple_pattern",
        "list_pattern",
        "list_splat_pattern",
        "dictionary_splat_pattern",
        "as_pattern_target",
        "delete_statement",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedName:
    """One entry of an import statement."""

    statement: Node
    entry: Node
    """A ``dotted_name`` or an ``aliased_import``."""
    local: str
    """The name that it binds."""
    dotted: str
    """What that stands for; of a relative import with its leading dots."""
    module: str
    """What the statement imports from, or the whole module of ``import a.b``."""
    aliased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A place that gives a name a meaning."""

    node: Node
    scope: Node
    imported: ImportedName | None = None
    """None for whatever is no import."""
    fallback: bool = False
    """Whether it stands in an ``except`` or ``else``: for when another binding could not be made."""
    outer: str = ""
    """"global" or "nonlocal" for a statement that binds nothing itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a name stands for at one place."""

    dotted: str = ""
    """"" where it is a variable of the project's own."""
    binding: Binding | None = None
    """The import; None for a builtin and for variables."""
    shadowed: bool = False
    """Whether something else than the import may be meant."""
    star: bool = False
    """Whether it is bound nowhere, in a file with ``from … import *``."""


class SourceNames:
    """The names of one file, each looked up when it is asked for."""

    def __init__(self, tree: SourceTree, holder: str = "") -> None:
        """``holder``: a dotted name that is an object of its module, and no module."""
        self.tree, self.holder = tree, holder
        self._bindings: dict[str, tuple[Binding, ...]] = {}

    def bindings(self, name: str) -> tuple[Binding, ...]:
        """Every place in the file that binds ``name``, in whatever scope."""
        known = self._bindings.get(name)
        if known is None:
            found = (self._binding(node) for node in self.tree.identifiers(name))
            known = self._bindings[name] = tuple(filter(None, found))
        return known

    def imported(self) -> Iterator[ImportedName]:
        """What the file imports, in its order."""
        for statement in self.tree.imports:
            yield from imported_names(self.tree, statement)

    @property
    def star_modules(self) -> tuple[str, ...]:
        """The modules of which everything is imported."""
        return tuple(
            module_of_import(self.tree, statement)
            for statement in self.tree.imports
            if any(child.type == "wildcard_import" for child in statement.children)
        )

    def is_unused(self, imported: ImportedName, changed: Collection[int]) -> bool:
        """Whether nothing uses what an import binds, but for what begins at the ``changed`` offsets.

        A string with the name counts as a use: it may be in ``__all__``, or an annotation; not where it is
        compared. A ``del`` on the outermost level goes with the import.
        """
        text = any(map(_may_name, self.tree.strings(imported.local)))
        uses = (use for use in self.tree.identifiers(imported.local) if is_use(use) or _is_deleted(use))
        return not text and all(use.start_byte in changed or _is_deleted_outermost(use) for use in uses)

    def meaning(self, node: Node) -> Meaning:
        """What the identifier ``node``, which is used and not bound there, stands for."""
        return self.meaning_of(self.tree.code(node), node)

    def meaning_of(self, name: str, near: Node) -> Meaning:
        """What ``name`` would stand for if it were used at ``near``."""
        bindings = self.bindings(name)
        scope = scope_of(near)
        own = True
        while True:
            if own or scope.type != "class_definition":
                here = [binding for binding in bindings if binding.scope == scope]
                if any(binding.outer == "global" for binding in here):
                    here = [b for b in bindings if b.scope.type == "module" or b.scope == scope]
                here = [binding for binding in here if not binding.outer]
                if here:
                    return _meaning(here)
            if scope.parent is None:
                break
            own = False
            scope = scope_of(scope)
        return Meaning(dotted=f"builtins.{name}", star=bool(self.star_modules))

    def dotted(self, node: Node) -> Meaning:
        """What an expression of names and attributes stands for; a call or an item of something: nothing."""
        parts: list[str] = []
        while node.type == "attribute":
            attribute, inner = node.child_by_field_name("attribute"), node.child_by_field_name("object")
            if attribute is None or inner is None:
                return Meaning()
            parts.append(self.tree.code(attribute))
            node = inner
        if node.type != "identifier":
            return Meaning()
        head = self.meaning(node)
        if not head.dotted:
            return head
        return Meaning(
            dotted=".".join((head.dotted, *reversed(parts))),
            binding=head.binding,
            shadowed=head.shadowed,
            star=head.star,
        )

    def _binding(self, node: Node) -> Binding | None:
        parent = node.parent
        if parent is None:
            return None
        if parent.type in ("dotted_name", "aliased_import"):
            return self._imported_binding(node)
        if parent.type in ("global_statement", "nonlocal_statement"):
            kind = parent.type.removesuffix("_statement")
            return Binding(node=node, scope=scope_of(node), outer=kind)
        inner = node
        while parent is not None and parent.type in _PATTERNS:
            inner, parent = parent, parent.parent
        if parent is None:
            return None
        if not _binds(parent, inner):
            return None
        return Binding(node=node, scope=_scope_of_binding(node, parent), fallback=_is_fallback(node))

    def _imported_binding(self, node: Node) -> Binding | None:
        for outer in ancestors(node):
            if outer.type in ("import_statement", "import_from_statement"):
                for imported in imported_names(self.tree, outer):
                    if binding_identifier(imported) == node:
                        return Binding(
                            node=node,
                            scope=scope_of(node),
                            imported=imported,
                            fallback=_is_fallback(node),
                        )
                return None
            if outer.type == "case_pattern":
                return Binding(node=node, scope=scope_of(node))
        return None


def is_use(node: Node) -> bool:
    """Whether an identifier is an expression: no attribute, no keyword, nothing defined or imported."""
    parent = node.parent
    if parent is None or parent.type in _NO_EXPRESSION:
        return False
    if parent.type == "attribute":
        return not is_field(parent, "attribute", node)
    if parent.type == "keyword_argument":
        return not is_field(parent, "name", node)
    field = _FIELDS.get(parent.type)
    return field is None or not is_field(parent, field, node)


def deleted_names(statement: Node) -> tuple[Node, ...]:
    """What a ``del`` statement deletes; nothing of any other."""
    if statement.type != "delete_statement":
        return ()
    given = statement.named_children
    several = given[0].named_children if len(given) == 1 and given[0].type == "expression_list" else given
    return tuple(node for node in several if node.type != "comment")


def _may_name(string: Node) -> bool:
    """Whether a string may stand for what it names: not where it is compared, or searched through."""
    return string.parent is None or string.parent.type != "comparison_operator"


def _is_deleted(node: Node) -> bool:
    statement = statement_of(node)
    return any(target == node for target in deleted_names(statement))


def _is_deleted_outermost(node: Node) -> bool:
    """Whether a ``del`` of the module itself is meant: until there the name is what it was."""
    outer = statement_of(node).parent
    return _is_deleted(node) and outer is not None and outer.type == "module"


def imported_names(tree: SourceTree, statement: Node) -> tuple[ImportedName, ...]:
    """The entries of an import statement; none for ``from … import *``."""
    module = module_of_import(tree, statement)
    entries: list[ImportedName] = []
    for entry in statement.children_by_field_name("name"):
        name, alias = entry, None
        if entry.type == "aliased_import":
            alias = entry.child_by_field_name("alias")
            name = entry.child_by_field_name("name") or entry
        text = _dotted_text(tree, name)
        if statement.type == "import_from_statement":
            local, dotted = text, f"{module}{'' if module.endswith('.') else '.'}{text}"
        else:
            local = text.partition(".")[0]
            dotted = text if alias is not None else local
        entries.append(
            ImportedName(
                statement=statement,
                entry=entry,
                local=tree.code(alias) if alias is not None else local,
                dotted=dotted,
                module=module or text,
                aliased=alias is not None,
            )
        )
    return tuple(entries)


def module_of_import(tree: SourceTree, statement: Node) -> str:
    """The module of ``from … import``, with the leading dots of a relative one; "" for ``import …``."""
    module = statement.child_by_field_name("module_name")
    return "" if module is None else _dotted_text(tree, module)


def binding_identifier(imported: ImportedName) -> Node | None:
    """The identifier that an import binds: its alias, or the first part of its name."""
    if imported.aliased:
        return imported.entry.child_by_field_name("alias")
    return imported.entry.named_child(0)


def name_of_entry(imported: ImportedName) -> Node:
    """The dotted name of an entry, without its alias."""
    return imported.entry.child_by_field_name("name") or imported.entry


def _dotted_text(tree: SourceTree, node: Node) -> str:
    """A dotted name without the blanks that may stand around its dots."""
    return "".join(tree.code(node).split())


def _meaning(here: list[Binding]) -> Meaning:
    imports = [binding for binding in here if binding.imported is not None]
    if not imports:
        return Meaning()
    others = [binding for binding in here if binding.imported is None and not binding.fallback]
    first = next((binding for binding in imports if not binding.fallback), imports[0])
    if others or first.imported is None:
        return Meaning(shadowed=True)
    return Meaning(dotted=first.imported.dotted, binding=first)


def _binds(parent: Node, child: Node) -> bool:
    field = _FIELDS.get(parent.type)
    if field is not None:
        return is_field(parent, field, child)
    if parent.type == "except_clause":  # Python 2: except Error, error
        values = parent.children_by_field_name("value")
        return len(values) > 1 and values[-1] == child
    return (
        child.type == "as_pattern_target"
        or parent.type in _PARAMETERS
        or (parent.type == "typed_parameter" and parent.named_child(0) == child)
        or (parent.type == "delete_statement" and not _is_deleted_outermost(child))
    )


def _scope_of_binding(node: Node, parent: Node) -> Node:
    if parent.type in _PARAMETERS or parent.type in _TYPED:
        for outer in ancestors(node):
            if outer.type in ("function_definition", "lambda"):
                return outer
    if parent.type == "named_expression":
        scope = scope_of(node)
        while scope.type.endswith("comprehension") or scope.type == "generator_expression":
            scope = scope_of(scope)
        return scope
    return scope_of(node)


def _is_fallback(node: Node) -> bool:
    """Whether a binding stands where another failed or was not chosen."""
    for outer in ancestors(node):
        if outer.type in ("function_definition", "class_definition", "lambda"):
            return False
        if outer.type in ("except_clause", "else_clause", "elif_clause"):
            return True
    return False
