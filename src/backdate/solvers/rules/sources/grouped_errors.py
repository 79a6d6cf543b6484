"""Errors that come in a group out of a block of tasks, since anyio 4; code behind it catches the error.

A block that raised what its one task raised raises a group of one. It is taken out of it where it comes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import source_tree
from backdate.rewriting.spelling import spell_expression
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of
from backdate.solvers.rules.sources.tried_statements import tried
from backdate.text import version_numbers

_GROUPS = ("ExceptionGroup", "BaseExceptionGroup")
_BUILT_IN = (3, 11)
_CHANGE = DocumentedChange(
    library="anyio",
    since="4.0",
    said="task groups raise an exception group where they raised the error of their one task",
    source="https://anyio.readthedocs.io/en/stable/versionhistory.html",
)


def grouped_errors(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """Every block of tasks that the failing tests run, with the only error of a group taken out of it."""
    cause = group.cause
    in_group = any(name.rpartition(".")[2] in _GROUPS for name in (cause.type, cause.group))
    if not in_group or not _CHANGE.lies_between(evidence):
        return
    needs_import = version_numbers(evidence.python)[:2] < _BUILT_IN
    edited: list[FileEdit] = []
    places: list[SourcePlace] = []
    for file, text in evidence.texts.items():
        blocks = [] if file in evidence.kept_files else list(_blocks(text))
        lines = [SourcePlace(file=file, line=block.lineno) for block in blocks]
        if blocks and (evidence.executed is None or evidence.executed_of(lines)):
            made = _unpacked(text, blocks, "exceptiongroup.BaseExceptionGroup" if needs_import else "")
            if made:
                edited.append(FileEdit(file=file, text=made))
                places += lines
    if edited:
        yield replace(
            _CHANGE.mended(tuple(edited), key="the only error of a group of tasks", places=tuple(places)),
            last=True,
        )


def _blocks(text: str) -> Iterator[ast.AsyncWith]:
    tree = parsed_or_none(text) if "create_task_group" in text else None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.AsyncWith) and any(
            isinstance(item.context_expr, ast.Call) and leaf_of(item.context_expr.func) == "create_task_group"
            for item in node.items
        ):
            yield node


def _unpacked(text: str, blocks: list[ast.AsyncWith], imported: str) -> str:
    source = source_tree(text)
    imports = ImportEdits(source)
    caught: str | None = "BaseExceptionGroup"
    if imported:
        caught = spell_expression(SourceNames(source), imports, imported, source.root)
    handler = (
        f"except {caught} as errors:",
        "    if len(errors.exceptions) == 1:",
        "        raise errors.exceptions[0]",
        "    raise",
    )
    edits: list[Edit] = []
    for block in blocks:
        inside = any(
            other is not block and other.lineno < block.lineno <= (other.end_lineno or 0) for other in blocks
        )
        if not inside:  # what an inner block raises comes out of the outer one
            edits += tried(text, block, handler)
    return apply_edits(text, sorted([*edits, *imports.edits()])) if edits and caught else ""
