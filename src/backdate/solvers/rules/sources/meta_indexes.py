"""Indexes over several fields of Django's models: ``index_together``, which 5.1 refuses, as ``indexes``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, span_of

_REFUSED = re.compile(r"'class Meta' got invalid attribute\(s\): (?:\w{1,60},)*index_together\b")
_OLD = "index_together"
_CHANGE = DocumentedChange(
    library="django",
    since="5.1",
    said="Meta.indexes takes the place of Meta.index_together",
    source="https://docs.djangoproject.com/en/stable/releases/4.2/#meta-index-together-is-deprecated-in-favor-of-meta-indexes",
)


def meta_indexes(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``indexes = [models.Index(fields=…)]`` in all models of the project; None for another error.

    The first such class ends the import of all others, so that each run would name one more.
    """
    if _REFUSED.search(group.cause.message[:1000]) is None:
        return None
    edits = {
        file: made
        for file, text in evidence.texts.items()
        if _OLD in text and (made := sorted(set(_edits(text))))
    }
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key=f"indexes of models in {', '.join(edits)}",
        places=group.raised_at,
    )


def _edits(text: str) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    source = SourceText(text)
    for model in ast.walk(tree) if tree is not None else ():
        if not isinstance(model, ast.ClassDef):
            continue
        made_by = _index_of(model, tree)
        for meta in model.body:
            if isinstance(meta, ast.ClassDef) and meta.name == "Meta" and made_by:
                yield from _of_meta(meta, made_by, text, source)


def _of_meta(meta: ast.ClassDef, made_by: str, text: str, source: SourceText) -> Iterator[Edit]:
    """The edits of one ``class Meta``; none where its fields or its other indexes are no literals."""
    assigned = {
        node.targets[0].id: node
        for node in meta.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    old, others = assigned.get(_OLD), assigned.get("indexes")
    fields = _fields(old.value) if old is not None else ()
    if old is None or not fields:
        return
    indexes = ", ".join(f"{made_by}(fields={_listed(one)})" for one in fields)
    start, end = span_of(old.targets[0], source)[0], span_of(old.value, source)[1]
    if others is None:
        yield Edit(start, end, f"indexes = [{indexes}]")
        return
    following = text.find("\n", end) + 1 or len(text)
    first = text.rfind("\n", 0, start) + 1
    if not isinstance(others.value, ast.List | ast.Tuple) or text[first:start].strip():
        return
    begin = span_of(others.value, source)[0] + 1
    yield Edit(begin, begin, f"{indexes}, " if others.value.elts else indexes)
    yield Edit(first, following, "")


def _fields(value: ast.expr) -> tuple[tuple[str, ...], ...]:
    """The fields of each index: of several, or of one that stands for itself; () for no literal."""
    try:
        found = ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ()
    if not isinstance(found, list | tuple) or not found:
        return ()
    several = [found] if all(isinstance(one, str) for one in found) else found
    if not all(
        isinstance(one, list | tuple) and all(isinstance(name, str) for name in one) for one in several
    ):
        return ()
    return tuple(tuple(one) for one in several)


def _listed(names: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def _index_of(model: ast.ClassDef, tree: ast.Module | None) -> str:
    """How the file can name ``Index``: beside the base class ``models.Model``, or what it imports."""
    for base in model.bases:
        if isinstance(base, ast.Attribute) and base.attr == "Model":
            return f"{ast.unparse(base.value)}.Index"
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.ImportFrom) or node.level:
            continue
        for alias in node.names:
            if node.module == "django.db.models" and alias.name == "Index":
                return alias.asname or alias.name
            if node.module == "django.db" and alias.name == "models":
                return f"{alias.asname or alias.name}.Index"
    return ""
