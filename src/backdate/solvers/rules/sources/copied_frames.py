"""Code that relied on what pandas shared before 3.0, or on types that it gave: copies, texts, nanoseconds.

With copy-on-write ``frame["a"][mask] = 1`` changes a copy, as does ``frame["a"].fillna(0, inplace=True)``;
columns of texts are no objects any more, categories without members are no groups, and times are counted in
microseconds where nobody says otherwise.
Nothing fails at these lines: a test compares what comes of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import span_of
from backdate.text import version_numbers

_PANDAS_3 = (3, 0)
_GUIDE = "https://pandas.pydata.org/docs/user_guide/copy_on_write.html#chained-assignment"
_NOTES = "https://pandas.pydata.org/docs/whatsnew/v3.0.0.html"
_VALUES = frozenset({CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.CHANGED_TYPE})
_WHOLE = frozenset({"int", "int64"})

_Found = Iterator[tuple[int, Edit]]
"""Edits, each with the line that it is for."""
_Find = Callable[[SourceText, ast.Module], _Found]


def copied_frames(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """What is written since pandas 3.0 on the lines that failing tests run; one proposal for each shape.

    None where pandas did not move to it, or where the error is not about a value.
    """
    old, new = (version_numbers(version) for version in evidence.versions_of("pandas"))
    if not old or not new or not old < _PANDAS_3 <= new or group.cause.kind not in _VALUES:
        return
    parsed = {
        file: (SourceText(text), tree)
        for file in evidence.executed or {}
        if any(word in (text := evidence.texts.get(file, "")) for word in _WORDS)
        and (tree := parsed_or_none(text)) is not None
    }
    for said, where, find in _SHAPES:
        edits: list[FileEdit] = []
        places: list[SourcePlace] = []
        for file, (source, tree) in parsed.items():
            ran = (evidence.executed or {})[file]
            found = [(line, edit) for line, edit in find(source, tree) if line in ran]
            if found:
                edits.append(
                    FileEdit(file=file, text=apply_edits(source.content, sorted({edit for _, edit in found})))
                )
                places += [SourcePlace(file=file, line=line) for line in sorted({at for at, _ in found})]
        if edits:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution="pandas",
                file_edits=tuple(edits),
                edits_key=said,
                places=tuple(places),
                why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=said, since="3.0", source=where),),
            )


def _changed_copies(source: SourceText, tree: ast.Module) -> _Found:
    yield from _chained(source, tree)
    yield from _in_place(source, tree)


def _chained(source: SourceText, tree: ast.Module) -> _Found:
    """``frame["a"][mask] = value``, which is ``frame.loc[mask, "a"] = value``."""
    for node in ast.walk(tree):
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AugAssign) else targets
        for target in targets:
            if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Subscript):
                continue
            column, rows = target.value, target.slice
            if (
                _is_key(column.slice)
                and not isinstance(rows, ast.Slice | ast.Tuple)
                and _is_place(column.value)
            ):
                frame, key, chosen = (source_of(source, one) for one in (column.value, column.slice, rows))
                yield target.lineno, _instead(source, target, f"{frame}.loc[{chosen}, {key}]")


def _in_place(source: SourceText, tree: ast.Module) -> _Found:
    """``frame["a"].fillna(0, inplace=True)``, which is assigned to ``frame["a"]``."""
    for node in ast.walk(tree):
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        column = call.func.value
        place = next((one for one in call.keywords if one.arg == "inplace"), None)
        whole = isinstance(column, ast.Subscript) and _is_key(column.slice) and _is_place(column.value)
        if (
            not whole
            or place is None
            or not isinstance(place.value, ast.Constant)
            or place.value.value is not True
        ):
            continue
        rest = [source_of(source, one) for one in call.args]
        rest += [source_of(source, one) for one in call.keywords if one is not place]
        shown = source_of(source, column)
        yield call.lineno, _instead(source, call, f"{shown} = {shown}.{call.func.attr}({', '.join(rest)})")


def _of_objects(source: SourceText, tree: ast.Module) -> _Found:
    """``series.dtype == object``, which is true of texts no more."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or not _is_dtype(node.left):
            continue
        operator = {ast.Eq: "in", ast.NotEq: "not in"}.get(type(node.ops[0]))
        if operator is not None and _is_object(node.comparators[0]):
            left = source_of(source, node.left)
            yield node.lineno, _instead(source, node, f'{left} {operator} ("object", "str")')


def _counted(source: SourceText, tree: ast.Module) -> _Found:
    """``times.astype("int64")``, which was of nanoseconds."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            continue
        if node.func.attr in ("astype", "view", "groupby") and _is_whole(node.args[0]):
            end = span_of(node.func.value, source)[1]
            yield node.lineno, Edit(end, end, '.astype("datetime64[ns]")')


def _grouped(source: SourceText, tree: ast.Module) -> _Found:
    """``frame.groupby("c")``, which gave groups of categories that nothing is in."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        named = {keyword.arg for keyword in node.keywords}
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        whole = not any(isinstance(one, ast.Starred | ast.GeneratorExp) for one in given)
        if node.func.attr == "groupby" and node.args and whole and not named & {"observed", None}:
            end = max(span_of(one, source)[1] for one in given)
            yield node.lineno, Edit(end, end, ", observed=False")


_SHAPES: tuple[tuple[str, str, _Find], ...] = (
    ("what is taken of a frame is a copy: assignments to it change only that", _GUIDE, _changed_copies),
    ("texts have a type of their own, str, and are no objects", _NOTES, _of_objects),
    ("groups of categories that nothing is in are left out", _NOTES, _grouped),
    ("times have the unit that they are given, mostly microseconds", _NOTES, _counted),
)
_WORDS = ("][", "inplace", "dtype", "astype", "view", "groupby")


def source_of(source: SourceText, node: ast.expr | ast.keyword) -> str:
    """The code of a node as it is written."""
    start, end = span_of(node, source)
    return source.content[start:end]


def _instead(source: SourceText, node: ast.expr, text: str) -> Edit:
    return Edit(*span_of(node, source), text)


def _is_key(node: ast.expr) -> bool:
    """What names a column: a text, a variable, or an attribute."""
    return isinstance(node, ast.Name | ast.Attribute) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _is_place(node: ast.expr) -> bool:
    """What is the same whenever it is asked for: a variable, or an attribute of one."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_place(node.value))


def _is_dtype(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "dtype"


def _is_object(node: ast.expr) -> bool:
    """``object``, "object", "O", ``np.object_``, or a dtype that is made of one of these."""
    if isinstance(node, ast.Call):
        made = isinstance(node.func, ast.Attribute | ast.Name) and len(node.args) == 1
        return made and ast.unparse(node.func).rpartition(".")[2] == "dtype" and _is_object(node.args[0])
    if isinstance(node, ast.Constant):
        return node.value in ("object", "O")
    return ast.unparse(node).rpartition(".")[2] in ("object", "object_") and isinstance(
        node, ast.Name | ast.Attribute
    )


def _is_whole(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return node.value in _WHOLE
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2] in _WHOLE
