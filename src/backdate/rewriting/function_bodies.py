"""Statements around and before the body of a function: what a decorator did is written inside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from backdate.editing.encodings import DecodedText, line_starts
from backdate.editing.spans import Edit

Function = ast.FunctionDef | ast.AsyncFunctionDef


class FunctionBody:
    """The body of one function in a file's ``text``, behind its docstring."""

    def __init__(self, text: str, function: Function) -> None:
        self._text = text
        self._starts = (*line_starts(text), len(text))
        self._function = function
        documented = ast.get_docstring(function, clean=False) is not None
        self._statements = function.body[1:] if documented else function.body
        first = self._statements[0] if self._statements else function.body[0]
        decorators = [one.lineno for one in getattr(first, "decorator_list", ())]
        self._first_line = min((first.lineno, *decorators))

    @property
    def has_own_lines(self) -> bool:
        """Whether something can be written before it: it begins on a line of its own."""
        start = self._starts[self._first_line - 1]
        before = self._statements[0].col_offset if self._statements else 0
        return bool(self._statements) and not self._text[start : start + before].strip()

    @property
    def is_plain(self) -> bool:
        """Whether its lines can be indented: no text goes over several of them, and nothing in it yields."""
        inside = [node for statement in self._statements for node in ast.walk(statement)]
        return self.has_own_lines and not any(
            isinstance(node, ast.Yield | ast.YieldFrom) or _is_long_text(node) for node in inside
        )

    def within(
        self, before: Sequence[str], openings: Sequence[str], closing: Sequence[str] = ()
    ) -> Iterator[Edit]:
        """Lines ``before`` it, and it as the block within ``openings``; ``closing`` comes behind them."""
        start = self._starts[self._first_line - 1]
        line = self._text[start : self._starts[self._first_line]]
        own = line[: len(line) - len(line.lstrip(" \t"))]
        unit = "\t" if "\t" in own else "    "
        newline = DecodedText(content=self._text, encoding="utf-8").newline
        heads = [*before, *(unit * level + opening for level, opening in enumerate(openings))]
        deeper = unit * len(openings)
        yield Edit(start, start, "".join(f"{own}{head}{newline}" for head in heads) + deeper)
        last = self._statements[-1].end_lineno or self._statements[-1].lineno
        for number in range(self._first_line, last) if deeper else ():
            if self._text[self._starts[number] : self._starts[number + 1]].strip():
                yield Edit(self._starts[number], self._starts[number], deeper)
        if closing:
            end = self._starts[last]
            missing = "" if self._text[:end].endswith(("\n", "\r")) else newline
            yield Edit(end, end, missing + "".join(f"{own}{line}{newline}" for line in closing))


def _is_long_text(node: ast.AST) -> bool:
    of_text = isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    is_long = getattr(node, "end_lineno", 0) != getattr(node, "lineno", 0)
    return is_long and (of_text or isinstance(node, ast.JoinedStr))
