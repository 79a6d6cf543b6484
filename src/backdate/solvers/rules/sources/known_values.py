"""What rules know of calls that give another value without a word: how they give what they gave."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.knowledge.rules import is_about, value_rules_of
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.old_behaviour import OldBehaviour


def known_values(evidence: FixEvidence) -> Iterator[OldBehaviour]:
    """A way for each rule that is about a call on lines that the failing tests run."""
    for distribution in sorted(set(evidence.versions) & set(evidence.modules.values())):
        old, new = evidence.versions_of(distribution)
        for rule in value_rules_of(distribution, old=old, new=new):
            places: dict[SourcePlace, None] = {}
            for name, uses in evidence.uses.names.items():
                if evidence.distribution_of(name) == distribution and is_about(rule, name):
                    places.update(dict.fromkeys(evidence.executed_of(uses.places)))
            if places:
                text = rule.words or f"{rule.target} gives something else since {rule.since}"
                yield OldBehaviour(
                    rewrite=rule.rewrite,
                    distribution=distribution,
                    places=tuple(places),
                    why=AdviceEvidence(
                        kind=EvidenceKind.KNOWN, text=text, since=rule.since, source=rule.source
                    ),
                    told=True,
                    rule=rule.name,
                )
