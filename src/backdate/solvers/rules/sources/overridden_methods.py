"""Proposals for methods that a library calls otherwise now: they take what it gives them, and no more.

``ParamType.get_metavar`` of click is given ``ctx`` since 8.2, and a class of the project has one without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.class_rewrites import ChangeParameter
from backdate.solvers.rules.overrides import ChangedOverride, changed_overrides
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin

_KINDS = (CauseKind.UNEXPECTED_ARGUMENT, CauseKind.ARGUMENT_COUNT)


def overridden_methods(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each method of the project that the error may be about: parameters as the library's own has."""
    owner, _, method = group.cause.owner.rpartition(".")
    if group.cause.kind not in _KINDS or not method or evidence.pair is None:
        return
    texts = {
        file: text
        for file, text in evidence.texts.items()
        if f"def {method}(" in text and file not in evidence.kept_files
    }
    for changed in changed_overrides(texts, evidence.pair):
        one = changed.override
        if one.method != method or owner.rpartition(".")[2] not in ("", one.owner):
            continue
        for rewrite, said in _rewrites(changed, group.cause.name):
            yield Proposal(
                origin=ProposalOrigin.SIGNATURE,
                distribution=evidence.distribution_of(one.base),
                rewrite=rewrite,
                places=(one.place,),
                why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=f"{one.overridden} {said}"),),
            )


def _rewrites(changed: ChangedOverride, named: str) -> Iterator[tuple[ChangeParameter, str]]:
    one = changed.override
    for parameter in changed.came:
        if parameter.default is None or parameter.name == named:
            added = f"{parameter.name}={parameter.default if parameter.literal else None}"
            rewrite = ChangeParameter(of=(one.base,), methods=(one.method,), adds=added)
            yield rewrite, f"takes {parameter.name} now"
    for name in changed.gone:
        rewrite = ChangeParameter(of=(one.base,), methods=(one.method,), drops=name)
        yield rewrite, f"takes no {name} any more"
