"""Proposals from the error's own words: "use X instead", and the same name in another case.

A library's own error is often prose that names no module: "PdfFileReader was removed. Use PdfReader instead".
Then it is about the names on the failing line that it mentions, and about attributes of objects there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.advising.told_uses import ToldUse, told_use
from backdate.advising.wording import replacement_in
from backdate.rewriting.rewrite import AddArgument, RenameAttribute, ReplaceUse, Rewrite
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.confirm import takes_keyword
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject, library_behind, subjects_of

_DID_YOU_MEAN = re.compile(r"Did you mean:? [`'\"]?\.?(\w{1,120})[`'\"]?\?")
_ATTRIBUTE = re.compile(r"\.([A-Za-z_]\w{2,80})\b")
_LONGEST = 240
_MOST_READ = 4_000
_GIVE = re.compile(
    r"\b(?:set|setting|pass|passing|specify|specifying|use|using|give|giving|add|adding)"
    r"(?: (?:the|an?|explicitly|argument|parameter|keyword|option)){0,3} [`'\"]{0,2}"
    r"(?P<argument>[a-z]\w{0,60}) ?= ?"
    r"(?P<value>True|False|None|-?\d+(?:\.\d+)?|object|'\w{1,40}'|\"\w{1,40}\")"
    r"(?![\w.(])",
    re.IGNORECASE,
)
"""An argument that a message says to give, as it is written: "Try setting `strict=False`"."""


class MessageSource:
    """Hints in the text of an error."""

    origin = ProposalOrigin.MESSAGE

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. A hint has to name what the new environment has."""
        return tuple(self._proposals(group, evidence))

    def _proposals(self, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
        message = group.cause.message
        for subject in subjects_of(group, evidence):
            for replacement, sentence in _said(message, subject):
                rewrite = rewrite_to(subject, replacement, evidence, words=message)
                if rewrite is not None:
                    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=sentence[:_LONGEST])
                    yield Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(why,),
                    )
        yield from self._told_arguments(group, evidence)
        yield from self._of_objects(group, evidence)

    def _told_arguments(self, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
        """What the message says to give, to what the failing line calls and takes it."""
        for match in _GIVE.finditer(group.cause.message[:_MOST_READ]):
            for subject in subjects_of(group, evidence):
                argument = match["argument"]
                if subject.argument or not takes_keyword(subject.name, argument, evidence, by_name=True):
                    continue
                rewrite = AddArgument(
                    function=f".{subject.leaf}" if subject.of_object else subject.name,
                    argument=argument,
                    value=match["value"],
                )
                yield Proposal(
                    origin=self.origin,
                    distribution=subject.distribution,
                    rewrite=rewrite,
                    places=subject.places,
                    why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0][:_LONGEST]),),
                    unsure=True,
                )

    def _of_objects(self, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
        """What the message shows for an attribute on the failing line, whatever object that is of."""
        place = next(iter(group.places), None)
        text = evidence.texts.get(place.file, "") if place is not None else ""
        lines = text.split("\n")
        numbers = statement_around(text, place.line) if place is not None and text else ()
        code = "\n".join(lines[number - 1] for number in numbers if 0 < number <= len(lines))
        for attribute in dict.fromkeys(_ATTRIBUTE.findall(code)):
            told = told_use(group.cause.message, attribute)
            if told is None:
                continue
            for rewrite in _rewrites(attribute, told):
                why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=told.sentence[:_LONGEST])
                yield Proposal(
                    origin=self.origin,
                    distribution=library_behind(group, evidence),
                    rewrite=rewrite,
                    places=group.places,
                    why=(why,),
                )


def _rewrites(attribute: str, told: ToldUse) -> tuple[Rewrite, ...]:
    """What writes it, where the attribute is called and where it is not."""
    if told.name:
        return (RenameAttribute(old=attribute, new=told.name),)
    return tuple(
        ReplaceUse(target=f".{attribute}", template=told.template, called=called) for called in (True, False)
    )


def _said(message: str, subject: Subject) -> Iterator[tuple[str, str]]:
    """What the message says takes the place of a subject, and the words."""
    name = subject.argument or subject.name
    said = replacement_in(message, name)
    if said is not None and not said.expression:
        yield said.replacement, said.sentence
    for match in _DID_YOU_MEAN.finditer(message[:_MOST_READ]):
        leaf = subject.argument or subject.leaf
        if _spelling(match[1]) == _spelling(leaf) and match[1] != leaf:
            yield match[1], match[0]


def _spelling(name: str) -> str:
    """A name without what distinguishes camelCase from snake_case."""
    return name.replace("_", "").casefold()
