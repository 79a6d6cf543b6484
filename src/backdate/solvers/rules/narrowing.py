"""A change that does harm at some of its places, made at the others alone."""

from __future__ import annotations

from dataclasses import replace

from backdate.solvers.rules.applying import MadeChange, PlannedChange, TextChanger, Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.changes import moved_group, moved_places
from backdate.solvers.rules.judgement import new_on_lines


def narrowed(
    made: MadeChange,
    old: Texts,
    new: Texts,
    after: SuiteReading,
    keys: frozenset[str],
    changer: TextChanger,
) -> PlannedChange | None:
    """A harmful change at those of its places alone where it is seen to help; None where that is none.

    Of a function that is given now one thing and then another, a template fits some calls. ``old``, ``new``:
    the texts before and with the change. ``after``: what fails with it; ``keys``: of what failed before.
    """
    planned = made.planned
    raised_now = new_on_lines(after.groups, keys, made.lines)
    blamed = {place for group in raised_now for place in group.raised_at or group.places[:1]} & made.lines
    if planned.proposal.rewrite is None or not blamed:
        return None
    failed = {place for group in after.groups for place in group.raised_at} | blamed
    helped = (set(moved_group(planned.group, old, new, changer).raised_at) & made.lines) - failed
    good = tuple(
        place
        for place in planned.proposal.places
        if helped.intersection(moved_places((place,), old, new, changer))
    )
    part = replace(planned, proposal=replace(planned.proposal, places=good))
    return part if changer.make(old, [part]).made and good != planned.proposal.places else None
