"""From the text of a test file to its possible changes. Nothing runs here.

Every change replaces or follows one statement, through spans: the rest of the file stays as it is. Whether a
change is sound for a test (that is, makes a real execution fail at it) is found out by running it with the
known solution; the rules here only leave out what can hardly be.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.testing.changed_tests.assertions import changed_assertions, is_assertion
from backdate.testing.changed_tests.kinds import ChangeKind

_SECRET = "backdate_secret_here"  # noqa: S105 - a placeholder
"""Stands for the secret in a candidate's replacement."""
_LEAVES = frozenset({"skip", "skipTest", "skip_test", "xfail", "exit", "_exit", "importorskip", "abort"})
_SWALLOWS = ("raises", "Raises", "suppress", "warns", "Warns", "subTest", "subtests", "assert")
"""Parts of the names of context managers that may swallow the exception of an assertion within."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class PossibleChange:
    """One possible change of one test function."""

    function: str
    """Qualified: "TestShape.test_area"."""
    kind: ChangeKind
    edit: Edit
    """With a placeholder for the secret."""
    line: int
    """Of the assertion, or of the body's last statement."""
    may_be_skirted: bool = False
    """Whether the body may be left before it without an exception that counts: by ``return``, xfail, …"""

    def edit_with(self, secret: str) -> Edit:
        """The edit of the file's text; ``secret`` is made of hexadecimal digits."""
        return Edit(self.edit.start, self.edit.end, self.edit.replacement.replace(_SECRET, secret))


def candidates_of(text: str) -> tuple[PossibleChange, ...] | None:
    """The possible changes of the tests in ``text``, at most one a function and kind.

    None when this interpreter cannot parse it.
    """
    tree = parsed_or_none(text)
    if tree is None:
        return None
    source = SourceText(text)
    functions = list(_tests(tree.body, ""))
    names = [name for name, _ in functions]
    return tuple(
        candidate
        for name, function in functions
        if names.count(name) == 1  # of two definitions nobody can tell which one runs
        for candidate in _of_function(name, function, source)
    )


def changes_of_script(text: str) -> tuple[PossibleChange, ...] | None:
    """The possible changes of a script whose own statements assert; their function is "".

    None when this interpreter cannot parse it.
    """
    tree = parsed_or_none(text)
    if tree is None or not tree.body:
        return None
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    whole = ast.FunctionDef(name="", args=nothing, body=tree.body, decorator_list=[], lineno=0, col_offset=0)
    return tuple(_of_function("", whole, SourceText(text)))


def _tests(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, _Function]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _tests(statement.body, f"{prefix}{statement.name}.")
        elif isinstance(statement, _Function) and "test" in statement.name.lower():
            yield f"{prefix}{statement.name}", statement


def _of_function(name: str, function: _Function, source: SourceText) -> Iterator[PossibleChange]:
    if function.body[0].lineno == function.lineno:
        return  # one line holds the whole function
    if _ends_here(function):
        last = function.body[-1]
        indent = source.content[source.offset(last.lineno, 0) : source.offset(last.lineno, last.col_offset)]
        if not indent.strip():  # it is the first statement of its line
            position = _end_of_line(source.content, _span(last, source)[1])
            edit = Edit(position, position, f"\n{indent}raise AssertionError({_SECRET!r})")
            yield PossibleChange(function=name, kind=ChangeKind.RAISES, edit=edit, line=last.lineno)
    assertion = _last_assertion(function.body)
    if assertion is None or any(isinstance(node, ast.JoinedStr) for node in ast.walk(assertion)):
        return  # f-strings are not written anew: their grammar differs between Python versions
    start, end = _span(assertion, source)
    replacements = {
        kind: ast.unparse(ast.fix_missing_locations(changed))
        for kind, changed in changed_assertions(copy.deepcopy(assertion), _SECRET)
    }
    if replacements:
        replacements[ChangeKind.REPLACED] = f"raise AssertionError({_SECRET!r})"
    skirted = _may_be_left(function)
    for kind, replacement in replacements.items():
        edit = Edit(start, end, replacement)
        yield PossibleChange(
            function=name, kind=kind, edit=edit, line=assertion.lineno, may_be_skirted=skirted
        )


def _span(statement: ast.stmt, source: SourceText) -> tuple[int, int]:
    assert statement.end_lineno is not None
    assert statement.end_col_offset is not None
    start = source.offset(statement.lineno, statement.col_offset)
    return start, source.offset(statement.end_lineno, statement.end_col_offset)


def _end_of_line(text: str, position: int) -> int:
    ends = [end for end in (text.find("\n", position), text.find("\r", position)) if end >= 0]
    return min(ends, default=len(text))


def _ends_here(function: _Function) -> bool:
    """Whether the function, when nothing raises, is left at its end and nowhere else."""
    for node in _own_nodes(function):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
            return False
    return not _may_be_left(function) and not isinstance(function.body[-1], ast.Raise)


def _may_be_left(function: _Function) -> bool:
    """Whether something in the function may end it early without failing its test."""
    for node in _own_nodes(function):
        if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.Call) and _name(node.func) in _LEAVES:
            return True
    return False


def _own_nodes(function: _Function) -> Iterator[ast.AST]:
    """The nodes of the body, without those of functions and classes in it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _last_assertion(body: Sequence[ast.stmt]) -> ast.Assert | ast.Expr | None:
    """The last assertion that runs whenever the body runs to its end."""
    for statement in reversed(body):
        found: ast.Assert | ast.Expr | None = None
        if isinstance(statement, ast.Assert | ast.Expr):
            found = statement if is_assertion(statement) else None
        elif isinstance(statement, ast.With | ast.AsyncWith) and not _may_swallow(statement):
            found = _last_assertion(statement.body)
        elif isinstance(statement, ast.Try) and not statement.handlers:
            found = _last_assertion(statement.finalbody) or _last_assertion(statement.body)
        if found is not None:
            return found
    return None


def _may_swallow(statement: ast.With | ast.AsyncWith) -> bool:
    for item in statement.items:
        call = item.context_expr
        name = _name(call.func if isinstance(call, ast.Call) else call)
        if any(part in name for part in _SWALLOWS):
            return True
    return False


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
