"""Proposals for functions that need another argument and that are called elsewhere, under another name.

``LOADERS = {"yaml": yaml.load}``, then ``LOADERS[kind](text)``: the failing call names no function.
"""

from __future__ import annotations

from dataclasses import replace

from backdate.diagnosis.result import CauseKind
from backdate.rewriting.rewrite import AddArgument, ReplaceUse
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal


def for_values(proposal: Proposal, group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """A ``functools.partial`` with the argument where lines that ran take the function as a value.

    None where the proposal is for something else, no line names the function, or nothing failed yet: a name
    that is taken as a value may never be called, such as a class that others are compared with.
    """
    rewrite, cause = proposal.rewrite, group.cause
    if not group.tests or not isinstance(rewrite, AddArgument) or rewrite.function.startswith("."):
        return None
    uses = evidence.uses.names.get(rewrite.function)
    if cause.kind is not CauseKind.ARGUMENT_COUNT or cause.name != rewrite.argument or uses is None:
        return None
    leaf = cause.owner.rpartition(".")[2]
    if leaf != rewrite.function.rpartition(".")[2]:
        return None
    template = f"functools.partial({rewrite.function}, {rewrite.argument}={rewrite.value})"
    places = tuple(dict.fromkeys((*group.places, *evidence.executed_of(uses.places))))
    value = ReplaceUse(target=rewrite.function, template=template, called=False)
    return replace(proposal, rewrite=value, places=places)
