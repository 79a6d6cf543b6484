"""Finders of modules that Python 3.12 does not ask any more: it calls ``find_spec`` and no ``find_module``.

Copies of six from before 2021 have one, and so have projects that import files of their own kinds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import with_methods

_METHOD = (
    "def find_spec(self, fullname, path=None, target=None):",
    "    from importlib.util import spec_from_loader",
    "    loader = self.find_module(fullname, path)",
    "    return None if loader is None else spec_from_loader(fullname, loader)",
)
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.12",
    said="the import system calls find_spec(), and no find_module()",
    source="https://docs.python.org/3/whatsnew/3.12.html#removed",
)


def old_finders(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each class with ``find_module`` that was asked where the tests passed: ``find_spec`` as well."""
    missing = group.cause.kind in (CauseKind.MISSING_MODULE, CauseKind.MISSING_NAME)
    if not missing or not _CHANGE.lies_between(evidence):
        return
    for file, text in evidence.texts.items():
        if "def find_module(" not in text or file in evidence.kept_files:
            continue
        for definition, method in _finders(text):
            lines = range(method.body[0].lineno, (method.end_lineno or method.lineno) + 1)
            inside = tuple(SourcePlace(file=file, line=line) for line in lines)
            if not evidence.executed_of(inside):
                continue
            yield _CHANGE.mended(
                (FileEdit(file=file, text=with_methods(text, definition, (_METHOD,))),),
                key=f"find_spec of {definition.name} in {file}",
                places=(SourcePlace(file=file, line=method.lineno),),
            )


def _finders(text: str) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    """Classes that find modules in the old way alone, each with its method."""
    tree = parsed_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef):
            methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
            if "find_module" in methods and "find_spec" not in methods:
                yield node, methods["find_module"]
