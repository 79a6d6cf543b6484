"""Classes that were made from pydantic's ``ConstrainedStr`` and its like: annotated types since 2.0.

``class Code(ConstrainedStr): min_length = 2`` is ``Code = Annotated[str, StringConstraints(min_length=2)]``.
A class that does more than set limits is left alone, and all others with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of
from backdate.text import version_numbers

_LIBRARY = "pydantic"
_GONE = re.compile(
    r"pydantic:Constrained\w+|cannot import name 'Constrained\w+'|no attribute 'Constrained\w+'"
)
_NUMBERS = {name: name for name in ("gt", "ge", "lt", "le", "multiple_of", "strict")}
_LENGTHS = {"min_length": "min_length", "max_length": "max_length"}
_TEXTS = {name: name for name in ("strip_whitespace", "to_lower", "to_upper", "strict")}
_ANCHORED = re.compile(r"(?P<start>[rRuU]?(?P<quote>['\"]))(?P<text>[^'\"\n]*)(?P=quote)")
"""A literal of one line, whose pattern may get an anchor: 1.x looked for a match at the start alone."""
_UNKNOWN_TO_RUST = re.compile(r"\(\?[=!<]|\\[1-9]")
_ANNOTATED_SINCE = (3, 9)
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="2.0",
    said="constrained types are annotated ones",
    source="https://docs.pydantic.dev/latest/migration/#the-constrained-classes-have-been-removed",
)


@dataclass(frozen=True, slots=True)
class _AnnotatedForm:
    """What a base becomes: the plain type, what holds its limits, and the limits by their old names."""

    plain: str
    holder: str
    limits: Mapping[str, str]


_KINDS: Mapping[str, _AnnotatedForm] = {
    "ConstrainedStr": _AnnotatedForm("str", "StringConstraints", {**_TEXTS, **_LENGTHS, "regex": "pattern"}),
    "ConstrainedInt": _AnnotatedForm("int", "Field", _NUMBERS),
    "ConstrainedFloat": _AnnotatedForm("float", "Field", _NUMBERS),
    "ConstrainedBytes": _AnnotatedForm("bytes", "Field", {**_LENGTHS, "strict": "strict"}),
}


def constrained_types(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """All such classes of the project at once."""
    if _GONE.search(group.cause.message[:2000]) is None or not _CHANGE.lies_between(evidence):
        return
    python = version_numbers(evidence.versions_of("python")[1] or "3.12")
    home = "typing" if python >= _ANNOTATED_SINCE else "typing_extensions"
    made: dict[str, list[Edit]] = {}
    places: list[SourcePlace] = []
    for file, text in evidence.texts.items():
        if "Constrained" not in text:
            continue
        changed = None if file in evidence.kept_files else _changed(text, home)
        if changed is None:
            return
        made[file] = [edit for _, edit in changed]
        places += (SourcePlace(file=file, line=line) for line, _ in changed)
    if made:
        yield _CHANGE.mended(
            edited_files(evidence.texts, made), key="constrained types", places=tuple(places)
        )


def _changed(text: str, home: str) -> list[tuple[int, Edit]] | None:
    """The edits of a file, by their lines; None where some use is no class that only sets limits."""
    tree, source = parsed_or_none(text), SourceText(text)
    if tree is None:
        return None
    edits: list[tuple[int, Edit]] = []
    holders: dict[str, None] = {}
    bases: list[ast.expr] = []
    for node in ast.walk(tree):
        kind = _KINDS.get(leaf_of(node.bases[0])) if isinstance(node, ast.ClassDef) and node.bases else None
        if kind is None or not isinstance(node, ast.ClassDef):
            continue
        written = _annotated(node, kind, text)
        if written is None:
            return None
        bases.append(node.bases[0])
        holders[kind.holder] = None
        start = source.offset(node.lineno, node.col_offset)
        end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
        edits.append((node.lineno, Edit(start, end, written)))
    statement = _import_of(tree, text)
    used = [n for n in ast.walk(tree) if isinstance(n, ast.Name | ast.Attribute) and leaf_of(n) in _KINDS]
    if statement is None or len(used) != len(bases) or not all(isinstance(one, ast.Name) for one in bases):
        return None
    return [(statement.lineno, _imports(tree, statement, list(holders), home, source)), *edits]


def _annotated(node: ast.ClassDef, kind: _AnnotatedForm, text: str) -> str | None:
    if len(node.bases) != 1 or node.keywords or node.decorator_list:
        return None
    said, limits = "", []
    for statement in node.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            indentation = " " * node.col_offset
            said = f"\n{indentation}{ast.get_source_segment(text, statement)}"
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            name = kind.limits.get(leaf_of(target))
            value = _value(name, statement.value, text) if name else None
            if value is None:
                return None
            limits.append(f"{name}={value}")
        elif not isinstance(statement, ast.Pass):
            return None
    return f"{node.name} = Annotated[{kind.plain}, {kind.holder}({', '.join(limits)})]{said}"


def _value(name: str, value: ast.expr, text: str) -> str | None:
    """What a limit is given; a pattern as a text that matches from the start."""
    if name != "pattern":
        return ast.get_source_segment(text, value)
    if isinstance(value, ast.Call) and leaf_of(value.func) == "compile":
        if len(value.args) != 1 or value.keywords:
            return None
        value = value.args[0]
    found = _ANCHORED.fullmatch(ast.get_source_segment(text, value) or "")
    if found is None or _UNKNOWN_TO_RUST.search(found["text"]):
        return None
    is_anchored = found["text"].startswith("^") and "|" not in found["text"]
    pattern = found["text"] if is_anchored else f"^(?:{found['text']})"
    return f"{found['start']}{pattern}{found['quote']}"


def _import_of(tree: ast.Module, text: str) -> ast.ImportFrom | None:
    """The one statement that imports such bases from pydantic."""
    found = [
        node
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").partition(".")[0] == _LIBRARY
        and any(alias.name in _KINDS for alias in node.names)
    ]
    plain = len(found) == 1 and not any(alias.asname for alias in found[0].names)
    return found[0] if plain and "#" not in (ast.get_source_segment(text, found[0]) or "#") else None


def _imports(
    tree: ast.Module, statement: ast.ImportFrom, holders: list[str], home: str, source: SourceText
) -> Edit:
    names = [alias.name for alias in statement.names if alias.name not in _KINDS]
    names += [holder for holder in holders if holder not in names]
    line = f"from {_LIBRARY} import {', '.join(sorted(names, key=str.lower))}"
    has_annotated = any(
        alias.name == "Annotated"
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )
    before = "" if has_annotated else f"from {home} import Annotated\n\n"
    start = source.offset(statement.lineno, statement.col_offset)
    end = source.offset(statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    return Edit(start, end, f"{before}{line}")
