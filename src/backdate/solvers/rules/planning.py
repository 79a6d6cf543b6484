"""What the loop tries next: of every failure the first proposal that is left and changes something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.line_maps import LineMap
from backdate.rewriting.rewrite import ChangeArgument, ReplaceUse, Rewrite
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts, identity_of
from backdate.solvers.rules.backend import FixBackend
from backdate.solvers.rules.changes import ChangeHistory
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.judgement import group_key
from backdate.solvers.rules.proposals import FailureGroup, Proposal

MOST_AT_ONCE = 60
"""Changes that one run tries."""


@dataclass(slots=True)
class ChangePlanner:
    """Chooses among proposals; which of them were rejected is kept here."""

    backend: FixBackend
    changer: TextChanger
    guessed_in_vain: bool = field(init=False, default=False)
    """Whether a guessed default was tried and helped nothing."""
    _rejected: dict[str, set[str]] = field(init=False, default_factory=dict)
    """By the key of a failure."""
    _refused: set[str] = field(init=False, default_factory=set)
    """For any failure."""

    def for_groups(
        self, groups: Sequence[FailureGroup], history: ChangeHistory, texts: Texts, *, one_at_a_time: bool
    ) -> list[PlannedChange]:
        """What is tried for ``groups``, whose places are those of ``texts``, beside what stands already.

        What decides which code runs goes first, and what is left for when nothing else helps is not tried
        beside anything else. What a failure without a name is guessed to need comes last: the same may be
        known of another one, and is that one's then.
        """
        groups = sorted(groups, key=lambda group: group.cause.kind is CauseKind.ASSERTION)
        if not one_at_a_time:
            alone = [partial(self._those_for, group, (), history, texts) for group in groups[:MOST_AT_ONCE]]
            self.backend.ask_together(alone)
        planned: list[PlannedChange] = []
        for group in groups:
            if one_at_a_time:
                first = self.first_for(group, planned, history, texts)
                planned += [first] if first is not None else []
            else:
                planned += self._those_for(group, planned, history, texts)
            if planned and (one_at_a_time or len(planned) >= MOST_AT_ONCE):
                break
        deciding = [change for change in planned if change.proposal.first]
        return deciding or [change for change in planned if not change.proposal.last] or planned

    def _those_for(
        self, group: FailureGroup, planned: Sequence[PlannedChange], history: ChangeHistory, texts: Texts
    ) -> list[PlannedChange]:
        """The first proposal for a group, and for lines that this leaves as they are the next that fits.

        A module that is gone is one failure, and each file imports another thing of it; a call that is
        refused is given one argument here and two there. So it is with what is foreseen, of which the change
        for another failure may mend a part.
        """
        first = self.first_for(group, planned, history, texts)
        raising = _raising(group)
        if first is None and (group.tests or not planned):
            return []
        found = []
        if first is not None:
            found += [first, *self._decided_beside(first, planned, texts)]
            found += self._of_other_values(first, [*planned, *found], texts)
        for proposal in self.left_for(group, texts) if len(raising) > 1 else ():
            if proposal.last and not (first is not None and first.proposal.last):
                break
            changed = self.changer.make(texts, [*planned, *found])
            own = {place.file for one in changed.made[-len(found) :] for place in one.lines}
            left = {place for file in own for place in self._as_they_were(file, group, texts, changed.texts)}
            others = {place.file for place in raising} - own if first is not None else set()
            if not left and not others:
                break
            not_yet = self._where_it_stands_not(proposal, group, history, texts).places
            places = tuple(place for place in not_yet if place.file in others or place in left)
            change = PlannedChange(group=group, proposal=replace(proposal, places=places))
            made = self.changer.make(texts, [*planned, *found, change]).made
            of_others = all(edit.file in others for edit in proposal.file_edits)
            if places and of_others and any(one.planned is change for one in made):
                found.append(change)
        return found

    def _decided_beside(
        self, first: PlannedChange, planned: Sequence[PlannedChange], texts: Texts
    ) -> list[PlannedChange]:
        """Proposals for the same group at other places, where a traced run saw which one each needs."""
        found: list[PlannedChange] = []
        known = {identity_of(first.proposal)}
        for proposal in self.left_for(first.group, texts) if first.proposal.decided else ():
            if proposal.decided and identity_of(proposal) not in known:
                change = PlannedChange(group=first.group, proposal=proposal)
                changed = self.changer.make(texts, [*planned, first, *found, change])
                if any(made.planned is change for made in changed.made):
                    found.append(change)
        return found

    def _of_other_values(
        self, first: PlannedChange, planned: Sequence[PlannedChange], texts: Texts
    ) -> list[PlannedChange]:
        """The same for other values of an argument, where ``first`` is for one value of it.

        A class gives one and its subclass another, and the call is refused until both are changed.
        """
        own = first.proposal.rewrite
        found: list[PlannedChange] = []
        if not isinstance(own, ChangeArgument) or not own.only_value:
            return found
        for proposal in self.left_for(first.group, texts):
            other = proposal.rewrite
            if isinstance(other, ChangeArgument) and other.only_value not in ("", own.only_value):
                change = PlannedChange(group=first.group, proposal=proposal)
                same = (other.function, other.argument) == (own.function, own.argument)
                made = self.changer.make(texts, [*planned, *found, change]).made if same else ()
                if any(one.planned is change for one in made):
                    found.append(change)
        return found

    def _as_they_were(self, file: str, group: FailureGroup, old: Texts, new: Texts) -> Iterator[SourcePlace]:
        """The lines of statements in a file that raise what the group is about and stay, where others change.

        Where none of them changes, what is written stands elsewhere and may be enough.
        """
        before, after = self.changer.text(old, file) or "", self.changer.text(new, file) or ""
        gone = LineMap.between(after, before).changed
        around = [statement_around(before, place.line) for place in _raising(group) if place.file == file]
        stay = [lines for lines in around if gone.isdisjoint(lines)]
        for lines in stay if len(stay) < len(around) else ():
            yield from (SourcePlace(file=file, line=line) for line in lines)

    def first_for(
        self, group: FailureGroup, planned: Sequence[PlannedChange], history: ChangeHistory, texts: Texts
    ) -> PlannedChange | None:
        """The first proposal for a group that was not rejected and changes something beside ``planned``."""
        same = {identity_of(change.proposal) for change in planned}
        for proposal in self.left_for(group, texts):
            not_yet = self._where_it_stands_not(proposal, group, history, texts)
            change = PlannedChange(group=group, proposal=not_yet)
            changed = self.changer.make(texts, [*planned, change])
            if any(made.planned is change for made in changed.made):
                return change
            if identity_of(proposal) in same:
                return None  # another group's change is this one's, too
        return None

    def _where_it_stands_not(
        self, proposal: Proposal, group: FailureGroup, history: ChangeHistory, texts: Texts
    ) -> Proposal:
        """The proposal without lines that it wrote already: what a template writes may call for it again.

        Of what is foreseen also without those that another rewrite of the same use wrote: the old side tells
        of them as they were.
        """
        rewrite, foreseen = proposal.rewrite, not group.tests and not group.caught
        stand = [
            one
            for one in history.planned
            if one.proposal.rewrite == rewrite or (foreseen and _of_same_use(one.proposal.rewrite, rewrite))
        ]
        if proposal.rewrite is None or not stand:
            return proposal
        own = set(map(id, stand))
        written = {
            place for each in history.standing(texts) if id(each.planned) in own for place in each.lines
        }
        return replace(proposal, places=tuple(place for place in proposal.places if place not in written))

    def left_for(self, group: FailureGroup, texts: Texts) -> Iterator[Proposal]:
        """The proposals for a group that were not rejected."""
        rejected = self._rejected.get(group_key(group), set()) | self._refused
        return (each for each in self.backend.propose(group, texts) if identity_of(each) not in rejected)

    def reject(
        self, change: PlannedChange, *, everywhere: bool = False, in_vain: Iterable[FailureGroup] = ()
    ) -> None:
        """Never plan that again for the same failure; ``everywhere``: for any.

        ``in_vain``: what failed with it. A guessed default, which is of no line that fails, mends none of it.
        """
        guessed = change.proposal.origin is ProposalOrigin.CHANGED_DEFAULT
        self.guessed_in_vain |= guessed
        of_any = in_vain if guessed else ()
        for group in (change.group, *of_any):
            self._rejected.setdefault(group_key(group), set()).add(identity_of(change.proposal))
        if everywhere:
            self._refused.add(identity_of(change.proposal))


def _raising(group: FailureGroup) -> Sequence[SourcePlace]:
    """The lines that raise what a group is about; of what is foreseen those that would."""
    return group.raised_at if group.tests or group.caught else group.raised_at or group.places


def _of_same_use(one: Rewrite | None, other: Rewrite | None) -> bool:
    """Whether two rewrites are of calls, or of reads, of the same thing."""
    if not isinstance(one, ReplaceUse) or not isinstance(other, ReplaceUse):
        return False
    return (one.target, one.called) == (other.target, other.called)
