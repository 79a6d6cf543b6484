"""Proposals by what differs between a function's signatures: arguments renamed, needed or dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.advising.lost_names import EnvironmentPair
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.rewrite import AddArgument, ChangeArgument, NamePositional, Rewrite
from backdate.solvers.rules.parameters import SignatureParameter, parameters_in
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.likeness import names_alike
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_KINDS = (CauseKind.UNEXPECTED_ARGUMENT, CauseKind.ARGUMENT_COUNT)
_MOST_RENAMES = 2
_LIKE = 0.3


class SignatureSource:
    """The signatures that both environments give for what is called."""

    origin = ProposalOrigin.SIGNATURE

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``."""
        pair = evidence.pair
        if pair is None or group.cause.kind not in _KINDS:
            return ()
        found: dict[Rewrite, Proposal] = {}
        for subject in subjects_of(group, evidence):
            if not subject.named:
                continue
            name = subject.name
            old, new = pair.ask_old((name,)).get(name), pair.ask_new((name,)).get(name)
            if old is None or new is None or not old.present or not new.present:
                continue
            for rewrite, why in _rewrites(subject, group.cause.name, old, new, pair):
                text = f"{name}{old.signature} became {name}{new.signature}: {why}"
                evidence_of_it = AdviceEvidence(kind=EvidenceKind.ASKED, text=text[:240])
                found.setdefault(
                    rewrite,
                    Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(evidence_of_it,),
                    ),
                )
        return tuple(found.values())


def _rewrites(
    subject: Subject, argument: str, old: Member, new: Member, pair: EnvironmentPair
) -> Iterator[tuple[Rewrite, str]]:
    function = f".{subject.leaf}" if subject.of_object else subject.name
    before, after = _parameters(subject, old), _parameters(subject, new)
    if subject.argument:
        for successor in _successors(subject.argument, before, after, old, new):
            why = f"{successor} takes the place of {subject.argument}"
            yield ChangeArgument(function=function, argument=subject.argument, new=successor), why
        if not new.takes_any:
            yield ChangeArgument(function=function, argument=subject.argument), "it is gone"
        return
    if argument:
        yield from _needed(function, argument, before, after, subject, pair)
        return
    names = _by_name_alone(before, after)
    if names:
        yield NamePositional(function=function, names=names), "arguments are given by name alone"


def _parameters(subject: Subject, member: Member) -> tuple[SignatureParameter, ...]:
    found = parameters_in(member.signature)
    bound = subject.of_object and found and found[0].name == "self"
    return found[1:] if bound else found


def _successors(
    argument: str,
    before: Sequence[SignatureParameter],
    after: Sequence[SignatureParameter],
    old: Member,
    new: Member,
) -> list[str]:
    """New keyword arguments that may be another, the likeliest first: by place, default and name."""
    known = {parameter.name for parameter in before} | set(old.keywords)
    came = {parameter.name: number for number, parameter in enumerate(after) if parameter.name not in known}
    came.update({name: -1 for name in new.keywords if name not in known and name not in came})
    gone = [name for name in old.keywords if name not in new.keywords]
    place = next((number for number, one in enumerate(before) if one.name == argument), -2)
    default = before[place].default if place >= 0 else None

    def score(name: str) -> float:
        same_place = came[name] == place and place >= 0 and not before[place].keyword_only
        same_default = came[name] >= 0 and default is not None and after[came[name]].default == default
        only = len(came) == 1 and len(gone) == 1
        return names_alike(argument, name) + 0.5 * same_place + 0.2 * same_default + 0.4 * only

    likely = [name for name in came if score(name) >= _LIKE]
    return sorted(likely, key=lambda name: (-score(name), name))[:_MOST_RENAMES]


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
    if was is not None and was.default is not None and was.literal:
        made = AddArgument(function=function, argument=argument, value=was.default, position=position)
        yield made, f"it was {was.default}"


def _there(names: Sequence[str], pair: EnvironmentPair) -> Iterator[str]:
    members = pair.ask_new(names)
    return (name for name in names if name in members and members[name].present)


def _by_name_alone(
    before: Sequence[SignatureParameter], after: Sequence[SignatureParameter]
) -> tuple[str, ...]:
    """For ``NamePositional``: which of the old positional parameters take a name now."""
    alone = {one.name for one in after if one.keyword_only}
    positional = [one.name for one in before if not one.keyword_only and not one.starred]
    names = tuple(name if name in alone else "" for name in positional)
    return names if any(names) else ()
