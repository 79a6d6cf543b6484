"""Proposals by what became of the object: its other names, its documentation, its new place, its likes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.new_homes import Home, ask_at_once, new_homes
from backdate.rewriting.rewrite import RenameAttribute, ReplaceName, ReplaceUse, Rewrite
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import Subject, subjects_of
from backdate.solvers.rules.star_names import hidden_from_star

_MOST_PROPOSALS = 4


class NewHomeSource:
    """The object of the old name, looked for in the new environment."""

    origin = ProposalOrigin.NEW_HOME

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. What is proposed is there, public, and of the old object's kind."""
        pair = evidence.pair
        if pair is None:
            return ()
        hidden = tuple(hidden_from_star(group, evidence))
        if hidden:
            return hidden[:_MOST_PROPOSALS]
        subjects = [one for one in subjects_of(group, evidence) if one.named and _is_whole(one)]
        lost = [one for one in subjects if _is_lost(one, pair)]
        if not lost:
            return ()
        ask_at_once([*(one.name for one in lost), *_foreseen_names(evidence)], pair)
        proposals: dict[str, Proposal] = {}
        for subject in lost:
            for proposal in _of_subject(subject, evidence, pair):
                if proposal.rewrite is not None:
                    proposals.setdefault(repr(proposal.rewrite), proposal)
        return tuple(proposals.values())[:_MOST_PROPOSALS]


def _is_whole(subject: Subject) -> bool:
    return not subject.argument and "." in subject.name


def _is_lost(subject: Subject, pair: EnvironmentPair) -> bool:
    old = pair.ask_old((subject.name,)).get(subject.name)
    new = pair.ask_new((subject.name,)).get(subject.name)
    return old is not None and old.present and (new is None or not new.present)


def _foreseen_names(evidence: FixEvidence) -> list[str]:
    causes = [group.cause for group in evidence.foreseen]
    return [f"{cause.owner}.{cause.name}" if cause.owner else cause.name for cause in causes]


def _of_subject(subject: Subject, evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[Proposal]:
    old = pair.ask_old((subject.name,))[subject.name]
    found = new_homes(subject.name, old, pair, packages=evidence.packages, arrivals=evidence.arrivals)
    for home in found:
        rewrite = _rewrite(subject, home)
        if rewrite is not None:
            why = AdviceEvidence(kind=EvidenceKind.ASKED, text=home.why)
            yield Proposal(
                origin=ProposalOrigin.NEW_HOME,
                distribution=subject.distribution,
                rewrite=rewrite,
                places=subject.places,
                why=(why,),
            )


def _rewrite(subject: Subject, home: Home) -> Rewrite | None:
    if home.template:
        return ReplaceUse(target=f".{subject.leaf}", template=home.template) if subject.of_object else None
    if not subject.of_object:
        return ReplaceName(old=subject.name, new=home.name, holder=home.holder)
    owner, _, leaf = home.name.rpartition(".")
    if owner != subject.owner or leaf == subject.leaf:
        return None
    return RenameAttribute(old=subject.leaf, new=leaf, owner=subject.owner.rpartition(".")[2])
