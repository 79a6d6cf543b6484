"""Where a file imports and uses nose, and what NumPy had for it."""

from __future__ import annotations

import ast
import re
import unittest
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

_PYTHON_2 = {
    "assert_equals": "assertEqual",
    "assert_not_equals": "assertNotEqual",
    "assert_almost_equals": "assertAlmostEqual",
    "assert_not_almost_equals": "assertNotAlmostEqual",
    "assert_regexp_matches": "assertRegex",
    "assert_not_regexp_matches": "assertNotRegex",
    "assert_raises_regexp": "assertRaisesRegex",
    "assert_items_equal": "assertCountEqual",
    "eq_": "assertEqual",
    "ok_": "assertTrue",
}
_GONE = frozenset({"assertDictContainsSubset"})
"""What the interpreter that runs this may still have, and Python 3.12 has no more."""
ASSERTIONS = {
    re.sub(r"(?<!^)[A-Z]", lambda found: f"_{found[0].lower()}", name): name
    for name in dir(unittest.TestCase)
    if name.startswith("assert") and "_" not in name and name not in _GONE
} | _PYTHON_2
"""By nose's name the method of a test case, as nose itself made them."""
_TOOLS = frozenset(
    {*ASSERTIONS, "raises", "with_setup", "timed", "istest", "nottest", "make_decorator", "set_trace"}
)
"""What ``from nose.tools import *`` brings."""
_NOSE = re.compile(r"nose(?:\.\w+)*\Z")
_NUMPY = re.compile(r"numpy\.testing\.(?:dec|decorators)\Z")
NUMPY_NAMES = ("run_module_suite", "dec", "decorators")
"""What ``numpy.testing`` held for nose, until 1.25."""
_PARTS = frozenset(
    {"tools", "trivial", "nontrivial", "plugins", "attrib", "skip", "core", "testing", "dec", "decorators"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerImport:
    """One statement on the outermost level that imports something of them."""

    node: ast.Import | ast.ImportFrom | ast.Try
    """A ``try`` where all that it tries imports them."""
    names: tuple[tuple[str, str], ...]
    """Each local name, with what it stands for."""
    others: tuple[str, ...] = ()
    """What else a plain ``import`` imports, as it is written there."""
    stays: bool = False
    """Whether it imports other things from the same module, so that single names are left out of it."""
    around: bool = False
    """Whether it imports a module that holds them among others: ``numpy``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldUse:
    """One use of them."""

    node: ast.expr
    """The name, or the whole chain of attributes."""
    name: str
    """The last part of what it stands for: "assert_equal"."""
    local: str
    """The name that the file has for it, or for what the chain begins with."""
    call: ast.Call | None
    """The call whose function it is."""
    of_main: bool
    """Whether it stands in ``if __name__ == "__main__"``."""

    @property
    def is_chain(self) -> bool:
        """Whether it is reached through a module."""
        return isinstance(self.node, ast.Attribute)


def imports_of_runners(tree: ast.Module) -> tuple[RunnerImport, ...]:
    """The statements that import nose, all of whose names are known."""
    found: list[RunnerImport | None] = []
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            found += [_imported(node, tree), _around(node)]
        elif isinstance(node, ast.Try):
            found.append(_tried(node, tree))
    return tuple(one for one in found if one is not None)


def _tried(node: ast.Try, tree: ast.Module) -> RunnerImport | None:
    """A ``try`` that imports the same names of them in each of its branches, and does nothing else."""
    branches = [node.body, *(handler.body for handler in node.handlers)]
    if node.orelse or node.finalbody or any(len(branch) != 1 for branch in branches):
        return None
    first = [branch[0] for branch in branches]
    found = [_imported(one, tree) for one in first if isinstance(one, ast.Import | ast.ImportFrom)]
    names = {one.names for one in found if one is not None and not (one.stays or one.others)}
    same = {tuple(local for local, _ in each) for each in names}
    if len(found) != len(branches) or None in found or len(same) != 1:
        return None
    return RunnerImport(node=node, names=next(iter(names)))


def _around(node: ast.Import | ast.ImportFrom) -> RunnerImport | None:
    """An import of NumPy, or of its module for tests, under a name of its own."""
    names: tuple[tuple[str, str], ...] = ()
    if isinstance(node, ast.Import):
        names = tuple(
            (one.asname or "numpy", one.name if one.asname else "numpy")
            for one in node.names
            if one.name in ("numpy", "numpy.testing")
        )
    elif node.module == "numpy" and not node.level:
        names = tuple(
            (one.asname or one.name, "numpy.testing") for one in node.names if one.name == "testing"
        )
    return RunnerImport(node=node, names=names, around=True) if names else None


def _imported(node: ast.Import | ast.ImportFrom, tree: ast.Module) -> RunnerImport | None:
    if isinstance(node, ast.Import):
        own = [one for one in node.names if _NOSE.match(one.name)]
        others = tuple(_written(one) for one in node.names if one not in own)
        names = tuple(
            (one.asname or one.name.partition(".")[0], one.name if one.asname else "nose") for one in own
        )
        return RunnerImport(node=node, names=names, others=others) if own else None
    module = node.module or ""
    names = tuple((one.asname or one.name, f"{module}.{one.name}") for one in node.names)
    if not node.level and module == "nose.tools" and node.names[0].name == "*":
        return RunnerImport(node=node, names=_used_tools(tree, node))
    if not node.level and (_NOSE.match(module) or _NUMPY.match(module)):
        return RunnerImport(node=node, names=names)
    gone = tuple(each for each in names if each[1].rpartition(".")[2] in NUMPY_NAMES)
    if not node.level and module == "numpy.testing" and gone:
        return RunnerImport(node=node, names=gone, stays=True)
    return None


def _used_tools(tree: ast.Module, star: ast.ImportFrom) -> tuple[tuple[str, str], ...]:
    """What a file uses of ``nose.tools`` that it gets by a star; that one where it gets more by others."""
    others = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node is not star]
    if any(node.names[0].name == "*" and node.module == "numpy.testing" for node in others):
        return (("*", "nose.tools.*"),)
    bound = set(_bound(tree, set()))
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} & _TOOLS - bound
    return tuple((name, f"nose.tools.{name}") for name in sorted(used))


def _written(one: ast.alias) -> str:
    return f"{one.name} as {one.asname}" if one.asname else one.name


def bound_elsewhere(tree: ast.Module, imports: Sequence[RunnerImport]) -> bool:
    """Whether a name that they bind means something else somewhere in the file, or is not known."""
    own = {name for one in imports if not one.around for name, _ in one.names}
    statements: set[ast.AST] = {inner for one in imports for inner in ast.walk(one.node)}
    return "*" in own or any(name in own for name in _bound(tree, statements))


def names_bound(tree: ast.Module) -> frozenset[str]:
    """All names that a file binds, "*" where it has some of a module whose names nobody knows."""
    return frozenset(_bound(tree, set()))


def _bound(tree: ast.Module, left_out: set[ast.AST]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Import | ast.ImportFrom) and node not in left_out:
            yield from (one.asname or one.name.partition(".")[0] for one in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value  # in ``__all__``, or an annotation


def lines_of_runners(tree: ast.Module) -> frozenset[int]:
    """The lines of statements that import them, and of their uses."""
    imports = imports_of_runners(tree)
    nodes = [*(one.node for one in imports if not one.around)]
    uses = [use.node for use in uses_of_runners((tree,), imports)]
    return frozenset(
        line for node in (*nodes, *uses) for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )


def uses_of_runners(roots: Iterable[ast.AST], imports: Sequence[RunnerImport]) -> tuple[OldUse, ...]:
    """The uses in ``roots``, in no order."""
    known = dict(pair for one in imports for pair in one.names)
    return tuple(use for root in roots for use in _uses(root, known, call=None, of_main=False))


def _uses(node: ast.AST, known: dict[str, str], *, call: ast.Call | None, of_main: bool) -> Iterator[OldUse]:
    found = _use(node, known, call, of_main=of_main)
    if found is not None:
        yield found
        return
    in_main = of_main or (isinstance(node, ast.If) and "__main__" in ast.dump(node.test))
    for child in ast.iter_child_nodes(node):
        outer = node if isinstance(node, ast.Call) and node.func is child else None
        yield from _uses(child, known, call=outer, of_main=in_main)


def _use(node: ast.AST, known: dict[str, str], call: ast.Call | None, *, of_main: bool) -> OldUse | None:
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if not isinstance(inner, ast.Name) or inner.id not in known:
        return None
    assert isinstance(node, ast.Name | ast.Attribute)
    dotted = [*known[inner.id].split("."), *reversed(parts)]
    if dotted[0] == "numpy" and not (dotted[1:2] == ["testing"] and {*dotted[2:3]} & {*NUMPY_NAMES}):
        return None
    rest = [part for part in dotted[1:] if part not in _PARTS]
    name = rest[0] if len(rest) == 1 else ""
    return OldUse(node=node, name=name, local=inner.id, call=call, of_main=of_main)
