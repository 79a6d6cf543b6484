"""Proposals by what differs between a function's signatures: arguments renamed, needed or dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.parameters import (
    SignatureParameter,
    followed_parameters,
    named_now,
    parameters_of,
    successors,
)
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import AddArgument, ChangeArgument, FollowSignature, NamePositional, Rewrite
from backdate.rewriting.stand_ins import stand_ins
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.bound_metadata import bound_metadata
from backdate.solvers.rules.sources.field_metadata import field_metadata
from backdate.solvers.rules.sources.kept_contexts import kept_contexts
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{1,16}>")
_LONGEST_SIGNATURE = 110
_GIVEN_TWICE = "got multiple values for "
_NAMED = {False: "arguments are given by name alone", True: "arguments have another place"}
_KINDS = (CauseKind.UNEXPECTED_ARGUMENT, CauseKind.ARGUMENT_COUNT)


class SignatureSource:
    """The signatures that both environments give for what is called."""

    origin = ProposalOrigin.SIGNATURE

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``."""
        pair = evidence.pair
        if pair is None or bound_metadata(group, evidence) is not None:
            return ()  # without the argument nothing would have the engine
        if field_metadata(group, evidence) is not None or kept_contexts(group, evidence) is not None:
            return ()  # nor the metadata, or the context
        if group.cause.kind not in _KINDS:
            return tuple(_swallowed(group, evidence, pair))
        found: dict[Rewrite, Proposal] = {
            proposal.rewrite: proposal
            for proposal in _of_stand_ins(group, evidence, pair)
            if proposal.rewrite is not None
        }
        for subject in subjects_of(group, evidence):
            if not subject.named:
                continue
            name = subject.name
            old, new = pair.ask_old((name,)).get(name), pair.ask_new((name,)).get(name)
            if old is None or new is None or not old.present or not new.present:
                continue
            for rewrite, why in _rewrites(subject, group.cause, old, new, pair):
                evidence_of_it = AdviceEvidence(kind=EvidenceKind.ASKED, text=_told(name, old, new, why))
                found.setdefault(
                    rewrite,
                    Proposal(
                        origin=self.origin,
                        # what is as it was did not break it: its name was written here a moment ago
                        distribution=subject.distribution if _differ(old, new) else "",
                        rewrite=rewrite,
                        places=subject.places,
                        why=(evidence_of_it,),
                        unsure=isinstance(rewrite, ChangeArgument) and not rewrite.new,
                    ),
                )
        return tuple(found.values())


def _swallowed(group: FailureGroup, evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[Proposal]:
    """Arguments that failing lines give by name, and that only ``**`` takes now: what took their place."""
    at = set(group.places)
    for subject in subjects_of(group, evidence) if at else ():
        uses = evidence.uses.names.get(subject.name)
        given = [word for word, places in uses.keywords.items() if at & places.keys()] if uses else []
        asked = (subject.name,)
        old, new = (pair.ask_old(asked), pair.ask_new(asked)) if given else ({}, {})
        before, after = old.get(subject.name), new.get(subject.name)
        if before is None or after is None or not (before.present and after.present and after.takes_any):
            continue
        for word in given:
            lost = word in before.keywords and word not in after.keywords and after.signature
            for successor in successors(word, before, after, bound=subject.of_object) if lost else ():
                why = f"{successor} takes the place of {word}, which nothing reads any more"
                function = f".{subject.leaf}" if subject.of_object else subject.name
                yield Proposal(
                    origin=ProposalOrigin.SIGNATURE,
                    distribution=subject.distribution,
                    rewrite=ChangeArgument(function=function, argument=word, new=successor),
                    places=subject.places,
                    why=(
                        AdviceEvidence(kind=EvidenceKind.ASKED, text=_told(subject.name, before, after, why)),
                    ),
                )


def _of_stand_ins(group: FailureGroup, evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[Proposal]:
    """For functions of the project that it puts in the place of the one that the cause names."""
    name = group.cause.owner
    old, new = pair.ask_old((name,)).get(name), pair.ask_new((name,)).get(name)
    if old is None or new is None or not old.present or not new.present:
        return
    for file in dict.fromkeys(place.file for place in group.places):
        for one in stand_ins(evidence.texts.get(file, "")):
            followed = followed_parameters(one.parameters, old.signature, new.signature)
            if one.library == name and followed:
                why = _told(name, old, new, f"{one.function} takes its place")
                yield Proposal(
                    origin=ProposalOrigin.SIGNATURE,
                    distribution=evidence.distribution_of(name),
                    rewrite=FollowSignature(function=one.function, parameters=followed),
                    places=(SourcePlace(file=file, line=one.defined),),
                    why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=why),),
                )


