"""A published script as code, an entry point, and cases.

CodeMEnv's scripts define a function, then a list ``test_data``, and call the function in a loop over it that
prints what comes back. Each case becomes one expression that gives the arguments of that call, so that
any other function can be put in its place. What stands below ``if __name__ == "__main__"`` or in a ``main``
that the script calls is read as if it stood at the top. A script of another shape is kept: all but its
functions is the harness.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from backdate.snippets.script_source import at_the_top, names_outside_functions, parsed
from backdate.snippets.snippet import Harness

PRINTED_OTHERWISE = "printed-otherwise"
"""The flag of a script that prints something else than what its function gives."""
_COUNTED = re.compile(r"enumerate\((.+?)(?:, (?:start=)?(\d{1,6}))?\)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScript:
    """What a script is made of."""

    code: str
    entry: str
    harness: Harness
    flags: tuple[str, ...] = ()


def read_script(source: str, entry: str) -> ReadScript:
    """The parts of ``source``; ``entry``: the name of its function as its row has it, which may be wrong."""
    tree = parsed(source)
    if tree is None:
        return ReadScript(code=source, entry=entry, harness=Harness(), flags=("script-unparsable",))
    source, tree = at_the_top(source, tree)
    flags: list[str] = []
    body = [node for node in tree.body if not _is_stray(node)]
    if len(body) != len(tree.body):
        flags.append("stray-line")
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    loop, call = _calling_loop(body, functions)
    data = None if loop is None else _data_of(loop, body)
    if len(functions) > 1:
        flags.append("several-functions")
    if call is not None:
        name = ast.unparse(call.func)
        if entry and name != entry:
            flags.append("several-entry-points")
        entry = name
    cases = () if loop is None or call is None or data is None else _cases(loop, call, data, body, flags)
    if not cases:
        return _as_script(source, body, entry, flags)
    if loop is not None and call is not None and not _prints_the_result(loop, call):
        flags.append(PRINTED_OTHERWISE)
    if len(cases) != 3:
        flags.append("cases-not-three")
    kept = [node for node in body if node is not loop and (data is None or node is not data.statement)]
    return ReadScript(
        code=_source_of(source, kept), entry=entry, harness=Harness(cases=cases), flags=tuple(flags)
    )


def _as_script(source: str, body: list[ast.stmt], entry: str, flags: list[str]) -> ReadScript:
    """The functions, classes and imports as code, all else as a script that runs after them."""
    defining = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    code = [node for node in body if isinstance(node, defining)]
    rest = [node for node in body if not isinstance(node, defining)]
    return ReadScript(
        code=_source_of(source, code),
        entry=entry,
        harness=Harness(script=_source_of(source, rest)),
        flags=(*flags, "harness-as-script"),
    )


def _is_stray(node: ast.stmt) -> bool:
    """A name alone at the top does nothing but fail: a row's field that slipped into its script."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Data:
    """What a loop goes through."""

    elements: tuple[ast.expr, ...]
    counted_from: int | None
    """Of ``enumerate`` the first number."""
    statement: ast.stmt | None
    """Where it is bound to a name."""


def _data_of(loop: ast.For, body: list[ast.stmt]) -> _Data | None:
    """The list that a loop goes through, written there or bound once before; None for any other thing."""
    counted = _COUNTED.match(ast.unparse(loop.iter))
    iterated = loop.iter
    if isinstance(iterated, ast.Call) and counted is not None and iterated.args:
        iterated = iterated.args[0]
    start = int(counted[2] or 0) if counted is not None else None
    statement: ast.stmt | None = None
    if isinstance(iterated, ast.Name):
        others = [node for node in body if node is not loop and iterated.id in names_outside_functions(node)]
        bound = [(node, value) for node in others if (value := _bound(node, iterated.id)) is not None]
        if len(bound) != 1 or len(others) != 1:  # it is changed, or read once more
            return None
        statement, iterated = bound[0]
    if not isinstance(iterated, ast.List | ast.Tuple):
        return None
    return _Data(elements=tuple(iterated.elts), counted_from=start, statement=statement)


