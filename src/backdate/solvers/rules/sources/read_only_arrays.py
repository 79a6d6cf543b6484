"""Arrays that may not be written any more, as pandas 3.0 shares what it shows: a copy of them may.

So it is with ``numpy.frombuffer``, which takes the place of ``numpy.fromstring`` and shares what it reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression, ReplaceUse
from backdate.rewriting.source_tree import SourceTree, source_tree
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.given_once import given_once
from backdate.solvers.rules.sources.subjects import library_behind

_READ_ONLY = re.compile(
    r"(?:assignment destination|output array|buffer source array|underlying array|array) is read-only"
)

_SHARING = "numpy.frombuffer"


def made_writable(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each variable of the failing line that one attribute or call gives: a copy of that; then copies of
    what is read from buffers."""
    match, place = _READ_ONLY.search(group.cause.message[:2000]), next(iter(group.places), None)
    text = evidence.texts.get(place.file, "") if place is not None else ""
    if match is None or place is None or not text:
        return
    tree = source_tree(text)
    names = SourceNames(tree)
    proposed: set[int] = set()
    for node in nodes_on(tree, frozenset({place.line})) if tree.is_python else ():
        value = given_once(names, node) if node.type == "identifier" else None
        if value is None or value.start_byte in proposed or not _may_be_shared(tree, value):
            continue
        proposed.add(value.start_byte)
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            rewrite=ReplaceExpression(
                expression=tree.code(value), role=ExpressionRole.ASSIGNED, template="{self}.copy()"
            ),
            places=(SourcePlace(file=place.file, line=tree.line(value.start_byte)),),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
        )

    yield from _of_buffers(match[0], group, evidence)


def _of_buffers(said: str, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The arrays that executed lines read from buffers, copied."""
    uses = evidence.uses.names.get(_SHARING)
    places = evidence.executed_of(uses.places) if uses is not None else ()
    if places:
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            rewrite=ReplaceUse(target=_SHARING, template=f"{_SHARING}({{args}}).copy()"),
            places=tuple(dict.fromkeys(places)),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=said),),
        )


def _may_be_shared(tree: SourceTree, value: Node) -> bool:
    return value.type in ("call", "attribute", "subscript") and not tree.code(value).endswith(".copy()")
