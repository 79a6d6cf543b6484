"""Dotted names in snippets: how a name that somebody wrote reads in full, and which ones some code uses.

The one place where two spellings of an API are made one: "np.asfarray(a)", "numpy.asfarray" and, below
``from numpy import asfarray``, "asfarray".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.source_tree import source_tree

CUSTOMARY = {
    "np": "numpy",
    "pd": "pandas",
    "tf": "tensorflow",
    "plt": "matplotlib.pyplot",
    "sp": "scipy",
    "sns": "seaborn",
    "nx": "networkx",
    "sklearn": "sklearn",
    "jnp": "jax.numpy",
}
"""What libraries are called by custom, where the code itself does not say."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\s*\.\s*[^\W\d]\w*)*")
_LONGEST = 400
_LARGEST = 400_000
_MOST_IDENTIFIERS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class NameUse:
    """One place at which code uses a name of a module."""

    name: str
    """Dotted, aliases expanded; of a builtin its name alone."""
    line: int
    """From 1."""


def aliases_of(code: str) -> dict[str, str]:
    """What each name that the code imports stands for: {"np": "numpy", "asfarray": "numpy.asfarray"}.

    Of any Python, also where parts of it cannot be read.
    """
    if len(code) > _LARGEST:
        return {}
    names = SourceNames(source_tree(code))
    return {imported.local: imported.dotted for imported in names.imported()}


def bare_name(spelled: str) -> str:
    """The dotted name that a text begins with, without arguments, quotes and blanks; "" where there is none.

    "`np.asfarray(a, dtype=…)->ndarray`" gives "np.asfarray"; "def f(x)" gives "f".
    """
    text = spelled[:_LONGEST].strip().strip("`'\"* ").removeprefix("@")
    text = re.sub(r"^(?:async\s+)?(?:def|class|function|method)\s+", "", text)
    found = _DOTTED.match(text)
    return re.sub(r"\s+", "", found.group()) if found is not None else ""


def canonical_name(spelled: str, aliases: Mapping[str, str], library: str = "") -> str:
    """A name in full: aliases expanded by the code's own imports, else by custom; "" for what is no name.

    ``library``: the package that a name belongs to which begins with a class, "DataFrame.append".
    """
    name = bare_name(spelled)
    head, dot, rest = name.partition(".")
    if not name:
        return ""
    if head in aliases:
        name = f"{aliases[head]}{dot}{rest}"
    elif dot and head in CUSTOMARY:
        name = f"{CUSTOMARY[head]}.{rest}"
    elif dot and head[:1].isupper() and library and library != "python":
        name = f"{library}.{name}"
    return name.removeprefix("builtins.").removeprefix("__builtin__.")


def uses_of(code: str) -> tuple[NameUse, ...]:
    """The names of modules that the code uses, the longest chains of attributes, in their order.

    Imports count at their line: "from numpy import asfarray" uses "numpy.asfarray".
    """
    if len(code) > _LARGEST:
        return ()
    tree = source_tree(code)
    if tree.is_too_deep:
        return ()
    names = SourceNames(tree)
    found: dict[tuple[int, str], NameUse] = {}
    for imported in names.imported():
        module = imported.module  # "import os.path" binds "os" and uses "os.path"
        dotted = module if module.startswith(f"{imported.dotted}.") else imported.dotted
        offset = imported.statement.start_byte
        found[offset, dotted] = NameUse(name=dotted, line=tree.line(offset))
    for node in _identifiers(tree.root):
        if not is_use(node):
            continue
        whole = _whole_chain(node)
        dotted = names.dotted(whole).dotted.removeprefix("builtins.")
        if dotted:
            found[whole.start_byte, dotted] = NameUse(name=dotted, line=tree.line(whole.start_byte))
    return tuple(use for _, use in sorted(found.items(), key=lambda item: item[0]))


def uses_any(code: str, names: frozenset[str]) -> tuple[str, ...]:
    """Which of ``names`` the code uses, themselves or something below them, sorted."""
    used = {use.name for use in uses_of(code)}
    return tuple(sorted(name for name in names if any(is_below(other, name) for other in used)))


def is_below(name: str, other: str) -> bool:
    """Whether ``name`` is ``other`` or one of its attributes."""
    return name == other or name.startswith(f"{other}.")


def _identifiers(root: Node) -> Iterator[Node]:
    waiting, left = [root], _MOST_IDENTIFIERS
    while waiting and left:
        node = waiting.pop()
        left -= 1
        if node.type == "identifier":
            yield node
        waiting += node.children


def _whole_chain(node: Node) -> Node:
    """The longest ``a.b.c`` that begins with an identifier."""
    while (parent := node.parent) is not None and parent.type == "attribute":
        if parent.child_by_field_name("object") != node:
            break
        node = parent
    return node