def _differ(old: Member, new: Member) -> bool:
    return _shown(old.signature) != _shown(new.signature)


def _told(name: str, old: Member, new: Member, why: str) -> str:
    after = f"{name}{_shortened(new.signature)}"
    if not _differ(old, new):
        return f"{after} is as it was: {why}"
    return f"{why}: {name}{_shortened(old.signature)} became {after}"


def _shortened(signature: str) -> str:
    shown = _shown(signature)
    return shown if len(shown) <= _LONGEST_SIGNATURE else f"{shown[:_LONGEST_SIGNATURE]}…"


def _shown(signature: str) -> str:
    """Without the addresses of what default values are: they differ from one process to the next."""
    return _ADDRESS.sub(">", signature)


def _rewrites(
    subject: Subject, cause: Cause, old: Member, new: Member, pair: EnvironmentPair
) -> Iterator[tuple[Rewrite, str]]:
    function = f".{subject.leaf}" if subject.of_object else subject.name
    before, after = (parameters_of(member, bound=subject.of_object) for member in (old, new))
    if subject.argument:
        for successor in successors(subject.argument, old, new, bound=subject.of_object):
            why = f"{successor} takes the place of {subject.argument}"
            yield ChangeArgument(function=function, argument=subject.argument, new=successor), why
        if not new.takes_any:
            known = any(one.name == subject.argument for one in before)
            why = "it is gone" if known else f"it takes no {subject.argument}"
            yield ChangeArgument(function=function, argument=subject.argument), why
        return
    twice = _GIVEN_TWICE in cause.message
    if cause.name and not twice:
        yield from _needed(function, cause.name, before, after, subject, pair)
        return
    names = named_now(before, after, moved=twice)
    if names:
        yield NamePositional(function=function, names=names), _NAMED[twice]
    elif (gone := _gone_at_the_end(before, after)) and not twice:
        # a call that gives more than that one too many is left alone
        dropped = ChangeArgument(function=function, argument=gone, position=len(after))
        yield dropped, "it is gone"


def _gone_at_the_end(before: Sequence[SignatureParameter], after: Sequence[SignatureParameter]) -> str:
    """The parameter that came after all others, which are as they were; "" where that is not what changed."""
    was, now = [one.name for one in before], [one.name for one in after]
    plain = all(not one.starred and not one.keyword_only for one in (*before, *after))
    return was[len(now)] if plain and len(was) > len(now) and was[: len(now)] == now else ""


def _needed(
    function: str,
    argument: str,
    before: Sequence[SignatureParameter],
    after: Sequence[SignatureParameter],
    subject: Subject,
    pair: EnvironmentPair,
) -> Iterator[tuple[Rewrite, str]]:
    """A required argument, given what it was where nobody gave it."""
    wanted = next((one for one in after if one.name == argument), None)
    if wanted is None or wanted.default is not None or wanted.positional_only:
        return
    was = next((one for one in before if one.name == argument), None)
    position = None if wanted.keyword_only else after.index(wanted)
    # what is called as the parameter, in the function's own module: yaml.Loader
    of_name = [f"{subject.owner}.{argument}"] if argument[:1].isupper() and not subject.of_object else []
    if was is not None and was.default is not None and was.default_object:
        module = subject.owner
        of_default = [f"{module}.{was.default_object.rpartition('.')[2]}", was.default_object]
        for name in _there([*of_default, *of_name], pair):
            made = AddArgument(function=function, argument=argument, value=name, position=position)
            yield made, f"it was {name}"
            return
    for name in _there(of_name, pair):
        made = AddArgument(function=function, argument=argument, value=name, position=position)
        yield made, f"{name} is called so"
        return
    # nobody requires what None is good enough for
    if was is not None and was.default not in (None, "None") and was.literal:
        made = AddArgument(function=function, argument=argument, value=was.default, position=position)
        yield made, f"it was {was.default}"


def _there(names: Sequence[str], pair: EnvironmentPair) -> Iterator[str]:
    members = pair.ask_new(names)
    return (name for name in names if name in members and members[name].present)
