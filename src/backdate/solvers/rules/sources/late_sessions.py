"""What is made in a constructor and wants a loop that runs (aiohttp's sessions): made where it is first used.

``self._session = aiohttp.ClientSession()`` of an object that is made before ``asyncio.run`` becomes a cached
property, and the constructor keeps how it is made.
"""

from __future__ import annotations

import ast
import re

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import span_of, with_methods

_NO_LOOP = re.compile(r"no running event loop|There is no current event loop")
_SAID = "it has to be made while a loop runs"
_SOURCE = "https://docs.aiohttp.org/en/stable/client_reference.html"


def late_sessions(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The attribute that the failing line assigns, as a cached property; None for any other line."""
    if _NO_LOOP.search(group.cause.message[:2000]) is None:
        return None
    for place in group.places:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        changed = with_late_attribute(text, place.line) if text else text
        if changed != text:
            return Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=(FileEdit(file=place.file, text=changed),),
                edits_key=f"what wants a running loop at {place.file}:{place.line}",
                places=(SourcePlace(file=place.file, line=place.line),),
                why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=_SAID, source=_SOURCE),),
            )
    return None


def with_late_attribute(text: str, line: int) -> str:
    """The text with the attribute that ``line`` assigns in a method as a cached property of its class."""
    tree = parsed_or_none(text)
    if not isinstance(tree, ast.Module):
        return text
    for definition in ast.walk(tree):
        if not isinstance(definition, ast.ClassDef) or _has_slots(definition):
            continue
        for method in definition.body:
            if isinstance(method, ast.FunctionDef):
                for node in ast.walk(method):
                    found = _attribute_made(node, line)
                    if found and _assignments(definition, found) == 1:
                        return _changed(text, tree, definition, node, found)
    return text


def _has_slots(definition: ast.ClassDef) -> bool:
    """Whether its objects may have no place for what a cached property keeps."""
    targets = (target for node in definition.body if isinstance(node, ast.Assign) for target in node.targets)
    return any(isinstance(target, ast.Name) and target.id == "__slots__" for target in targets)


def _attribute_made(node: ast.AST, line: int) -> str:
    """The attribute of ``self`` that gets what a call at ``line`` makes; "" for none."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
        return ""
    target = node.targets[0]
    if not isinstance(target, ast.Attribute) or not isinstance(target.value, ast.Name):
        return ""
    at_line = node.lineno <= line <= (node.end_lineno or node.lineno)
    return target.attr if target.value.id == "self" and at_line else ""


def _assignments(definition: ast.ClassDef, attribute: str) -> int:
    stores = (
        node for node in ast.walk(definition) if isinstance(node, ast.Attribute) and node.attr == attribute
    )
    return sum(not isinstance(node.ctx, ast.Load) for node in stores)


def _changed(text: str, tree: ast.Module, definition: ast.ClassDef, node: ast.AST, attribute: str) -> str:
    assert isinstance(node, ast.Assign)
    maker = f"_make_{attribute.lstrip('_')}"
    lines = ("@functools.cached_property", f"def {attribute}(self):", f"    return self.{maker}()")
    text = with_methods(text, definition, (lines,))
    source = SourceText(text)
    start, _ = span_of(node.value, source)
    edits = [Edit(*span_of(node.targets[0], source), f"self.{maker}"), Edit(start, start, "lambda: ")]
    imported = {one.name for each in tree.body if isinstance(each, ast.Import) for one in each.names}
    if "functools" not in imported:
        at = _place_of_import(tree, source)
        newline = "\r\n" if "\r\n" in text else "\n"
        edits.append(Edit(at, at, f"import functools{newline}"))
    return apply_edits(text, sorted(edits))


def _place_of_import(tree: ast.Module, source: SourceText) -> int:
    """Before the first import that is none of ``__future__``, or the first statement."""
    for node in tree.body:
        words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if not words and not future:
            return source.offset(node.lineno, 0)
    return 0
