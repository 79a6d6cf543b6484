"""What tables of a module announce: names that go, each with what takes its place or the words about it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backdate.mining.documents import LONGEST_WORDS
from backdate.mining.literals import dotted_of, strings_in, text_of
from backdate.mining.loops import Tables, turns_of

_TABLE = re.compile(
    r"deprecat|expired|former|removed|renamed|moved|replaced|redirect|obsolete", re.IGNORECASE
)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:[.:]\w+)*")
_MODULE = re.compile(r"\.{0,3}\w+(?:\.\w+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEntry:
    """One name in a table."""

    name: str
    """Below the module; whole where ``is_whole``."""
    words: str
    new: str = ""
    node: ast.expr
    is_whole: bool = False


def names_a_table(name: str) -> bool:
    """Whether a variable's name says that it holds what is to go."""
    return _TABLE.search(name) is not None


def table_entries(node: ast.Dict | ast.Set, constants: Mapping[str, str]) -> Iterator[TableEntry]:
    """The entries of a literal: ``{"product": "Use `np.prod` instead."}``, ``{"lib:old": "other:new"}``."""
    keyed = node.keys if isinstance(node, ast.Dict) else node.elts
    values = node.values if isinstance(node, ast.Dict) else [None] * len(node.elts)
    for key, value in zip(keyed, values, strict=True):
        name = text_of(key, constants) if key is not None else ""
        if not _DOTTED.fullmatch(name):
            continue
        words = " ".join(strings_in(value))[:LONGEST_WORDS] if value is not None else ""
        words = words or text_of(value, constants)
        yield TableEntry(
            name=name.replace(":", "."),
            words=words,
            new=words.replace(":", ".") if _DOTTED.fullmatch(words) else "",
            node=key or node,
            is_whole=":" in name,
        )


def made_table_entries(
    node: ast.DictComp, constants: Mapping[str, str], tables: Tables
) -> Iterator[TableEntry]:
    """Those that a comprehension makes of another table: ``{n: message.format(n=n) for n in names}``."""
    for turn in turns_of(node.generators[0], node.key, tables):
        known = {**constants, **turn}
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        words = " ".join(" ".join(text_of(value, known) for value in values).split())
        yield TableEntry(name=text_of(node.key, known), words=words[:LONGEST_WORDS], node=node)


def moved_names(call: ast.Call, module: str, constants: Mapping[str, str]) -> Iterator[TableEntry]:
    """Those of a table in a helper's call in ``module``: modules, and the names to be taken from them."""
    for table in call.args:
        if not isinstance(table, ast.Dict):
            continue
        for key, value in zip(table.keys, table.values, strict=True):
            home = text_of(key, constants)
            if not _MODULE.fullmatch(home) or not isinstance(value, ast.List | ast.Tuple):
                continue
            whole = f"{module}{home}" if home.startswith(".") else home
            for name in filter(str.isidentifier, strings_in(value)):
                yield TableEntry(name=name, words=f"{home}: {name}", new=f"{whole}.{name}", node=call)


def handed_names(
    call: ast.Call, module: str, constants: Mapping[str, str], imported: Mapping[str, str]
) -> Iterator[TableEntry]:
    """Those of ``deprecated_alias("lib.module", {"Old": New}, …)`` in that module: what each is, dotted."""
    if not call.args or text_of(call.args[0], constants) != module:
        return
    for table in call.args:
        if not isinstance(table, ast.Dict):
            continue
        for key, value in zip(table.keys, table.values, strict=True):
            name = text_of(key, constants)
            first, dot, rest = (dotted_of(value) or text_of(value, constants)).partition(".")
            new = f"{imported.get(first, first if dot else f'{module}.{first}')}{dot}{rest}"
            if name.isidentifier() and first and _DOTTED.fullmatch(new) and new != f"{module}.{name}":
                yield TableEntry(name=name, words=f"{name} {new}", new=new, node=call)
