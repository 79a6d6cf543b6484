"""Loops that make names and announce each: of a list, of a table, or of all that another module offers.

``for key in numpy.__all__: globals()[key] = deprecated(message.format(key))(getattr(numpy, key))``
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backdate.mining.literals import dotted_of, text_of

PLACE = "{0}"
"""Stands for the name in the words of an announcement of all names of a module."""
_MOST_NAMES = 400
Tables = Mapping[str, Sequence[tuple[str, str]]]
"""Keys and values of lists and mappings, by the names that stand for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamesLoop:
    """What a loop makes and announces."""

    turns: tuple[Mapping[str, str], ...]
    """For each turn what its variables are; ``PLACE`` for the names of ``module``."""
    made: str
    """The variable that holds the name that is made."""
    holder: str
    """The class that gets it; "" for the module."""
    module: str
    """The module all of whose names are meant; "" where ``turns`` tells them."""
    call: ast.Call
    """What announces it."""


def names_loop(
    node: ast.For,
    *,
    is_helper: Callable[[ast.Call], bool],
    tables: Tables,
    imported: Mapping[str, str],
) -> NamesLoop | None:
    """What a loop announces; None where it makes no names, or nothing tells which.

    ``tables``: keys and values of the lists and mappings that names stand for. ``imported``: names to
    modules.
    """
    made, holder = next(_made_in(node), ("", ""))
    call = next((one for one in ast.walk(node) if isinstance(one, ast.Call) and is_helper(one)), None)
    if not made or call is None:
        return None
    module = _offering(node.iter, imported)
    is_of_module = module and made in _variables(node.target)
    turns = [{made: PLACE}] if is_of_module else _turns(node.target, node.iter, made, tables)
    if not turns:
        return None
    return NamesLoop(turns=tuple(turns), made=made, holder=holder, module=module, call=call)


def turns_of(node: ast.comprehension, key: ast.expr, tables: Tables) -> list[dict[str, str]]:
    """For each turn of a comprehension that makes a table of names what its variables are."""
    return _turns(node.target, node.iter, key.id, tables) if isinstance(key, ast.Name) else []


def _turns(target: ast.expr, over: ast.expr, made: str, tables: Tables) -> list[dict[str, str]]:
    variables = _variables(target)
    pairs = list(_pairs_in(over, tables))[:_MOST_NAMES]
    turns = [dict(zip(variables, pair, strict=False)) for pair in pairs]
    return [turn for turn in turns if turn.get(made, "").isidentifier()]


def _variables(target: ast.expr) -> list[str]:
    return [one.id for one in _elements(target) if isinstance(one, ast.Name)]


def imports_of(tree: ast.Module) -> dict[str, str]:
    """Names that a module imports, to the modules that they may be; relative imports are left out."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return found


def pairs_of(node: ast.Dict | ast.Set | ast.Tuple | ast.List) -> list[tuple[str, str]]:
    """The texts of a literal: keys with values, or each with what follows it in its own tuple, or with ""."""
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [(key, text_of(value, {})) for one, value in pairs if (key := text_of(one, {}))]
    found = []
    for element in node.elts:
        texts = [text_of(one, {}) for one in _elements(element)]
        if texts and texts[0]:
            found.append((texts[0], texts[1] if len(texts) > 1 else ""))
    return found


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple | ast.List) else [node]


def _made_in(node: ast.For) -> Iterator[tuple[str, str]]:
    """Variables whose names the body makes, each with the class that gets them."""
    for one in ast.walk(node):
        if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store):
            is_scope = isinstance(one.value, ast.Call) and dotted_of(one.value.func) in ("globals", "vars")
            if is_scope and isinstance(one.slice, ast.Name):
                yield one.slice.id, ""
        elif isinstance(one, ast.Call) and dotted_of(one.func) == "setattr" and len(one.args) > 1:
            holder, name = dotted_of(one.args[0]), one.args[1]
            if isinstance(name, ast.Name):
                yield name.id, holder if holder[:1].isupper() else ""


def _offering(node: ast.expr, imported: Mapping[str, str]) -> str:
    """The module whose ``__all__`` or ``dir()`` an expression is; "" for others."""
    dotted = dotted_of(node)
    if isinstance(node, ast.Call) and dotted_of(node.func) == "dir" and node.args:
        dotted = f"{dotted_of(node.args[0])}.__all__"
    first, _, rest = dotted.removesuffix(".__all__").partition(".")
    if not dotted.endswith(".__all__") or first not in imported:
        return ""
    return ".".join(filter(None, (imported[first], rest)))


def _pairs_in(node: ast.expr, tables: Tables) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Call):  # sorted(names), table.items()
        inner = node.func.value if isinstance(node.func, ast.Attribute) else (*node.args, None)[0]
        yield from _pairs_in(inner, tables) if inner is not None else ()
    elif isinstance(node, ast.Name):
        yield from tables.get(node.id, ())
    elif isinstance(node, ast.Dict | ast.Set | ast.Tuple | ast.List):
        yield from pairs_of(node)
