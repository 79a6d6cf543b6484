"""Arithmetic of arrays of small integers with a number that does not fit into them (NEP 50, NumPy 2.0).

Until then NumPy took a wider type for ``green * 256``; now it refuses the number: the array is made wider.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.source_tree import SourceTree, is_field, source_tree
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.subjects import library_behind

_REFUSED = re.compile(r"Python integer -?\d+ out of bounds for u?int\d+")
_SOURCE = "https://numpy.org/doc/stable/numpy_2_0_migration_guide.html"
_ARITHMETIC = frozenset({"+", "-", "*", "//", "%", "**", "&", "|", "^", "<<"})
_OPERANDS = frozenset({"identifier", "attribute", "subscript", "call", "parenthesized_expression"})
_SMALL = re.compile(r"\bu?int(?:8|16)\b|\bu?byte\b|['\"][<>|=]?[uiBbHh][12]?['\"]")
_SILENT = frozenset({CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR})
_NUMBERS = frozenset({"integer", "unary_operator"})
_CHANGE = DocumentedChange(
    library="numpy",
    since="2.0",
    said="a small integer keeps its type with a number beside it, and loses the bits that do not fit",
    source=_SOURCE,
)


def widened_integers(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For the failing line: what is added to, or multiplied with, a written number, as plain integers.

    Where no number is written, the right sides of its operators, then the left ones: one is the number.
    """
    if group.cause.kind in _SILENT:
        yield from _shifted(group, evidence)
    match, place = _REFUSED.search(group.cause.message[:2000]), next(iter(group.raised_at), None)
    text = evidence.texts.get(place.file, "") if place is not None else ""
    if match is None or place is None or not text or place.file in evidence.kept_files:
        return
    tree = source_tree(text)
    nodes = list(nodes_on(tree, frozenset({place.line}))) if tree.is_python else []
    beside = {node.start_byte: node for one in nodes for node in _beside_numbers(tree, one)}
    sides = [{one.start_byte: one for one in _sides(tree, nodes, side)} for side in ("right", "left")]
    for operands in [beside] if beside else filter(None, sides):
        edits = [Edit(one.end_byte, one.end_byte, ".astype(int)") for one in operands.values()]
        shown = ", ".join(tree.code(one) for one in operands.values())
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            file_edits=(FileEdit(file=place.file, text=apply_edits(text, sorted(edits))),),
            edits_key=f"plain integers at {place.file}:{place.line}: {shown}",
            places=(place,),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0], since="2.0", source=_SOURCE),),
        )


def _shifted(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """``octets[0] << 8`` gave a wider integer until 2.0 and loses its bits since, without a word.

    Shifts of items on lines that the failing tests run, in a project that names small integers. Scalars and
    arrays are made plain integers alike.
    """
    if not _CHANGE.lies_between(evidence) or not any(map(_SMALL.search, evidence.texts.values())):
        return
    found: dict[str, set[Edit]] = {}
    for file, lines in (evidence.executed or {}).items():
        text = evidence.texts.get(file, "")
        if "<<" not in text or file in evidence.kept_files:
            continue
        tree = source_tree(text)
        for node in nodes_on(tree, frozenset(lines)) if tree.is_python else ():
            left, right = _operands(tree, node, frozenset({"<<"}))
            if left is not None and right is not None and left.type == "subscript":
                found.setdefault(file, set()).add(Edit(left.end_byte, left.end_byte, ".astype(int)"))
    if found:
        yield _CHANGE.mended(
            tuple(
                FileEdit(file=file, text=apply_edits(evidence.texts[file], sorted(edits)))
                for file, edits in found.items()
            ),
            key="shifts of plain integers",
            places=group.places[:1],
        )


def _beside_numbers(tree: SourceTree, node: Node) -> Iterator[Node]:
    """The operand of ``node`` whose other one is a number, written there or bound, where it is arithmetic."""
    left, right = _operands(tree, node)
    for one, other in ((left, right), (right, left)):
        if one is not None and other is not None and _may_be_array(tree, one) and _is_number(tree, other):
            yield one


def _is_number(tree: SourceTree, node: Node) -> bool:
    """Whether it is a written number, or a name that the file gives one: ``offset=300``, ``BASE = 300``."""
    if node.type != "identifier":
        return node.type in _NUMBERS
    holders = [(one.parent, one) for one in tree.identifiers(tree.code(node))]
    return any(
        value is not None and value.type in _NUMBERS
        for holder, name in holders
        if holder is not None
        for field, of in (("name", "default_parameter"), ("left", "assignment"))
        if holder.type == of and is_field(holder, field, name)
        for value in [holder.child_by_field_name("value" if of == "default_parameter" else "right")]
    )


def _sides(tree: SourceTree, nodes: list[Node], side: str) -> Iterator[Node]:
    """One side of each operator whose sides are both no written numbers."""
    for node in nodes:
        both = _operands(tree, node)
        if all(one is not None and _may_be_array(tree, one) for one in both):
            found = node.child_by_field_name(side)
            if found is not None:
                yield found


def _operands(
    tree: SourceTree, node: Node, operators: Set[str] | None = None
) -> tuple[Node | None, Node | None]:
    """The sides of arithmetic; None for any other node."""
    operator = node.child_by_field_name("operator") if node.type == "binary_operator" else None
    if operator is None or tree.code(operator) not in (operators or _ARITHMETIC):
        return None, None
    return node.child_by_field_name("left"), node.child_by_field_name("right")


def _may_be_array(tree: SourceTree, node: Node) -> bool:
    return node.type in _OPERANDS and ".astype(" not in tree.code(node)
