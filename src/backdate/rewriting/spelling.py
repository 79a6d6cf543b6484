"""How a file spells a library's dotted name at one place, and which import that needs."""

from __future__ import annotations

import builtins
import functools
import keyword
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tree_sitter import Node

from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import ImportedName, SourceNames
from backdate.rewriting.source_tree import SourceTree
from backdate.rewriting.template import PLACEHOLDER

_STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
_LOADS_ITS_PARTS = frozenset(
    {
        "numpy",
        "scipy",
        "pandas",
        "networkx",
        "torch",
        "tensorflow",
        "sqlalchemy",
        "jax",
        "pydantic",
        "os",
        "collections",
    }
)
"""Packages whose public submodules are there when the package itself is imported; ``collections.abc`` is,
because whatever runs tests has imported it before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewImport:
    """An import that a spelling needs and the file does not have."""

    dotted: str
    module: str
    """What is imported as a whole, for ``import module``; "" for ``from … import name``."""
    local: str = ""
    """Another name that ``from … import name as …`` binds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """An expression for a dotted name, and what it needs."""

    expression: str
    needs: NewImport | None = None


_OBJECTS = frozenset(
    {
        "flask.current_app",
        "flask.g",
        "flask.request",
        "flask.session",
        "matplotlib.color_sequences",
        "matplotlib.colormaps",
        "matplotlib.rcParams",
    }
)
"""Objects with small letters whose members rules write, so that nothing can be imported from them."""

_DEEPEST_CAPITAL = {"Bio": 1, "Crypto": 2, "Cryptodome": 2, "OpenSSL": 1, "PIL": 1}
"""By package the depth to which its modules have capitals as well (``PIL.Image``, ``Crypto.Cipher.AES``)."""


def module_of(dotted: str, holder: str = "") -> str:
    """The module that holds a dotted name, by the custom that only classes have capitals; or "".

    ``holder``: a dotted name that is an object, and no module.
    """
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 1, -1):
        if ".".join(parts[:length]) in (*_OBJECTS, holder):
            return ".".join(parts[: length - 1])
        if is_python_module(".".join(parts[:length])):
            return ".".join(parts[:length])
    if parts[0] in sys.stdlib_module_names and len(parts) > 1:  # `os.environ.get` is of `os`
        return "os.path" if dotted.startswith("os.path.") else parts[0]
    capital = _DEEPEST_CAPITAL.get(parts[0], 0)
    for index, part in enumerate(parts[:-1]):
        if part[:1].isupper() and index > capital:
            return ".".join(parts[:index])
    return ".".join(parts[:-1])


@functools.cache
def is_python_module(dotted: str) -> bool:
    """Whether a dotted name is a module in a package of the standard library."""
    parts = dotted.split(".")
    if len(parts) < 2 or parts[0] not in sys.stdlib_module_names or not all(map(str.isidentifier, parts)):
        return False
    place = _STANDARD_LIBRARY.joinpath(*parts)
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def is_class_member(dotted: str) -> bool:
    """Whether a dotted name is one in a class, which no ``from … import`` gives."""
    owner = dotted.rpartition(".")[0]
    return module_of(dotted) != owner or isinstance(getattr(builtins, owner, None), type)


def spell(names: SourceNames, dotted: str, near: Node, head: ImportedName | None) -> Spelling | None:
    """The expression for ``dotted`` at ``near``; None where every name for it means something else there.

    ``head`` is the import through which the old name was reached: the new one is spelled through it where
    that is possible.
    """
    if "." not in dotted and not hasattr(builtins, dotted):
        return _whole_module(names, dotted, near)
    if "." not in dotted:
        dotted = f"builtins.{dotted}"
    # a module in a package is imported by itself: `import xml.etree` brings no `xml.etree.ElementTree`
    module = dotted if is_python_module(dotted) else module_of(dotted, names.holder)
    leaf = dotted.rpartition(".")[2]
    # what a file binds nowhere is a builtin, or comes by its star import
    if module == "builtins" and not names.bindings(leaf) and (hasattr(builtins, leaf) or names.star_modules):
        return Spelling(expression=leaf)
    reached = _through_imports(names, dotted, module, near, head)
    if reached is not None:
        return reached
    top, imported = module.partition(".")[0], module
    module = module_of(dotted, names.holder)
    if _is_free(names, top, imported) and not _in_from_style(names, dotted, module):
        return Spelling(expression=dotted, needs=NewImport(dotted=dotted, module=imported))
    outer = dotted[len(module) + 1 :].partition(".")[0]
    if not names.bindings(outer) and not hasattr(builtins, outer) and not keyword.iskeyword(outer):
        return Spelling(
            expression=dotted[len(module) + 1 :], needs=NewImport(dotted=f"{module}.{outer}", module="")
        )
    return _under_another_name(names, dotted, module)


