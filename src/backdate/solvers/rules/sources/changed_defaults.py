"""Proposals for calls that give another value, or do something else, and say nothing of it.

Of an argument that they leave out the default is another one, or the call itself does otherwise: warnings
told before, rules know, or the signatures of both releases differ. An argument that is new and true unless it
is given turns on what is new (``detailed_validation=True`` of cattrs).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.moved_classes import members_of_moved
from backdate.advising.parameters import SignatureParameter, parameters_of
from backdate.advising.project_uses import NameUses
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import AddArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.announced_defaults import announced_defaults
from backdate.solvers.rules.sources.known_values import known_values
from backdate.solvers.rules.sources.old_behaviour import OldBehaviour, position_of

_KINDS = frozenset(
    {
        CauseKind.ASSERTION,
        CauseKind.CHANGED_TYPE,
        CauseKind.CHANGED_VALUE,
        CauseKind.OTHER_ERROR,
        CauseKind.WARNING_AS_ERROR,
    }
)
_SENTINELS = frozenset({"'warn'", "'deprecated'", "'auto_deprecated'", "'raise-deprecating'", "'no_default'"})
"""Defaults that say that nothing was given, and mean something else."""
_MOST_NAMES = 300
_MOST = 8
"""Changes that are proposed each by itself, the likeliest first."""
_MOST_AT_ONCE = 40
_MOST_SWITCHES = 3
"""New arguments that are turned off, each by itself: few of them are what a value hangs on."""


class ChangedDefaultSource:
    """The defaults of what the failing tests run, in both environments, and what warnings and rules say."""

    origin = ProposalOrigin.CHANGED_DEFAULT

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``: all old ways at once, then each by itself.

        Nobody can tell which of them a value hangs on; what is superfluous goes when the patch is minimised.
        Those that a warning announced, or a rule knows, come first, alone. An error that is no assertion is
        about its own lines first, and then about these.
        """
        if evidence.pair is None or group.cause.kind not in _KINDS:
            return ()
        told = (*announced_defaults(evidence, evidence.pair), *known_values(evidence))
        known = {one.subject for one in told}
        asked = [one for one in _old_defaults(evidence, evidence.pair) if one.subject not in known]
        defaults = [one for one in asked if not one.switch]
        # None was for the library to choose by; written out, it may be refused: by itself alone, and last
        unsaid = [one for one in defaults if _is_none(one)]
        found = (*told, *(one for one in defaults if one not in unsaid))
        own_lines = set(group.places)
        near = sorted((one for one in asked if one.switch), key=lambda one: own_lines.isdisjoint(one.places))
        turned_off = [_alone(one) for one in near[:_MOST_SWITCHES]]
        here = [one for one in found if not own_lines.isdisjoint(one.places)]
        if group.cause.kind is not CauseKind.ASSERTION:
            elsewhere = [one for one in told if one not in here]
            several = _together(here[:_MOST], evidence) if len(here) > 1 else ()
            if group.cause.kind is CauseKind.CHANGED_TYPE:  # of what the failing line is given, or calls
                turned_off = [one for one in turned_off if not own_lines.isdisjoint(one.places)]
            by_itself = (
                *here[:_MOST],
                *elsewhere,
                *(one for one in unsaid if not own_lines.isdisjoint(one.places)),
            )
            return (*several, *map(_alone, by_itself), *turned_off)
        ordered = sorted(found, key=lambda one: (not one.told, one not in here))[:_MOST_AT_ONCE]
        first = [one for one in ordered if one.told]
        others = ordered[: max(_MOST, len(first))]
        batches = [first, others] if len(first) < len(others) else [others]
        at_once = [one for batch in batches for one in _made(batch, evidence)]
        return (*at_once, *map(_alone, (*ordered[:_MOST], *unsaid[:_MOST])), *turned_off)


def _is_none(one: OldBehaviour) -> bool:
    return isinstance(one.rewrite, AddArgument) and one.rewrite.value == "None"


def _made(batch: Sequence[OldBehaviour], evidence: FixEvidence) -> Iterator[Proposal]:
    if len(batch) == 1:
        yield _alone(batch[0])
    elif batch:
        yield from _together(batch, evidence)


def _alone(one: OldBehaviour) -> Proposal:
    return Proposal(
        origin=ProposalOrigin.WRITTEN_RULE if one.rule else ProposalOrigin.CHANGED_DEFAULT,
        distribution=one.distribution,
        rewrite=one.rewrite,
        places=one.places,
        why=(one.why,),
        rule=one.rule,
    )


