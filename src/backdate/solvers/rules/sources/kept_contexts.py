"""Contexts of marshmallow's schemas: since 4.0 a schema takes none, and keeps none as ``self.context``.

A schema of the project that reads its context takes and keeps it itself, as the library did for it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of, with_methods

_LIBRARY = "marshmallow"
_CONTEXT, _SCHEMA = "context", "Schema"
_KINDS = (CauseKind.UNEXPECTED_ARGUMENT, CauseKind.MISSING_ATTRIBUTE)
_METHOD = (
    "def __init__(self, *args, context=None, **kwargs):",
    "    super().__init__(*args, **kwargs)",
    "    self.context = {} if context is None else context",
)
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="4.0",
    said="a schema takes no context, and keeps none",
    source="https://marshmallow.readthedocs.io/en/stable/upgrading.html",
)


def kept_contexts(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The schemas that keep their contexts themselves; None where the error is about something else."""
    if group.cause.kind not in _KINDS or group.cause.name != _CONTEXT or not _CHANGE.lies_between(evidence):
        return None
    editable = {file: text for file, text in evidence.texts.items() if file not in evidence.kept_files}
    edits = tuple(
        FileEdit(file=file, text=text)
        for file, text in with_contexts(editable).items()
        if text != evidence.texts[file]
    )
    if not edits:
        return None
    return _CHANGE.mended(edits, key="schemas that keep their contexts", places=group.places[:1])


def with_contexts(texts: Mapping[str, str]) -> dict[str, str]:
    """The files with a method in each schema that is made from the library's own and has a context."""
    classes = [(file, node) for file, text in texts.items() for node in _classes(text)]
    trees = [tree for text in texts.values() if _CONTEXT in text and (tree := parsed_or_none(text))]
    given = {
        leaf_of(call.func)
        for tree in trees
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and any(one.arg == _CONTEXT for one in call.keywords)
    }
    reading = {node.name for _, node in classes if node.name in given or _reads_context(node)}
    found = dict(texts)
    for file, node in sorted(classes, key=lambda pair: -pair[1].lineno):
        own = _SCHEMA in _bases(node) and _LIBRARY in texts[file]
        below = {node.name, *_made_from(node.name, [one for _, one in classes])}
        has_method = any(getattr(one, "name", "") == "__init__" for one in node.body)
        if own and not has_method and below & reading:
            found[file] = with_methods(found[file], node, (_METHOD,))
    return found


def _classes(text: str) -> Iterator[ast.ClassDef]:
    tree = parsed_or_none(text) if "class " in text else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            yield node


def _bases(node: ast.ClassDef) -> set[str]:
    return {leaf_of(base) for base in node.bases}


def _made_from(name: str, classes: Iterable[ast.ClassDef]) -> set[str]:
    """The names of the classes that are made from one, directly or not."""
    known = list(classes)
    found: set[str] = set()
    waiting = [name]
    while waiting:
        base = waiting.pop()
        further = {node.name for node in known if base in _bases(node)} - found
        found |= further
        waiting += further
    return found


def _reads_context(node: ast.ClassDef) -> bool:
    return any(
        isinstance(one, ast.Attribute) and one.attr == _CONTEXT and leaf_of(one.value) == "self"
        for one in ast.walk(node)
    )
