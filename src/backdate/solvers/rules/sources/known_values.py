"""What rules know of calls that give another value without a word: how they give what they gave."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.rules import Rule, is_about, value_rules_of
from backdate.rewriting.rewrite import ReplaceUse, RespellText
from backdate.solvers.rules.executed import function_around
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
                    places.update((place, None) for place in ran if _may_write(rule, place, evidence))
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


def _may_write(rule: Rule, place: SourcePlace, evidence: FixEvidence) -> bool:
    """Whether what a template writes around the same call is not there yet, which would be written again, and
    can stand there: ``await`` in a coroutine alone.
    """
    if not isinstance(rule.rewrite, ReplaceUse):
        return True
    text = evidence.texts.get(place.file, "")
    before, called, behind = rule.rewrite.template.partition(f"{rule.target}({{args}})")
    lines = text.splitlines()
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    before = before.partition("{")[0]
    if called and before in line and f"){behind.partition('{')[0]}" in line:
        return False
    tree = parsed_or_none(text) if before == "await " else None
    return before != "await " or (
        tree is not None and isinstance(function_around(tree, place.line), ast.AsyncFunctionDef)
    )
