"""Proposals for arrays that are used as indices and are no whole numbers any more: where they are made."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.rewriting.source_tree import is_field, source_tree
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.given_once import given_once
from backdate.solvers.rules.sources.subjects import library_behind

_INDICES = re.compile(r"arrays used as indices must be of integer[^\n]{0,40}")


def made_whole(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each variable that is an index on the failing line and that one call gives: that call's result.

    Whole numbers from there on serve every use, also those that no test runs.
    """
    match, place = _INDICES.search(group.cause.message), next(iter(group.places), None)
    text = evidence.texts.get(place.file, "") if place is not None else ""
    if match is None or place is None or not text:
        return
    tree = source_tree(text)
    names = SourceNames(tree)
    for index in nodes_on(tree, frozenset({place.line})) if tree.is_python else ():
        value = given_once(names, index) if _is_index(index) else None
        if value is None or value.type != "call" or ".astype(" in tree.code(value):
            continue
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            rewrite=ReplaceExpression(
                expression=tree.code(value), role=ExpressionRole.ASSIGNED, template="{self}.astype(int)"
            ),
            places=(SourcePlace(file=place.file, line=tree.line(value.start_byte)),),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
        )


def _is_index(node: Node) -> bool:
    parent = node.parent
    is_item = parent is not None and parent.type == "subscript" and not is_field(parent, "value", node)
    return is_item and node.type == "identifier"
