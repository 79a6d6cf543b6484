"""What the next run would find of calls: an argument that is required now, or taken by name alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from backdate.advising.moved_classes import members_of_moved
from backdate.advising.parameters import named_now, parameters_in, parameters_of
from backdate.advising.project_uses import NameUses
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence


def needed_now(evidence: FixEvidence, asked: Mapping[str, NameUses]) -> Iterator[FailureGroup]:
    """Functions that executed lines call, and that require an argument which had a default before."""
    for name, old, new in _on_both_sides(evidence, asked):
        uses = asked[name]
        if uses.of_object:
            continue
        had = {one.name for one in parameters_in(old.signature) if one.default is not None}
        for parameter in parameters_in(new.signature):
            required = parameter.default is None and not parameter.starred
            given = uses.keywords.get(parameter.name, {})
            places = tuple(place for place in uses.places if place not in given)
            if required and parameter.name in had and places:
                message = f"missing 1 required positional argument: '{parameter.name}'"
                cause = _refused(name, parameter.name, message, evidence)
                yield FailureGroup(cause=cause, tests=(), places=places)


def given_by_position(evidence: FixEvidence, asked: Mapping[str, NameUses]) -> Iterator[FailureGroup]:
    """Functions that executed lines give by position what they take by name alone now."""
    for name, old, new in _on_both_sides(evidence, asked):
        uses = asked[name]
        if not uses.calls:
            continue
        names = named_now(*(parameters_of(one, bound=uses.of_object) for one in (old, new)))
        first = next((number for number, one in enumerate(names) if one), len(names))
        given = max(shape.positional for shape in uses.calls)
        if first < given <= len(names):
            message = f"takes {first} positional arguments but {given} were given"
            cause = _refused(name, "", message, evidence)
            yield FailureGroup(cause=cause, tests=(), places=tuple(uses.places))


def _on_both_sides(
    evidence: FixEvidence, asked: Mapping[str, NameUses]
) -> Iterator[tuple[str, Member, Member]]:
    """The names that both environments have, as the old and as the new one has them."""
    assert evidence.pair is not None
    before = evidence.pair.ask_old(asked)
    # no others: they have been asked for, and each run of a probe imports the libraries anew
    after = evidence.pair.ask_new([name for name, member in before.items() if member.present])
    methods = [name for name, uses in asked.items() if uses.of_object]
    after |= members_of_moved(evidence.pair, after, methods)
    for name in asked:
        old, new = before.get(name), after.get(name)
        if old is not None and new is not None and old.present and new.present:
            yield name, old, new


def _refused(name: str, argument: str, message: str, evidence: FixEvidence) -> Cause:
    """What a call of ``name`` would raise; ``argument`` is the one that it names, if any."""
    distribution = evidence.distribution_of(name)
    return Cause(
        kind=CauseKind.ARGUMENT_COUNT,
        type="TypeError",
        message=f"{name.rpartition('.')[2]}() {message}",
        name=argument,
        owner=name,
        owner_is="function",
        distribution="builtin" if distribution == PYTHON else distribution or None,
        version=evidence.versions_of(distribution)[1] or None,
    )
