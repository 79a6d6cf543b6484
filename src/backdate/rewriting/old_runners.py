"""Test files that use nose, or what NumPy had for it: the same by pytest and unittest.

A file is changed as a whole or not at all: what is imported of nose fails where it is imported.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from backdate.editing.encodings import DecodedText
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.function_bodies import FunctionBody
from backdate.rewriting.old_runner_uses import (
    ASSERTIONS,
    OldUse,
    RunnerImport,
    bound_elsewhere,
    imports_of_runners,
    names_bound,
    uses_of_runners,
)
from backdate.rewriting.rewrite import DropImport
from backdate.rewriting.source_tree import source_tree
from backdate.rewriting.unused_imports import drop_import

_MAINS = frozenset({"main", "run", "run_exit", "runmodule", "run_module_suite"})
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


class _NotToBeWritten(Exception):
    """Something in the file has no counterpart."""


@dataclass(slots=True)
class _Needed:
    """What the new text has to import and to define."""

    pytest: bool = False
    unittest: bool = False
    skip_test: bool = False
    assertions: dict[str, str] = field(default_factory=dict)


def without_old_runners(text: str) -> str | None:
    """``text`` without nose; None where it uses none, or something of it that has no counterpart."""
    tree = parsed_or_none(text)
    imports = imports_of_runners(tree) if tree is not None else ()
    if tree is None or not imports or bound_elsewhere(tree, imports):
        return None
    try:
        changed = apply_edits(text, _edits(tree, imports, text))
    except _NotToBeWritten:
        return None
    for dotted in (dotted for one in imports if one.stays for _, dotted in one.names):
        lines = frozenset(range(1, changed.count("\n") + 2))
        changed = apply_edits(
            changed, drop_import(source_tree(changed), DropImport(name=dotted), lines).edits
        )
    return changed if changed != text and parsed_or_none(changed) is not None else None


def _edits(tree: ast.Module, imports: Sequence[RunnerImport], text: str) -> Iterator[Edit]:
    source, needed = SourceText(text), _Needed()
    newline = DecodedText(content=text, encoding="utf-8").newline
    done: set[ast.AST] = set()
    taken = names_bound(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _decorated(node, uses_of_runners(node.decorator_list, imports), text, needed, done)
    for use in uses_of_runners((tree,), imports):
        if use.node not in done:
            yield from _used(use, source, needed, taken)
    lines = tuple(_imports_of(tree, needed))
    for one in imports:
        start = source.offset(one.node.lineno, 0)
        end = (
            start if one.stays or one.around else _line_end(text, source.offset(one.node.end_lineno or 0, 0))
        )
        written = (*(f"import {name}" for name in one.others), *lines)
        yield Edit(start, end, "".join(f"{line}{newline}" for line in written))
        lines = ()


def _decorated(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef,
    uses: Sequence[OldUse],
    text: str,
    needed: _Needed,
    done: set[ast.AST],
) -> Iterator[Edit]:
    """The decorators of nose of one definition: marks of pytest, or statements in its body."""
    source = SourceText(text)
    before: list[str] = []
    openings: list[str] = []
    closing: list[str] = []
    for use in uses:
        decorator = next((one for one in node.decorator_list if _called(one) is use.node), None)
        if decorator is None:
            continue  # an argument of another decorator
        done.add(use.node)
        given = decorator if isinstance(decorator, ast.Call) else None
        marks = _marks(use, given, source, text)
        start = source.offset(decorator.lineno, 0)
        end = _line_end(text, source.offset(decorator.end_lineno or decorator.lineno, 0))
        if marks:
            needed.pytest = True
            indentation = text[start:end][: len(text[start:end]) - len(text[start:end].lstrip(" \t"))]
            newline = DecodedText(content=text, encoding="utf-8").newline
            yield Edit(start, end, "".join(f"{indentation}@pytest.mark.{mark}{newline}" for mark in marks))
            continue
        if isinstance(node, ast.ClassDef | ast.AsyncFunctionDef) or given is None:
            raise _NotToBeWritten
        yield Edit(start, end, "")
        if use.name == "raises" and given.args and not given.keywords:
            errors = ", ".join(_code(one, source, text) for one in given.args)
            openings.append(f"with pytest.raises({errors if len(given.args) == 1 else f'({errors})'}):")
            needed.pytest = True
        elif use.name == "with_setup":
            setup, teardown = _setup_and_teardown(given, source, text)
            before += [f"{setup}()"] if setup else []
            if teardown:
                openings.insert(0, "try:")
                closing += ["finally:", f"    {teardown}()"]
        else:
            raise _NotToBeWritten
    if before or openings:
        assert isinstance(node, ast.FunctionDef)
        body = FunctionBody(text, node)
        if not (body.is_plain if openings else body.has_own_lines) or _yields(node):
            raise _NotToBeWritten
        yield from body.within(before, openings, closing)


def _used(use: OldUse, source: SourceText, needed: _Needed, taken: frozenset[str]) -> Iterator[Edit]:
    """A use that is no decorator: an assertion, SkipTest, or the runner itself."""
    node = use.node
    start = source.offset(node.lineno, node.col_offset)
    end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    if use.name in ASSERTIONS and use.is_chain and not taken.isdisjoint((use.name, "*")):
        needed.unittest = True  # NumPy has assertions of the same names
        yield Edit(start, end, f"unittest.TestCase().{ASSERTIONS[use.name]}")
    elif use.name in ASSERTIONS:
        needed.assertions[use.name if use.is_chain else use.local] = ASSERTIONS[use.name]
        if use.is_chain:
            yield Edit(start, end, use.name)
    elif use.name == "SkipTest":
        if use.is_chain or use.local != "SkipTest":
            needed.unittest = True
            yield Edit(start, end, "unittest.SkipTest")
        else:
            needed.skip_test = True
    elif use.name in _MAINS and use.call is not None and use.of_main:
        needed.pytest = True
        call = use.call
        last = source.offset(call.end_lineno or call.lineno, call.end_col_offset or 0)
        yield Edit(source.offset(call.lineno, call.col_offset), last, "pytest.main([__file__])")
    else:
        raise _NotToBeWritten


def _imports_of(tree: ast.Module, needed: _Needed) -> Iterator[str]:
    """The lines in the place of the imports of nose."""
    there = {
        one.name
        for node in tree.body
        if isinstance(node, ast.Import)
        for one in node.names
        if one.asname is None
    }
    if (needed.unittest or needed.assertions) and "unittest" not in there:
        yield "import unittest"
    if needed.skip_test:
        yield "from unittest import SkipTest"
    if needed.pytest and "pytest" not in there:
        yield "import pytest"
    for name, method in needed.assertions.items():
        yield f"{name} = unittest.TestCase().{method}"


def _marks(use: OldUse, call: ast.Call | None, source: SourceText, text: str) -> tuple[str, ...]:
    """The marks of pytest that a decorator says; () where it says none."""
    given = tuple(call.args) if call is not None else ()
    words = {one.arg: one.value for one in call.keywords} if call is not None else {}
    if use.name == "slow" and call is None:
        return ("slow",)
    if use.name == "skipif" and given and len(given) + len(words) <= 2:
        reason = (*given[1:], *words.values())
        said = _code(reason[0], source, text) if reason else repr("not for this environment")
        return (f"skipif({_code(given[0], source, text)}, reason={said})",)
    if use.name == "attr" and call is not None:
        names = [one.value if isinstance(one, ast.Constant) else "" for one in given]
        names += [
            name if isinstance(value, ast.Constant) and value.value is True else ""
            for name, value in words.items()
        ]
        plain = [name for name in names if isinstance(name, str) and _NAME.match(name)]
        if len(plain) != len(names):
            raise _NotToBeWritten
        return tuple(plain)
    return ()


def _setup_and_teardown(call: ast.Call, source: SourceText, text: str) -> tuple[str, str]:
    """What ``with_setup`` is given, as names that can be called; "" for what it is not given."""
    named: dict[str | None, ast.expr] = {one.arg: one.value for one in call.keywords}
    named |= dict(zip(("setup", "teardown"), call.args, strict=False))
    if not set(named) <= {"setup", "teardown"} or len(call.args) > 2:
        raise _NotToBeWritten
    found: list[str] = []
    for key in ("setup", "teardown"):
        value = named.get(key)
        is_none = value is None or (isinstance(value, ast.Constant) and value.value is None)
        if value is not None and not is_none and not isinstance(value, ast.Name | ast.Attribute):
            raise _NotToBeWritten
        found.append("" if value is None or is_none else _code(value, source, text))
    return found[0], found[1]


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))


def _code(node: ast.expr, source: SourceText, text: str) -> str:
    start = source.offset(node.lineno, node.col_offset)
    return text[start : source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)]


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1
