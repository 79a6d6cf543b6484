"""A published script as code, an entry point, and cases.

CodeMEnv's scripts define a function, then a list ``test_data``, and call the function in a loop over it that
prints what comes back. Each case becomes one expression that gives the arguments of that call, so that
any other function can be put in its place. A script of another shape is kept: all but its functions is
the harness.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from backdate.snippets.snippet import Harness

DATA = "test_data"
PRINTED_OTHERWISE = "printed-otherwise"
"""The flag of a script that prints something else than what its function gives."""
_FENCE = re.compile(r"```[^\n`]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScript:
    """What a script is made of."""

    code: str
    entry: str
    harness: Harness
    flags: tuple[str, ...] = ()


def unfenced(text: str) -> tuple[str, tuple[str, ...]]:
    """The longest block between fences, or the text itself where there are none; and what is to be said."""
    blocks = [match.strip("\n") for match in _FENCE.findall(text)]
    if not blocks:
        return text.strip("\n"), ("no-fence",)
    return max(blocks, key=len), ("several-fences",) if len(blocks) > 1 else ()


def read_script(source: str, entry: str) -> ReadScript:
    """The parts of ``source``; ``entry``: the name of its function as its row has it, which may be wrong."""
    tree = parsed(source)
    if tree is None:
        return ReadScript(code=source, entry=entry, harness=Harness(), flags=("script-unparsable",))
    flags: list[str] = []
    body = [node for node in tree.body if not _is_stray(node)]
    if len(body) != len(tree.body):
        flags.append("stray-line")
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    loops = [node for node in body if isinstance(node, ast.For)]
    loop = loops[0] if len(loops) == 1 else None
    call = None if loop is None else _call_in(loop, functions)
    data = next((node.value for node in body if isinstance(node, ast.Assign) and _is_data(node)), None)
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
    kept = [node for node in body if node is not loop and not _is_data(node)]
    return ReadScript(
        code=_source_of(source, kept), entry=entry, harness=Harness(cases=cases), flags=tuple(flags)
    )


def parsed(source: str) -> ast.Module | None:
    """The syntax tree; None where this Python cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


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


def _is_data(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == DATA for target in node.targets
    )


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
    loop: ast.For, call: ast.Call, data: ast.expr, body: list[ast.stmt], flags: list[str]
) -> tuple[str, ...]:
    """One expression a case: the call's arguments, for the loop's variables, for one element of the data."""
    arguments = _positional(call, body)
    if arguments is None or not isinstance(data, ast.List | ast.Tuple):
        return ()
    iterated = ast.unparse(loop.iter)
    start = {
        DATA: None,
        f"enumerate({DATA})": 0,
        f"enumerate({DATA}, 1)": 1,
        f"enumerate({DATA}, start=1)": 1,
    }
    if iterated not in start:
        return ()
    setting = []
    for statement in _statements(loop):
        if any(node is call for node in ast.walk(statement)):
            break
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return ()
        setting.append(f" for {ast.unparse(statement.targets[0])} in [{ast.unparse(statement.value)}]")
    if not all(map(_is_literal, data.elts)):
        flags.append("data-not-literal")
    first, target = start[iterated], ast.unparse(loop.target)
    made = []
    for number, element in enumerate(data.elts, start=first or 0):
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
