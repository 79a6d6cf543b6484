"""Proposals for what is gone without a successor: the project defines it as the library did."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.homes import MovableDefinition
from backdate.diagnosis.result import CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite import DefineHere, NeededImport
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_KINDS = frozenset(
    {CauseKind.MISSING_NAME, CauseKind.MISSING_ATTRIBUTE, CauseKind.MISSING_MODULE, CauseKind.REMOVED}
)
_DEFINABLE = frozenset({"function", "class", "value"})
_OF_VERSION = re.compile(r"^__\w+__$|version", re.IGNORECASE)
_EMPTY = re.compile(
    r"\A\w+\s*=\s*(?:\{\s*\}|\[\s*\]|(?:\w+\.)*(?:dict|list|set|defaultdict|OrderedDict)\(\w*\))\s*\Z"
)
"""What the library fills while it runs: a copy stays empty."""
_MOST_PROPOSALS = 3


class KeptDefinitionSource:
    """The old environment's own definition: of a function, class or constant that needs little else.

    Only where no other source has anything: a successor, whoever names it, is what a person writes.
    """

    origin = ProposalOrigin.KEPT_DEFINITION

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. What a definition imports is there in the new environment."""
        pair = evidence.pair
        if pair is None or group.cause.kind not in _KINDS or group.cause.owner_is == "type":
            return ()
        subjects = [one for one in subjects_of(group, evidence) if _is_definable(one, pair)]
        definitions = pair.homes_of(one.name for one in subjects).definitions if subjects else {}
        found = [
            _proposal(one, definitions[one.name], evidence)
            for one in subjects
            if one.name in definitions and _is_complete(definitions[one.name], pair)
        ]
        return tuple(found[:_MOST_PROPOSALS])


def _is_definable(subject: Subject, pair: EnvironmentPair) -> bool:
    """Whether it is of a module, and of no version, and only the old environment has it."""
    if subject.argument or subject.of_object or not subject.named or "." not in subject.name:
        return False
    old = pair.ask_old((subject.name,)).get(subject.name)
    new = pair.ask_new((subject.name,)).get(subject.name)
    gone = new is None or not new.present
    if not gone or old is None or not old.present or old.kind not in _DEFINABLE:
        return False
    return "." not in old.qualified and not _OF_VERSION.search(subject.leaf)


def _is_complete(definition: MovableDefinition, pair: EnvironmentPair) -> bool:
    """Whether all that it imports is in the new environment, and it keeps nothing that others fill."""
    if any(_EMPTY.match(text) for _, text in definition.parts):
        return False
    needed = [dotted for _, _, dotted in definition.imports]
    there = pair.ask_new(needed) if needed else {}
    return all(name in there and there[name].present for name in needed)


def _proposal(subject: Subject, definition: MovableDefinition, evidence: FixEvidence) -> Proposal:
    old, new = evidence.versions_of(subject.distribution)
    library = "Python" if subject.distribution == PYTHON else subject.distribution
    origin = " ".join(filter(None, (library, old)))
    said = f"{subject.name} is gone, and nothing takes its place: it is as {origin} defines it"
    comment = f"# {subject.name} as in {origin}" + (f"; {new} lacks it" if new else "")
    return Proposal(
        origin=ProposalOrigin.KEPT_DEFINITION,
        distribution=subject.distribution,
        rewrite=DefineHere(
            name=subject.name,
            definition="\n".join((comment, "\n\n\n".join(text for _, text in definition.parts))),
            binds=tuple(name for name, _ in definition.parts),
            imports=tuple(
                NeededImport(statement=statement, local=local, dotted=dotted)
                for statement, local, dotted in definition.imports
            ),
        ),
        places=_places(subject, group_places=subject.places, evidence=evidence),
        why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=said),),
        last=True,
    )


def _places(
    subject: Subject, *, group_places: tuple[SourcePlace, ...], evidence: FixEvidence
) -> tuple[SourcePlace, ...]:
    """Where it is used or imported, in files that the failing tests run."""
    uses = evidence.uses.names.get(subject.name)
    files = {place.file for place in group_places}
    more = tuple(place for place in uses.places if place.file in files) if uses is not None else ()
    return tuple(dict.fromkeys((*group_places, *more)))
