"""The world of one task: proposals that are asked for one by one."""

from __future__ import annotations

import pytest
from dead_names import rename

from backdate.advising.postponed import NotAskedYet
from backdate.solvers.rules.task_backend import ProposalList


def test_proposals_go_on_where_a_question_had_to_wait() -> None:
    made = [rename("old", new) for new in ("a", "b", "c")]
    begun: list[int] = []

    def ask():
        begun.append(len(begun))
        yield made[0]
        if len(begun) == 1:
            raise NotAskedYet
        yield from made[1:]

    proposals = ProposalList(ask)
    with pytest.raises(NotAskedYet):
        list(proposals)
    assert list(proposals) == made
    assert list(proposals) == made
    assert len(begun) == 2
