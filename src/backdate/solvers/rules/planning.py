"""What the loop tries next: of every failure the first proposal that is left and changes something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts, identity_of
from backdate.solvers.rules.backend import FixBackend
from backdate.solvers.rules.changes import ChangeHistory
from backdate.solvers.rules.judgement import group_key
from backdate.solvers.rules.proposals import FailureGroup, Proposal

MOST_AT_ONCE = 60
"""Changes that one run tries."""


@dataclass(slots=True)
class ChangePlanner:
    """Chooses among proposals; which of them were rejected is kept here."""

    backend: FixBackend
    changer: TextChanger
    _rejected: dict[str, set[str]] = field(init=False, default_factory=dict)

    def for_groups(
        self, groups: Sequence[FailureGroup], history: ChangeHistory, texts: Texts, *, one_at_a_time: bool
    ) -> list[PlannedChange]:
        """What is tried for ``groups``, whose places are those of ``texts``, beside what stands already.

        What is left for when nothing else helps is not tried beside anything else.
        """
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
        return [change for change in planned if not change.proposal.last] or planned

    def _those_for(
        self, group: FailureGroup, planned: Sequence[PlannedChange], history: ChangeHistory, texts: Texts
    ) -> list[PlannedChange]:
        """The first proposal for a group, and for files that this leaves as they are the next that fits.

        A module that is gone is one failure, and each file imports another thing of it.
        """
        first = self.first_for(group, planned, history, texts)
        if first is None:
            return []
        found = [first, *self._decided_beside(first, planned, texts)]
        files = {place.file for place in group.raised_at}
        for proposal in self.left_for(group, texts) if len(files) > 1 else ():
            made = self.changer.make(texts, [*planned, *found]).made
            own = {place.file for one in made[-len(found) :] for place in one.lines}
            if proposal.last and not first.proposal.last:
                break
            left = tuple(place for place in proposal.places if place.file in files - own)
            change = PlannedChange(group=group, proposal=replace(proposal, places=left))
            changed = self.changer.make(texts, [*planned, *found, change])
            if left and proposal.rewrite is not None and any(one.planned is change for one in changed.made):
                found.append(change)
            if files <= own:
                break
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

    def first_for(
        self, group: FailureGroup, planned: Sequence[PlannedChange], history: ChangeHistory, texts: Texts
    ) -> PlannedChange | None:
        """The first proposal for a group that was not rejected and changes something beside ``planned``."""
        same = {identity_of(change.proposal) for change in planned}
        for proposal in self.left_for(group, texts):
            not_yet = self._where_it_stands_not(proposal, history, texts)
            change = PlannedChange(group=group, proposal=not_yet)
            changed = self.changer.make(texts, [*planned, change])
            if any(made.planned is change for made in changed.made):
                return change
            if identity_of(proposal) in same:
                return None  # another group's change is this one's, too
        return None

    def _where_it_stands_not(self, proposal: Proposal, history: ChangeHistory, texts: Texts) -> Proposal:
        """The proposal without lines that it wrote already: what a template writes may call for it again."""
        stand = [one for one in history.planned if one.proposal.rewrite == proposal.rewrite]
        if proposal.rewrite is None or not stand:
            return proposal
        own = set(map(id, stand))
        written = {
            place for each in history.standing(texts) if id(each.planned) in own for place in each.lines
        }
        return replace(proposal, places=tuple(place for place in proposal.places if place not in written))

    def left_for(self, group: FailureGroup, texts: Texts) -> Iterator[Proposal]:
        """The proposals for a group that were not rejected."""
        rejected = self._rejected.get(group_key(group), set())
        return (each for each in self.backend.propose(group, texts) if identity_of(each) not in rejected)

    def reject(self, change: PlannedChange) -> None:
        """Never plan that again for the same failure."""
        self._rejected.setdefault(group_key(change.group), set()).add(identity_of(change.proposal))
