"""Simple mutants of added lines: one operator, constant, return or statement is another. Pure functions."""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.tasks.quality.python_tree import FunctionNode
from backdate.tasks.quality.record import MutationKind

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: ">=",
    ast.GtE: "<",
    ast.Gt: "<=",
    ast.LtE: ">",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}
_LONGEST = 200
_LOGGING = frozenset({"debug", "info", "warning", "error", "exception", "log", "print", "echo", "secho"})
"""Calls that a test need not notice."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file."""

    line: int
    kind: MutationKind
    edit: Edit
    before: str
    after: str


def mutants_of(text: str, lines: Collection[int]) -> tuple[Mutant, ...]:
    """The mutants of ``text`` whose place begins in one of ``lines``; none where it cannot be parsed.

    Docstrings, annotations and messages of logs and exceptions are left alone: nobody has to test them.
    """
    module = parsed_or_none(text)
    if module is None:
        return ()
    source = SourceText(text)
    mutants = {
        mutant.edit: mutant
        for mutant in _Mutator(source, frozenset(lines)).mutants(module)
        if mutant.before != mutant.after
    }
    return tuple(
        mutant for mutant in mutants.values() if parsed_or_none(_applied(text, mutant.edit)) is not None
    )


def choose(groups: Sequence[Sequence[Mutant]], most: int, seed: int) -> list[list[Mutant]]:
    """At most ``most`` of the mutants, by ``seed``: the kinds take turns, so that no kind is all of them."""
    source = random.Random(seed)  # noqa: S311 - nothing hostile runs
    every = [(number, mutant) for number, group in enumerate(groups) for mutant in group]
    source.shuffle(every)
    turns: dict[str, int] = {}
    ordered: list[tuple[int, int, Mutant]] = []
    for number, mutant in every:
        turns[mutant.kind] = turns.get(mutant.kind, 0) + 1
        ordered.append((turns[mutant.kind], number, mutant))
    ordered.sort(key=lambda entry: entry[0])
    chosen: list[list[Mutant]] = [[] for _ in groups]
    for _, number, mutant in ordered[:most]:
        chosen[number].append(mutant)
    return [sorted(group, key=lambda mutant: (mutant.line, mutant.edit)) for group in chosen]


class _Mutator:
    def __init__(self, source: SourceText, lines: frozenset[int]) -> None:
        self._source = source
        self._lines = lines

    def mutants(self, module: ast.Module) -> Iterator[Mutant]:
        waiting: list[ast.AST] = [module]
        while waiting:
            node = waiting.pop()
            waiting += _children(node)
            if getattr(node, "lineno", 0) in self._lines:
                yield from self._of(node)
            if isinstance(node, FunctionNode | ast.If | ast.For | ast.While | ast.With | ast.Try):
                yield from self._deletions(node)

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        match node:
            case ast.Compare(ops=[operator], left=left, comparators=[right]):
                gap = Edit(self._end(left), self._start(right), "")
                yield self._mutant(node, "comparison", self._operator(gap, operator))
            case ast.BoolOp(values=[left, right, *_], op=op):
                between = Edit(self._end(left), self._start(right), "")
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                replaced = self._text(between).replace(old, new, 1)
                yield self._mutant(node, "boolean", Edit(between.start, between.end, replaced))
            case ast.UnaryOp(op=ast.Not()):
                start = self._start(node)
                yield self._mutant(node, "boolean", Edit(start, start + len("not"), ""))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
                    start, end = self._start(test), self._end(test)
                    yield self._mutant(test, "boolean", Edit(start, end, f"not ({self._cut(start, end)})"))
            case ast.Constant(value=value) if value is not None and value is not Ellipsis:
                yield from self._constant(node, value)
            case ast.Return(value=value) if value is not None and not _is_none(value):
                start, end = self._start(value), self._end(value)
                yield self._mutant(node, "return", Edit(start, end, "None"))

    def _constant(self, node: ast.Constant, value: object) -> Iterator[Mutant]:
        new = ""
        if isinstance(value, bool):
            new = str(not value)
        elif isinstance(value, int | float):
            new = repr(value + 1)
        elif isinstance(value, str) and value and self._cut(self._start(node), self._end(node))[0] in "\"'":
            new = repr(f"{value}-other")
        if new:
            yield self._mutant(node, "constant", Edit(self._start(node), self._end(node), new))

    def _deletions(self, node: ast.AST) -> Iterator[Mutant]:
        for name in ("body", "orelse", "finalbody"):
            for statement in getattr(node, name, ()):
                if statement.lineno in self._lines and _may_go(statement):
                    edit = Edit(self._start(statement), self._end(statement), "pass")
                    yield self._mutant(statement, "deletion", edit)

    def _operator(self, gap: Edit, operator: ast.cmpop) -> Edit:
        """The gap between two operands with another operator; parentheses and line ends in it stay."""
        text = self._text(gap)
        for spelled in _SPELLED[type(operator)]:
            if spelled in text:
                other = _COMPARISONS[type(operator)]
                return Edit(gap.start, gap.end, text.replace(spelled, other, 1))
        return Edit(gap.start, gap.end, text)

    def _mutant(self, node: ast.AST, kind: MutationKind, edit: Edit) -> Mutant:
        line: int = getattr(node, "lineno", 0)
        start, end = min(edit.start, self._start(node)), max(edit.end, self._end(node))
        before = self._cut(start, end)
        after = before[: edit.start - start] + edit.replacement + before[edit.end - start :]
        return Mutant(line, kind, edit, _one_line(before), _one_line(after))

    def _start(self, node: ast.AST) -> int:
        assert isinstance(node, ast.expr | ast.stmt)
        return self._source.offset(node.lineno, node.col_offset)

    def _end(self, node: ast.AST) -> int:
        assert isinstance(node, ast.expr | ast.stmt)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._source.offset(node.end_lineno, node.end_col_offset)

    def _text(self, edit: Edit) -> str:
        return self._cut(edit.start, edit.end)

    def _cut(self, start: int, end: int) -> str:
        return self._source.content[start:end]


_SPELLED: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Eq: ("==",),
    ast.NotEq: ("!=",),
    ast.Lt: ("<",),
    ast.GtE: (">=",),
    ast.Gt: (">",),
    ast.LtE: ("<=",),
    ast.Is: ("is",),
    ast.IsNot: ("is not",),
    ast.In: ("in",),
    ast.NotIn: ("not in",),
}


def _children(node: ast.AST) -> list[ast.AST]:
    """What below ``node`` may be mutated."""
    match node:
        case ast.AnnAssign(value=value):
            return [] if value is None else [value]
        case ast.Raise() | ast.Assert() | ast.JoinedStr():
            return []
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__"):
            return []  # __version__, __all__
        case ast.Expr(value=ast.Constant()):
            return []
        case ast.Call(func=called) if _last_name(called) in _LOGGING or _last_name(called) == "warn":
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.args.defaults, *(each for each in node.args.kw_defaults if each), *node.body]
        case ast.ClassDef():
            return list(node.body)
    return list(ast.iter_child_nodes(node))


def _may_go(statement: ast.stmt) -> bool:
    """Whether a test may be expected to notice that the statement is gone."""
    match statement:
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__"):
            return False
        case ast.Expr(value=ast.Call(func=called)):
            return _last_name(called) not in _LOGGING and _last_name(called) != "warn"
        case ast.Assign() | ast.AugAssign() | ast.Raise() | ast.Expr():
            return True
        case ast.Continue() | ast.Break() | ast.Delete():
            return True
    return False


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]


def _applied(text: str, edit: Edit) -> str:
    return text[: edit.start] + edit.replacement + text[edit.end :]