def _old_defaults(evidence: FixEvidence, pair: EnvironmentPair) -> Iterator[OldBehaviour]:
    used = dict(list(_used(evidence))[:_MOST_NAMES])
    old = pair.ask_old(used) if used else {}
    new = pair.ask_new([name for name, member in old.items() if member.present]) if old else {}
    new |= members_of_moved(pair, new, [name for name, (uses, _) in used.items() if uses.of_object])
    for name, (uses, places) in used.items():
        before, after = old.get(name), new.get(name)
        if before is None or after is None or not (before.present and after.present):
            continue
        distribution = evidence.distribution_of(name)
        changes = ((*change, False) for change in _changes(before, after, uses))
        switches = ((*change, True) for change in _switches(before, after, uses))
        for argument, value, why, switch in (*changes, *switches):
            leaf = name.rpartition(".")[2]
            given = uses.keywords.get(argument, {})
            left_out = tuple(place for place in places if place not in given)
            if left_out:
                yield OldBehaviour(
                    rewrite=AddArgument(
                        function=f".{leaf}" if uses.of_object else name,
                        argument=argument,
                        value=value,
                        position=position_of(after, argument, bound=uses.of_object),
                    ),
                    distribution=distribution,
                    places=left_out,
                    why=why,
                    switch=switch,
                )


def _used(evidence: FixEvidence) -> Iterator[tuple[str, tuple[NameUses, tuple[SourcePlace, ...]]]]:
    """What executed lines use of distributions that moved, and where."""
    for name, uses in evidence.uses.names.items():
        if evidence.distribution_of(name) in evidence.versions and "." in name:
            places = evidence.executed_of(uses.places)
            if places:
                yield name, (uses, tuple(dict.fromkeys(places)))


def _changes(before: Member, after: Member, uses: NameUses) -> Iterator[tuple[str, str, AdviceEvidence]]:
    """Arguments with another default, with what it was, and why."""
    taken = _by_name(after, uses)
    for argument, was in _by_name(before, uses).items():
        now = taken.get(argument)
        if now is None or was.default is None or now.default is None:
            continue
        if was.literal and now.literal and _differ(argument, was.default, now.default):
            text = f"the default of {argument} in {before.name} was {was.default} and is {now.default}"
            yield argument, was.default, AdviceEvidence(kind=EvidenceKind.ASKED, text=text)


def _switches(before: Member, after: Member, uses: NameUses) -> Iterator[tuple[str, str, AdviceEvidence]]:
    """Arguments that are new and true unless they are given, with "False", and why."""
    known = _by_name(before, uses)
    if "**" in before.signature:
        return  # it may have taken them all along
    for argument, now in _by_name(after, uses).items():
        if argument not in known and now.literal and now.default == "True":
            text = f"{argument} of {after.name} is new, and True unless it is given"
            yield argument, "False", AdviceEvidence(kind=EvidenceKind.ASKED, text=text)


def _differ(argument: str, old: str, new: str) -> bool:
    """Whether calls that leave it out may do something else."""
    if old in _SENTINELS or argument == "copy":  # whether memory is shared shows in no value
        return False
    was, now = ast.literal_eval(old), ast.literal_eval(new)
    if isinstance(was, tuple) and isinstance(now, tuple) and all(item in now for item in was):
        return False  # what functools.wraps copies: more than before, where there is more
    return was != now and (bool(was) or bool(now))  # 1 is True


def _by_name(member: Member, uses: NameUses) -> Mapping[str, SignatureParameter]:
    return {
        one.name: one
        for one in parameters_of(member, bound=uses.of_object)
        if not one.starred and not one.positional_only
    }


def _together(found: Sequence[OldBehaviour], evidence: FixEvidence) -> Iterator[Proposal]:
    """All of them as one change."""
    texts: dict[str, str] = {}
    for one in found:
        for file in dict.fromkeys(place.file for place in one.places):
            text = texts.get(file, evidence.texts.get(file, ""))
            if text.count("\n") != evidence.texts.get(file, "").count("\n"):
                continue  # an import was added, and the lines are others
            lines = frozenset(place.line for place in one.places if place.file == file)
            texts[file] = apply_edits(text, rewrite_source(text, one.rewrite, lines=lines).edits)
    edits = tuple(
        FileEdit(file=file, text=text)
        for file, text in sorted(texts.items())
        if text != evidence.texts.get(file, "")
    )
    if not edits:
        return
    yield Proposal(
        origin=ProposalOrigin.CHANGED_DEFAULT,
        distribution=found[0].distribution if len({one.distribution for one in found}) == 1 else "",
        file_edits=edits,
        edits_key=f"old defaults: {', '.join(sorted(one.words for one in found))}",
        places=tuple(dict.fromkeys(place for one in found for place in one.places)),
        why=tuple(one.why for one in found),
    )
