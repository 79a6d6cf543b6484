"""What is tried in the place of a change that stands: another proposal for the same failure."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.diagnosis.result import CauseKind
from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts, identity_of
from backdate.solvers.rules.changes import ChangeHistory, moved_group
from backdate.solvers.rules.planning import ChangePlanner
from backdate.solvers.rules.proposals import ProposalOrigin


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Finds them among the proposals that were not rejected."""

    planner: ChangePlanner
    changer: TextChanger

    def instead_of(
        self, change: PlannedChange, base: Texts, history: ChangeHistory, texts: Texts
    ) -> PlannedChange | None:
        """The first other proposal that changes something where ``change`` is not made, and something else.

        ``base``: the texts whose lines the places of ``change`` are; ``texts``: what stands now. Places of
        what is found are those of all that stands without ``change``.
        """
        without = history.without(change).texts()
        group = moved_group(change.group, base, without, self.changer)
        own = identity_of(change.proposal)
        of_value = group.cause.kind is CauseKind.ASSERTION
        for proposal in self.planner.left_for(group, without):
            if proposal.origin is ProposalOrigin.CHANGED_DEFAULT and not of_value:
                continue  # it is about values that differ, and this failure was another one
            other = PlannedChange(group=group, proposal=proposal)
            changed = self.changer.make(without, [other]) if identity_of(proposal) != own else None
            if changed is not None and changed.made and changed.texts != texts:
                return other
        return None
