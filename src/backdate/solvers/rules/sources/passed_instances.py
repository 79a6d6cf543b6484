"""Proposals for classes that a function was given and that has to be given an instance now."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.editing.spans import Edit, apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.calls import FunctionCall, call_at
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import source_tree
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin

_INSTANCE = re.compile(
    r"Passing a class\b[^\n]{0,160}\bpass an instance\b[^\n]{0,20}|"
    r"\b(?:provide|pass) an? instance\b[^\n]{0,80}\binstead of (?:a|the) class\b",
    re.IGNORECASE,
)
_LONGEST = 2_000


def passed_instances(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The class that a library's function is given on the failing lines, called without arguments.

    So is what is plainly a class on other lines that failing tests run, where the same function is given
    it: a test of several would fail at each in turn.
    """
    match = _INSTANCE.search(group.cause.message[:_LONGEST])
    places = group.raised_at or group.places[:1]
    if match is None or not places:
        return
    functions = {
        name: library
        for place in places
        for name, _ in _given(evidence, place.file, frozenset({place.line}))
        if (library := evidence.distribution_of(name)) in evidence.versions and library != PYTHON
    }
    edits: dict[str, str] = {}
    for file in dict.fromkeys(place.file for place in places):
        failing = frozenset(place.line for place in places if place.file == file)
        more = (evidence.executed or {}).get(file, frozenset()) - failing
        given = [node for name, node in _given(evidence, file, failing) if name in functions]
        given += [
            node for name, node in _given(evidence, file, more) if name in functions and _is_plain_class(node)
        ]
        if given:
            text = evidence.texts[file]
            called = {node.end_byte: Edit(node.end_byte, node.end_byte, "()") for node in given}
            edits[file] = apply_edits(text, list(called.values()))
    if edits:
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=next(iter(functions.values())),
            file_edits=tuple(FileEdit(file=file, text=text) for file, text in edits.items()),
            edits_key=f"instances for {', '.join(sorted(functions))} in {', '.join(edits)}",
            places=places,
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0][:240]),),
        )


def _given(evidence: FixEvidence, file: str, lines: frozenset[int]) -> Iterator[tuple[str, Node]]:
    """The functions that are called on ``lines``, and what each is given first where that is a name."""
    tree = source_tree(evidence.texts.get(file, ""))
    names = SourceNames(tree)
    for node in nodes_on(tree, lines) if tree.is_python and lines else ():
        call = call_at(node) if node.type == "call" else None
        first = _first(call) if call is not None else None
        dotted = names.dotted(call.function).dotted if call is not None else ""
        if first is not None and dotted:
            yield dotted, first


def _first(call: FunctionCall) -> Node | None:
    first = next(iter(call.positional), None)
    return first if first is not None and first.type in ("identifier", "attribute") else None


def _is_plain_class(node: Node) -> bool:
    leaf = (node.text or b"").decode("utf-8", "replace").rpartition(".")[2]
    return leaf.lstrip("_")[:1].isupper() and not leaf.isupper()
