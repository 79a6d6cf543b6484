"""Whether what a failure names is gone, and whether what a text names can take a method's place."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.subjects import Subject, subjects_of


def gone_subjects(group: FailureGroup, evidence: FixEvidence) -> Iterator[Subject]:
    """What a failure names that is gone, at lines that may be edited."""
    for subject in subjects_of(group, evidence):
        if subject.named and evidence.may_edit(subject.places) and is_gone(subject, evidence):
            yield subject


def is_beside(subject: Subject, said: str) -> bool:
    """Whether what takes a method's place is another of its class: a function is called in another way."""
    owner = said.rpartition(".")[0].rpartition(".")[2]
    return not owner or owner in ("self", subject.owner.rpartition(".")[2])


def is_gone(subject: Subject, evidence: FixEvidence) -> bool:
    """Whether a library that moved had it, and the new environment has it no more, as far as anybody knows.

    Only of what the failing tests run.
    """
    if evidence.pair is None or subject.distribution in ("", PYTHON):
        return False
    if evidence.executed is not None and not evidence.executed_of(subject.places):
        return False
    member = evidence.pair.ask_new((subject.name,)).get(subject.name)
    if subject.argument:
        return member is None or not member.present or subject.argument not in member.keywords
    return member is None or not member.present
