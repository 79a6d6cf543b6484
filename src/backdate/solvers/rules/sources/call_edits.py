"""Edits of the arguments of calls, by their places in ``ast``."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit

CallArgument = ast.expr | ast.keyword


def arguments_of(call: ast.Call) -> tuple[CallArgument, ...]:
    """All arguments, in the order in which they are written."""
    return tuple(sorted((*call.args, *call.keywords), key=lambda one: (one.lineno, one.col_offset)))


def span_of(node: CallArgument, source: SourceText) -> tuple[int, int]:
    """The characters of an argument, the keyword included."""
    end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
    return source.offset(node.lineno, node.col_offset), end


def without_arguments(call: ast.Call, gone: Container[CallArgument], source: SourceText) -> Iterator[Edit]:
    """The edits that leave out some arguments of a call, and the commas with them."""
    given = arguments_of(call)
    spans = [span_of(one, source) for one in given]
    last = max((number for number, one in enumerate(given) if one not in gone), default=-1)
    for number in range(last):
        if given[number] in gone:
            yield Edit(spans[number][0], spans[number + 1][0], "")
    if last + 1 < len(given):
        start = spans[last][1] if last >= 0 else spans[0][0]
        yield Edit(start, spans[-1][1], "")
