"""Proposals for names that were a function, a class or a value, and that are a module now.

``from colorlog import escape_codes`` was a dictionary until 6.0, and is the module that holds it since. What
was meant is in that module, mostly by the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.rewriting.rewrite import ReplaceName
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import subjects_of

_OF_MODULES = re.compile(r"'module' object|of type 'module'|\bmodule '[\w.]{1,200}' has no attribute")
_MODULE = "module"


def became_modules(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """What the failing lines use that is a module now: what the module has by its name."""
    pair = evidence.pair
    if pair is None or not any(_OF_MODULES.search(message[:2000]) for message in group.messages):
        return
    subjects = [one for one in subjects_of(group, evidence) if "." in one.name and not one.of_object]
    names = dict.fromkeys(part for one in subjects for part in (one.name, one.owner) if "." in part)
    before, now = pair.ask_old(names), pair.ask_new(names)
    found = [
        name
        for name in names
        if name in before and name in now and before[name].present and before[name].kind != _MODULE
        if now[name].present and now[name].kind == _MODULE
    ]
    inner = pair.ask_new(f"{name}.{name.rpartition('.')[2]}" for name in found)
    for name in found:
        same = inner.get(f"{name}.{name.rpartition('.')[2]}")
        if same is not None and same.present and same.kind == before[name].kind:
            uses = [one for one in subjects if f"{one.name}.".startswith(f"{name}.")]
            yield Proposal(
                origin=ProposalOrigin.NEW_HOME,
                distribution=uses[0].distribution,
                rewrite=ReplaceName(old=name, new=same.name),
                places=tuple(dict.fromkeys(place for one in uses for place in one.places)),
                why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=f"{name} is a module now, and has it"),),
            )