def _bound(node: ast.stmt, name: str) -> ast.expr | None:
    """What a statement binds ``name`` to, and nothing besides."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or targets[0].id != name:
        return None
    assert isinstance(node, ast.Assign | ast.AnnAssign)
    return node.value


def _calling_loop(body: list[ast.stmt], functions: set[str]) -> tuple[ast.For | None, ast.Call | None]:
    """The one loop at the top that calls one of the script's own functions, and that call."""
    found = [
        (node, call)
        for node in body
        if isinstance(node, ast.For) and (call := _call_in(node, functions)) is not None
    ]
    return found[0] if len(found) == 1 else (None, None)


def _call_in(loop: ast.For, functions: set[str]) -> ast.Call | None:
    """The first call of one of the script's own functions."""
    for statement in _statements(loop):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
                return node
    return None


def _prints_the_result(loop: ast.For, call: ast.Call) -> bool:
    """Whether a loop ends in ``print(f(…))``, or in ``result = f(…)`` and ``print(result)``."""
    *_, before, printing = (None, None, *_statements(loop))
    if printing is None:
        return False
    printed = {f"print({ast.unparse(call)})"}
    if isinstance(before, ast.Assign):
        printed.add(f"print({ast.unparse(before.targets[0])})")
    return ast.unparse(printing) in printed


def _statements(loop: ast.For) -> list[ast.stmt]:
    """What a loop does for each case, out of its ``try``."""
    return [inner for node in loop.body for inner in (node.body if isinstance(node, ast.Try) else [node])]


def _cases(
    loop: ast.For, call: ast.Call, data: _Data, body: list[ast.stmt], flags: list[str]
) -> tuple[str, ...]:
    """One expression a case: the call's arguments, for the loop's variables, for one element of the data."""
    arguments = _positional(call, body)
    if arguments is None:
        return ()
    setting = []
    for statement in _statements(loop):
        if any(node is call for node in ast.walk(statement)):
            break
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return ()
        setting.append(f" for {ast.unparse(statement.targets[0])} in [{ast.unparse(statement.value)}]")
    if not all(map(_is_literal, data.elements)):
        flags.append("data-not-literal")
    first, target = data.counted_from, ast.unparse(loop.target)
    made = []
    for number, element in enumerate(data.elements, start=first or 0):
        item = ast.unparse(element) if first is None else f"({number}, {ast.unparse(element)})"
        made.append(f"next({arguments} for {target} in [{item}]{''.join(setting)})")
    return tuple(made)


def _positional(call: ast.Call, body: list[ast.stmt]) -> str | None:
    """An expression for the tuple of a call's arguments, those by name in their places; None for others."""
    given = list(call.args)
    if len(given) == 1 and isinstance(given[0], ast.Starred) and not call.keywords:
        return f"tuple({ast.unparse(given[0].value)})"
    if any(isinstance(argument, ast.Starred) for argument in given):
        return None  # Python 2 has no such tuple
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if named:
        function = next(
            node for node in body if isinstance(node, ast.FunctionDef) and node.name == ast.unparse(call.func)
        )
        for parameter in function.args.args[len(given) :]:
            if parameter.arg not in named:
                break
            given.append(named.pop(parameter.arg))
        if named:
            return None
    return f"({''.join(ast.unparse(argument) + ', ' for argument in given)})"


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _source_of(source: str, nodes: Sequence[ast.stmt]) -> str:
    """The lines of statements as they stand, with the comments between those that follow each other."""
    lines = source.splitlines()
    parts = []
    for node in nodes:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        parts.append("\n".join(lines[first - 1 : node.end_lineno]))
    return "\n\n".join(parts) + "\n" if parts else ""
