"""Which of a row's edits a call is for, by the classes that a traced run saw of what it gives.

``frame.append(row)`` is another edit for a frame than for a dictionary, and either may run without an error.
"""

from __future__ import annotations

from collections.abc import Iterable

from backdate.advice import SourcePlace
from backdate.knowledge.rules import Rule, rules_for
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FixEvidence

_OBJECT = "self"


def places_by_classes(
    rule: Rule, places: Iterable[SourcePlace], evidence: FixEvidence
) -> tuple[tuple[SourcePlace, ...], bool]:
    """The ``places`` that a rule may be for, and whether the classes that it names were seen at one of them.

    Left out are those where classes were seen that other edits of its row name. Of what no run saw, and of
    classes that no edit names, nobody knows which edit it is.
    """
    wanted = {_OBJECT: rule.owners, **rule.given}
    named = _named_classes(rule, wanted)
    told = _told(rule.target, wanted, evidence)
    kept: list[SourcePlace] = []
    decided = False
    for place in places:
        lines = statement_around(evidence.texts.get(place.file, ""), place.line)
        seen = {
            what: frozenset(name for file, line, name in at if file == place.file and line in lines)
            for what, at in told.items()
        }
        if any(
            seen[what].isdisjoint(classes) and not seen[what].isdisjoint(named[what])
            for what, classes in wanted.items()
        ):
            continue
        kept.append(place)
        decided = decided or all(not seen[what].isdisjoint(classes) for what, classes in wanted.items())
    return tuple(kept), decided


def _named_classes(rule: Rule, wanted: Iterable[str]) -> dict[str, frozenset[str]]:
    """The classes that any edit of the same name is for, by what is given."""
    others = [one for one in rules_for(rule.distribution, rule.target) if one.target == rule.target]
    owners = frozenset(owner for other in others for owner in other.owners)
    given = {
        what: frozenset(name for other in others for name in other.given.get(what, ())) for what in wanted
    }
    return {**given, _OBJECT: owners}


def _told(target: str, wanted: Iterable[str], evidence: FixEvidence) -> dict[str, list[tuple[str, int, str]]]:
    """By what is given, the last names of the classes that were seen, each with its file and line."""
    by_expression = {_told_as(target, what): what for what in wanted}
    told: dict[str, list[tuple[str, int, str]]] = {what: [] for what in by_expression.values()}
    for one in evidence.objects:
        what = by_expression.get(one.expression)
        if what is not None:
            told[what].append((one.file, one.line, one.class_name.rpartition(".")[2]))
    return told


def _told_as(target: str, what: str) -> str:
    """How a trace tells it: ".append" for the object, ".append(0)[0]" for "0[0]"."""
    if what == _OBJECT:
        return target
    position, bracket, item = what.partition("[")
    return f"{target}({position}){bracket}{item}"
