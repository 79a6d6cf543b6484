"""What rules know of calls that give another value without a word: how they give what they gave."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.knowledge.rules import Rule, is_about, value_rules_of
from backdate.rewriting.rewrite import ReplaceUse, RespellText
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
                    ran = evidence.executed_of(uses.places)
                    places.update((place, None) for place in ran if not _is_written(rule, place, evidence))
            if places and isinstance(rule.rewrite, RespellText):
                places = dict.fromkeys(_spelled(rule.rewrite, evidence))
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


def _spelled(rewrite: RespellText, evidence: FixEvidence) -> Iterator[SourcePlace]:
    """The executed lines that have what is spelled otherwise: a text is compared far from its making."""
    patterns = [re.compile(old) for old, _ in rewrite.texts]
    for file, executed in (evidence.executed or {}).items():
        lines = evidence.texts.get(file, "").splitlines()
        for number in sorted(executed):
            line = lines[number - 1] if number <= len(lines) else ""
            if file not in evidence.kept_files and any(pattern.search(line) for pattern in patterns):
                yield SourcePlace(file=file, line=number)


def _is_written(rule: Rule, place: SourcePlace, evidence: FixEvidence) -> bool:
    """Whether the line has already what a template writes behind the same call: it would be written again."""
    if not isinstance(rule.rewrite, ReplaceUse):
        return False
    _, called, behind = rule.rewrite.template.partition(f"{rule.target}({{args}})")
    lines = evidence.texts.get(place.file, "").splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    return bool(called) and f"){behind.partition('{')[0]}" in line