def _under_another_name(names: SourceNames, dotted: str, module: str) -> Spelling | None:
    """By a name that tells its module, where other imports have taken the usual ones:
    ``from datetime import timezone as datetime_timezone`` beside ``from django.utils import timezone``."""
    outer = dotted[len(module) + 1 :].partition(".")[0]
    local = f"{module.rpartition('.')[2]}_{outer}"
    taken = names.bindings(outer)
    by_imports = bool(taken) and all(binding.imported is not None for binding in taken)
    if not by_imports or names.bindings(local) or not module or module == "builtins":
        return None
    needs = NewImport(dotted=f"{module}.{outer}", module="", local=local)
    return Spelling(expression=f"{local}{dotted[len(module) + 1 + len(outer) :]}", needs=needs)


def _in_from_style(names: SourceNames, dotted: str, module: str) -> bool:
    """Whether the file takes names of the package one by one, and this one may be taken so as well."""
    top, outer = module.partition(".")[0], dotted[len(module) + 1 :].partition(".")[0]
    of_package = [imported for imported in names.imported() if f"{imported.module}.".startswith(f"{top}.")]
    return (
        bool(of_package)
        and all(imported.statement.type == "import_from_statement" for imported in of_package)
        and any(map(_at_top_level, of_package))
        and not names.bindings(outer)
        and not hasattr(builtins, outer)
    )


def _whole_module(names: SourceNames, module: str, near: Node) -> Spelling | None:
    """By the import of a module itself, such as "math"."""
    for imported in names.imported():
        if imported.dotted == module and _visible(names, imported, near):
            return Spelling(expression=imported.local)
    if not _is_free(names, module, module):
        return None
    return Spelling(expression=module, needs=NewImport(dotted=module, module=module))


def _through_imports(
    names: SourceNames, dotted: str, module: str, near: Node, head: ImportedName | None
) -> Spelling | None:
    """By what the file imports already, the longest beginning first, and ``head`` before others."""
    candidates = [i for i in names.imported() if f"{dotted}.".startswith(f"{i.dotted}.")]
    candidates.sort(key=lambda i: (i != head and (head is None or i.local != head.local), -len(i.dotted)))
    partly: Spelling | None = None
    for imported in candidates:
        if not _visible(names, imported, near):
            continue
        expression = imported.local + dotted[len(imported.dotted) :]
        if _has_module(names, imported, module):
            return Spelling(expression=expression)
        if partly is None:
            partly = Spelling(expression=expression, needs=NewImport(dotted=dotted, module=module))
    return partly


def _has_module(names: SourceNames, imported: ImportedName, module: str) -> bool:
    """Whether ``module`` is loaded by what the file imports."""
    if imported.dotted == module or f"{imported.dotted}.".startswith(f"{module}."):
        return True
    if imported.dotted.partition(".")[0] in _LOADS_ITS_PARTS:
        return True
    return any(f"{i.module}.".startswith(f"{module}.") or i.dotted == module for i in names.imported())


def _visible(names: SourceNames, imported: ImportedName, near: Node) -> bool:
    """Whether the local name of an import means that import at ``near``."""
    meaning = names.meaning_of(imported.local, near)
    return meaning.dotted == imported.dotted and not meaning.shadowed


def _is_free(names: SourceNames, top: str, module: str) -> bool:
    """Whether ``import module`` takes a name from nobody."""
    return all(
        binding.imported is not None and binding.imported.dotted == top for binding in names.bindings(top)
    ) and not (hasattr(builtins, top) and module == top)


def import_statement(needed: NewImport) -> str:
    """The statement that imports what is needed."""
    if needed.module:
        return f"import {needed.module}"
    return f"from {needed.dotted.rpartition('.')[0]} import {_entry(needed)}"


def _entry(needed: NewImport) -> str:
    """What a ``from … import`` names."""
    name = needed.dotted.rpartition(".")[2]
    return f"{name} as {needed.local}" if needed.local else name


