"""The source of a published script: out of its fences and the words around it, and all of it at the top."""

from __future__ import annotations

import ast
import re
import textwrap
import warnings
from collections.abc import Iterator

_FENCE = re.compile(
    r"(?:(`{3,})|^[ \t]*(~{3,}))[^\n`]*\n(.*?)(?:\n[ \t]*(?:\1|\2)|\Z)", re.DOTALL | re.MULTILINE
)
_CODE = re.compile(r"(?:import |from |def |async def |class |@|#)")
_MOST_WORDS = 40
"""Lines of prose around code that stands without fences."""
_MOST_UNFOLDED = 3


def unfenced(text: str) -> tuple[str, tuple[str, ...]]:
    """The longest block between fences, or the text itself where there are none; and what is to be said."""
    blocks = [match[3].strip("\r\n") for match in _FENCE.finditer(text)]
    if not blocks:
        return _without_prose(text.strip("\ufeff\r\n")), ("no-fence",)
    longest = max(blocks, key=len)
    if longest[:1] in (" ", "\t"):  # the whole block may be indented, as in a list
        longest = textwrap.dedent(longest)
    return longest, ("several-fences",) if len(blocks) > 1 else ()


def _without_prose(text: str) -> str:
    """Code that stands between words: from the first line that begins as code does; else the text itself."""
    if not text or parsed(text) is not None:
        return text
    lines = text.splitlines()
    first = next((at for at, line in enumerate(lines) if _CODE.match(line)), len(lines))
    for left in range(min(_MOST_WORDS, len(lines) - first)):
        part = "\n".join(lines[first : len(lines) - left])
        if parsed(part) is not None:
            return part
    return text


def parsed(source: str) -> ast.Module | None:
    """The syntax tree; None where this Python cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def at_the_top(source: str, tree: ast.Module) -> tuple[str, ast.Module]:
    """A script with what a guard for ``__main__``, or a function that it only calls, runs at its top."""
    for _ in range(_MOST_UNFOLDED):
        found = next(_folded(tree), None)
        made = None if found is None else _unfolded(source, *found)
        if made is None:
            break
        source, tree = made
    return source, tree


def _folded(tree: ast.Module) -> Iterator[tuple[ast.stmt, list[ast.stmt], ast.stmt | None]]:
    """Statements that stand for others: which, those, and a call that goes with them."""
    for node in tree.body:
        if isinstance(node, ast.If) and not node.orelse and "__name__" in names_outside_functions(node):
            yield node, node.body, None
    plain = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and ast.unparse(node.args) == ""
        and any(isinstance(inner, ast.For) for inner in node.body)
        and not any(isinstance(inner, ast.Return | ast.Yield | ast.Global) for inner in ast.walk(node))
    }
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            function = plain.get(ast.unparse(node.value.func))
            if function is not None:
                yield node, function.body, function


def _unfolded(
    source: str, node: ast.stmt, inner: list[ast.stmt], holder: ast.stmt | None
) -> tuple[str, ast.Module] | None:
    """The script with ``inner`` in the place of ``node``; None where that would change what it says."""
    lines = source.splitlines()
    if inner[0].lineno == (holder or node).lineno:  # all in one line
        return None
    body = textwrap.dedent("\n".join(lines[inner[0].lineno - 1 : inner[-1].end_lineno])).splitlines()
    replaced = {node.lineno: (node.end_lineno or node.lineno, body)}
    if holder is not None:
        replaced[holder.lineno] = (holder.end_lineno or holder.lineno, [])
    made: list[str] = []
    at = 1
    while at <= len(lines):
        last, instead = replaced.get(at, (at, lines[at - 1 : at]))
        made += instead
        at = last + 1
    text = "\n".join(made) + "\n"
    tree = parsed(text)
    said = [ast.dump(one) for one in inner]
    kept = [] if tree is None else [ast.dump(one) for one in tree.body]
    whole = any(kept[start : start + len(said)] == said for start in range(len(kept)))
    return (text, tree) if tree is not None and whole else None


def names_outside_functions(node: ast.stmt) -> set[str]:
    """The names in a statement that runs where it stands; of a definition none."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return set()
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
