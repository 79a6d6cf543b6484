"""Rules that name a private module, written with the public one around it."""

from __future__ import annotations

from dataclasses import replace

from backdate.knowledge.rules import Rule
from backdate.rewriting.rewrite import ReplaceName
from backdate.solvers.rules.proposals import FixEvidence


def in_public(rule: Rule, evidence: FixEvidence) -> Rule:
    """A rule that names a private module, with the public one around it where that has all that is used."""
    rewrite = rule.rewrite
    if not isinstance(rewrite, ReplaceName) or "._" not in rewrite.new or evidence.pair is None:
        return rule
    public, below = rewrite.new.partition("._")[0], f"{rewrite.old}."
    used = [name.removeprefix(below) for name in evidence.uses.names if name.startswith(below)]
    homes = tuple(f"{public}.{name}" for name in used if "." not in name)
    members = evidence.pair.ask_new(homes) if homes else {}
    there = bool(homes) and all(home in members and members[home].present for home in homes)
    return replace(rule, rewrite=replace(rewrite, new=public)) if there else rule
