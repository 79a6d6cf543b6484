"""Edits by places in ``ast``: arguments of calls, and the texts of the files that edits are for."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from backdate.editing.encodings import split_lines
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FileEdit

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
    yield from without_parts(arguments_of(call), gone, source)


def without_parts(
    given: Sequence[CallArgument], gone: Container[CallArgument], source: SourceText
) -> Iterator[Edit]:
    """The edits that leave out some of what stands between brackets, and the commas with them."""
    spans = [span_of(one, source) for one in given]
    last = max((number for number, one in enumerate(given) if one not in gone), default=-1)
    for number in range(last):
        if given[number] in gone:
            yield Edit(spans[number][0], spans[number + 1][0], "")
    if last + 1 < len(given):
        start = spans[last][1] if last >= 0 else spans[0][0]
        yield Edit(start, spans[-1][1], "")


def edited_files(texts: Mapping[str, str], edits: Mapping[str, Iterable[Edit]]) -> tuple[FileEdit, ...]:
    """The files of ``texts`` with their edits, each of which is made once."""
    return tuple(
        FileEdit(file=file, text=apply_edits(texts[file], sorted(set(made)))) for file, made in edits.items()
    )


def line_behind(statement: ast.stmt | ast.excepthandler, text: str, *lines: str) -> Edit | None:
    """Lines behind a statement, as far in as it; None where it shares its own lines with another one."""
    source = SourceText(text)
    start = source.offset(statement.lineno, statement.col_offset)
    last = source.offset(statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    indentation = text[text.rfind("\n", 0, start) + 1 : start]
    end = text.find("\n", last)
    rest = text[last:end] if end >= 0 else text[last:]
    if indentation.strip() or rest.partition("#")[0].strip():
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    added = "".join(f"{indentation}{line}{newline}" for line in lines)
    return Edit(end + 1, end + 1, added) if end >= 0 else Edit(len(text), len(text), newline + added)


def leaf_of(node: ast.expr) -> str:
    """The last part of a name, ``models.User``; "" for what is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def with_methods(text: str, definition: ast.ClassDef, methods: Sequence[Sequence[str]]) -> str:
    """The text with further methods, each given by its lines, behind the last statement of a class."""
    lines = list(split_lines(text))
    first, last = definition.body[0], definition.body[-1]
    at = last.end_lineno or last.lineno
    head = lines[definition.lineno - 1]
    newline = head[len(head.rstrip("\r\n")) :] or "\n"
    indentation = lines[first.lineno - 1][: first.col_offset]
    added = [
        line for method in methods for line in (newline, *(f"{indentation}{one}{newline}" for one in method))
    ]
    if not lines[at - 1].endswith(("\n", "\r")):
        lines[at - 1] += newline
    return "".join((*lines[:at], *added, *lines[at:]))
