"""Values of ``parametrize`` that marks were called with, until pytest 4.0: by ``pytest.param``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of

_LONGEST = 2_000
_IS_MARK = re.compile(r"[^\n]{0,80}'MarkDecorator'[^\n]{0,80}")
_MARK = re.compile(r"(?P<mark>(?P<base>(?:\w+\.)*?)mark\.\w+)\Z")
_CHANGE = DocumentedChange(
    library="pytest",
    since="4.0",
    said="marks are no functions of values any more: pytest.param takes them",
    source="https://docs.pytest.org/en/stable/deprecations.html#marks-in-pytest-mark-parametrize",
)


def marked_values(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The values by ``pytest.param`` with their marks; None where no value is a mark's."""
    match = _IS_MARK.search(group.cause.message[:_LONGEST])
    if match is None:
        return None
    files = [place.file for place in group.places]
    files += [test.partition("::")[0] for test in group.tests]
    edits = [
        FileEdit(file=file, text=text)
        for file in dict.fromkeys(files)
        if (text := with_param(evidence.texts.get(file, ""))) != evidence.texts.get(file, "")
    ]
    if not edits:
        return None
    return _CHANGE.mended(tuple(edits), key="marks of values by pytest.param")


def with_param(text: str) -> str:
    """A file's text with ``pytest.param`` for values of its parametrizations that marks are called with."""
    tree = parsed_or_none(text)
    data, lines = text.encode(), text.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def span(node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def code(node: ast.expr) -> str:
        start, end = span(node)
        return data[start:end].decode()

    for call, several in sorted(_marked(tree), key=lambda found: -span(found[0])[0]):
        *given, value = call.args
        mark = _MARK.match(code(call.func if isinstance(call.func, ast.Attribute) else _inner(call)))
        if mark is None:
            continue
        (start, end), (value_start, value_end) = span(call), span(value)
        first, last = value_start, value_end
        if several and isinstance(value, ast.Tuple) and value.elts:
            first, last = span(value.elts[0])[0], span(value.elts[-1])[1]
        words = [code(each.value) for each in call.keywords]
        marks, between, closing = code(call.func), b", ", data[value_end:end]
        if words:  # as they are laid out
            begin = value_end + data[value_end:end].index(str(call.keywords[0].arg).encode())
            until = span(call.keywords[-1].value)[1]
            between, closing = data[value_end:begin], data[until:end]
            words = [data[begin:until].decode()]
        if given or words:
            marks += f"({', '.join([*map(code, given), *words])})"
        opening = data[span(call.func)[1] + 1 : value_start] if not given else b""
        data = b"".join(
            (
                data[:start],
                f"{mark['base']}param(".encode(),
                opening,
                data[first:last],
                between,
                f"marks={marks}".encode(),
                closing.lstrip(b", ") if not words else closing,
                data[end:],
            )
        )
    return data.decode()


def _inner(call: ast.Call) -> ast.expr:
    return call.func.func if isinstance(call.func, ast.Call) else call.func


def _marked(tree: ast.AST | None) -> Iterator[tuple[ast.Call, bool]]:
    """Calls of marks among the values of parametrizations, and whether these have several names."""
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or leaf_of(node.func) != "parametrize" or len(node.args) < 2:
            continue
        names, values = node.args[:2]
        several = isinstance(names, (ast.Tuple, ast.List)) and len(names.elts) > 1
        if isinstance(names, ast.Constant):
            several = "," in str(names.value)
        for value in values.elts if isinstance(values, (ast.List, ast.Tuple)) else ():
            plain = isinstance(value, ast.Call) and not any(each.arg is None for each in value.keywords)
            if isinstance(value, ast.Call) and plain and value.args:
                called = _inner(value)
                if isinstance(called, ast.Attribute) and leaf_of(called.value) == "mark":
                    yield value, several
