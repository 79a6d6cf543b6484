"""Methods of the project that a library calls on the class by now: ``TestCase._pre_setup`` since Django 5.2.

A class overrides what is a class method of its base by now, and is called without an object.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files

_MISSING = re.compile(
    r"(?:(?P<owner>\w+)\.)?(?P<method>\w+)\(\) missing 1 required positional argument: '(?P<first>\w+)'\Z"
)
_CLASS = "cls"


def class_methods(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """Each method that misses its object, as a class method; older Pythons do not say of which class."""
    said = _MISSING.search(group.cause.message[:2000])
    if group.cause.kind is not CauseKind.ARGUMENT_COUNT or said is None:
        return
    for file, text in evidence.texts.items():
        tree = parsed_or_none(text) if f"def {said['method']}" in text else None
        for method in _methods(tree, said) if tree is not None and file not in evidence.kept_files else ():
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=edited_files(evidence.texts, {file: list(_edits(method, text, said["first"]))}),
                edits_key=f"class method {said['method']} at {file}:{method.lineno}",
                places=(SourcePlace(file=file, line=method.lineno),),
                why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=said[0]),),
            )


def _methods(tree: ast.AST, said: re.Match[str]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef) or not node.bases or said["owner"] not in (None, node.name):
            continue
        for method in node.body:
            if not isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) or method.decorator_list:
                continue
            takes = (*method.args.posonlyargs, *method.args.args)
            if method.name == said["method"] and takes and takes[0].arg == said["first"]:
                yield method


def _edits(method: ast.FunctionDef | ast.AsyncFunctionDef, text: str, first: str) -> Iterator[Edit]:
    """The decorator, and the usual name of the class where it is free."""
    source = SourceText(text)
    start = source.offset(method.lineno, method.col_offset)
    indentation = text[text.rfind("\n", 0, start) + 1 : start]
    newline = "\r\n" if "\r\n" in text else "\n"
    yield Edit(start, start, f"@classmethod{newline}{indentation}")
    named = [node for node in ast.walk(method) if isinstance(node, ast.Name | ast.arg)]
    if any(_name(node) == _CLASS for node in named):
        return
    for node in named:
        if _name(node) == first:
            begin = source.offset(node.lineno, node.col_offset)
            yield Edit(begin, begin + len(first), _CLASS)


def _name(node: ast.Name | ast.arg) -> str:
    return node.id if isinstance(node, ast.Name) else node.arg