def add_import(
    names: SourceNames,
    edits: ImportEdits,
    needed: NewImport,
    *,
    unused: ImportedName | None,
    beside: ImportedName | None,
) -> None:
    """Have ``needed`` imported: in the place of ``unused``, else behind ``beside``, else with the others."""
    plain = needed.module and not (beside is not None and beside.aliased)
    if (
        plain
        and beside is not None
        and beside.statement.type == "import_statement"
        and f"{needed.module}.".startswith(f"{beside.local}.")
        and names.tree.code(beside.entry) == beside.local
    ):
        edits.set_entry(beside, needed.module)  # import collections → import collections.abc
        return
    if unused is not None and unused.statement.type == "import_statement" and needed.module:
        edits.set_entry(unused, needed.module)
        return
    if not needed.module:
        module = needed.dotted.rpartition(".")[0]
        siblings = tuple(_siblings(names, module))
        if siblings and not _one_by_one(siblings):
            edits.append(siblings[0].statement, _entry(needed))
            return
        if unused is None:
            last = siblings[-1] if siblings else _of_package(names, module)
            beside = last or beside
    if unused is not None and len(unused.statement.children_by_field_name("name")) == 1:
        edits.drop_entry(unused)
        edits.add_after(unused.statement, import_statement(needed))
    elif beside is not None:
        edits.add_after(beside.statement, import_statement(needed))
    else:
        edits.add_at_top(import_statement(needed))


def _at_top_level(imported: ImportedName) -> bool:
    parent = imported.statement.parent
    return parent is not None and parent.type == "module"


def spell_expression(
    names: SourceNames,
    edits: ImportEdits,
    expression: str,
    near: Node,
    beside: ImportedName | None = None,
) -> str | None:
    """``expression`` with its dotted names as the file spells them at ``near``, imported where they are not.

    New imports go ``beside`` another one. None where one of the names cannot be had. Single names are
    taken as they are: builtins, and what the file has.
    """
    made: list[Edit] = []
    for chain in _dotted_names(expression):
        dotted = expression[chain.start_byte : chain.end_byte]
        first = dotted.partition(".")[0]
        if hasattr(builtins, first) and not names.bindings(first):
            continue  # a method of a builtin class
        spelling = spell(names, dotted, near, None)
        if spelling is None:
            return None
        if spelling.needs is not None:
            module = module_of(dotted, names.holder)
            sibling = _sibling(names, module)
            within = dotted[len(module) + 1 :]
            outer = within.partition(".")[0]
            if sibling is not None and not names.bindings(outer):
                needs = NewImport(dotted=f"{module}.{outer}", module="")
                spelling = Spelling(expression=within, needs=needs)
            if spelling.needs is not None:
                add_import(names, edits, spelling.needs, unused=None, beside=sibling or beside)
        made.append(Edit(chain.start_byte, chain.end_byte, spelling.expression))
    return apply_edits(expression, made)


def first_names(expression: str) -> frozenset[str]:
    """The names with which dotted names in an expression begin."""
    return frozenset(
        expression[chain.start_byte : chain.end_byte].partition(".")[0] for chain in _dotted_names(expression)
    )


def _sibling(names: SourceNames, module: str) -> ImportedName | None:
    """What the file imports first from ``module`` on its outermost level."""
    return next(_siblings(names, module), None)


def _siblings(names: SourceNames, module: str) -> Iterator[ImportedName]:
    for imported in names.imported():
        is_from = imported.statement.type == "import_from_statement"
        if imported.module == module and is_from and _at_top_level(imported):
            yield imported


def _one_by_one(siblings: Sequence[ImportedName]) -> bool:
    """Whether each name has a statement of its own, and there are several."""
    statements = {imported.statement.start_byte for imported in siblings}
    return 1 < len(statements) == len(siblings)


def _of_package(names: SourceNames, module: str) -> ImportedName | None:
    """The last import of the package of ``module`` on the file's outermost level."""
    top = module.partition(".")[0]
    of_package = [
        imported
        for imported in names.imported()
        if f"{imported.module}.".startswith(f"{top}.") and _at_top_level(imported)
    ]
    return of_package[-1] if of_package else None


def _dotted_names(expression: str) -> list[Node]:
    """The chains of names and attributes in an expression that begin with a name that it does not bind."""
    found: list[Node] = []
    tree = SourceTree(expression)
    own = set(re.findall(r"\b(?:for|lambda) (\w+)(?: in\b|:)", expression))
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.type == "attribute":
            head = node
            while head.type == "attribute" and (inner := head.child_by_field_name("object")) is not None:
                head = inner
            name = tree.code(head)
            if head.type == "identifier" and not name.startswith(PLACEHOLDER) and name not in own:
                found.append(node)
                continue
        waiting += node.children
    return found
