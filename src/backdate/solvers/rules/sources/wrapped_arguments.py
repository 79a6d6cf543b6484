"""Proposals for arguments that NumPy and SciPy brought into form themselves, and refuse now."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.calls import FunctionCall, call_at
from backdate.rewriting.expressions import nodes_on
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import source_tree
from backdate.rewriting.spelling import spell_expression
from backdate.rewriting.template import as_python, fill, given_by
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin

_LONGEST = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _RefusedShape:
    """What a message says of a shape, and what the function made of it before."""

    says: re.Pattern[str]
    package: str
    distribution: str
    since: str
    source: str
    template: str
    arguments: int
    """How many, from the first one, are meant."""
    others: frozenset[str] = frozenset()
    """Functions of the package that something else is written for."""


_REFUSED = (
    _RefusedShape(
        says=re.compile(r"Input vector should be 1-D"),
        package="scipy.spatial.distance",
        distribution="scipy",
        since="1.9",
        source="https://docs.scipy.org/doc/scipy/release/1.9.0-notes.html",
        template="numpy.ravel({self})",
        arguments=2,
    ),
    _RefusedShape(
        says=re.compile(r"The requested array has an inhomogeneous shape after[^\n]{0,80}"),
        package="numpy",
        distribution="numpy",
        since="1.24",
        source="https://numpy.org/doc/stable/release/1.24.0-notes.html",
        template="numpy.array({self}, dtype=object)",
        arguments=1,
        others=frozenset({"array", "asarray", "asanyarray", "ascontiguousarray", "atleast_1d"}),
    ),
)


def wrapped_arguments(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The arguments of calls on failing lines in the form that the library gave them before."""
    for refused in _REFUSED:
        match = refused.says.search(group.cause.message[:_LONGEST])
        if match is None:
            continue
        lines: dict[str, set[int]] = {}
        for place in group.raised_at or group.places[:1]:
            lines.setdefault(place.file, set()).add(place.line)
        edits = tuple(
            FileEdit(file=file, text=text)
            for file, numbers in lines.items()
            if (text := _wrapped(evidence.texts.get(file, ""), frozenset(numbers), refused))
        )
        if edits:
            why = AdviceEvidence(
                kind=EvidenceKind.MESSAGE, text=match[0], since=refused.since, source=refused.source
            )
            where = (f"{file}:{sorted(numbers)}" for file, numbers in lines.items())
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=refused.distribution,
                file_edits=edits,
                edits_key=f"{refused.template} in {', '.join(where)}",
                places=group.raised_at or group.places[:1],
                why=(why,),
            )


def _wrapped(text: str, lines: frozenset[int], refused: _RefusedShape) -> str:
    """``text`` with the arguments wrapped; "" where nothing is."""
    tree = source_tree(text)
    if not tree.is_python:
        return ""
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: dict[tuple[int, int], Edit] = {}
    for node in nodes_on(tree, lines):
        call = call_at(node) if node.type == "call" else None
        for argument in _meant(call, names, refused) if call is not None else ():
            python = spell_expression(names, imports, as_python(refused.template), argument)
            filled = fill(python, {"self": given_by(tree, argument)}, use=argument) if python else None
            inside = any(start <= argument.start_byte < end for start, end in edits)
            if filled is not None and not inside:
                edits[argument.start_byte, argument.end_byte] = Edit(
                    argument.start_byte, argument.end_byte, filled
                )
    return apply_edits(text, [*edits.values(), *imports.edits()]) if edits else ""


def _meant(call: FunctionCall, names: SourceNames, refused: _RefusedShape) -> tuple[Node, ...]:
    package, _, leaf = names.dotted(call.function).dotted.rpartition(".")
    if package != refused.package or leaf in refused.others:
        return ()
    plain = [one for one in call.positional[: refused.arguments] if one.type != "list_splat"]
    return tuple(one for one in plain if one.type not in ("integer", "float", "string"))
