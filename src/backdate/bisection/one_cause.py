"""One finding for each cause: what several searches found is put together. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement

from backdate.bisection.probes import ProbeResult, Target
from backdate.bisection.proof import SearchItem
from backdate.bisection.result import Finding, FurtherTurn, HeldBack
from backdate.text import counted, plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed:
    """A finding with the environments that it rests on."""

    finding: Finding
    target: Target
    good: ProbeResult | None = None
    """The last good one, which has the culprit's last good version; None without a culprit."""
    bad: ProbeResult | None = None
    """The first bad one."""


_MOST_NAMED = 5
"""Tests that a note names."""

Searched = tuple[SearchItem, Attributed]


def one_for_each_cause(searched: Sequence[Searched]) -> tuple[Attributed, ...]:
    """What was found, in its order: one for each cause.

    What fails only because a culprit is held back becomes the companions of that culprit; an older turn of
    the same distribution over the same tests takes the place of the newer one; one error with one culprit is
    one cause, wherever it surfaces.
    """
    with_companions = _folded(searched, _is_product, _with_companions)
    rows = [attributed for _, attributed in _folded(with_companions, _is_older_turn, _at_older_turn)]
    return _told_once([_merged([rows[number] for number in group]) for group in put_together(rows)])


def _told_once(rows: Sequence[Attributed]) -> tuple[Attributed, ...]:
    """``rows`` without those of tests that did not pass before and that now meet the error of another one,
    of the same culprit: a note of that one names these tests.
    """
    of_passed = {_cause(one): number for number, one in enumerate(rows) if not one.finding.failed_before}
    kept = dict(enumerate(rows))
    for number, one in enumerate(rows):
        first = of_passed.get(_cause(one)) if one.finding.failed_before and one.finding.culprits else None
        if first is None:
            continue
        del kept[number]
        tests = one.finding.tests
        named = ", ".join(tests[:_MOST_NAMED]) + (", …" if len(tests) > _MOST_NAMED else "")
        count, meet = counted(len(tests), "test"), plural(len(tests), "meets", "meet")
        note = f"{count} that did not pass before {meet} this error now as well: {named}"
        finding = kept[first].finding
        kept[first] = replace(kept[first], finding=replace(finding, notes=(*finding.notes, note)))
    return tuple(kept[number] for number in sorted(kept))


def _cause(one: Attributed) -> object:
    """Equal for what has one error and one culprit."""
    finding, target = one.finding, one.target
    moves = tuple((culprit.name, culprit.old, culprit.new) for culprit in finding.culprits)
    error = target.key if target.key.startswith("name ") else (finding.error.type, finding.error.message)
    return (finding.breaks, finding.axis, moves, error)


def _folded(
    searched: Sequence[Searched],
    belongs: Callable[[Searched, Searched], bool],
    fold: Callable[[Attributed, Searched], Attributed],
) -> list[Searched]:
    """``searched`` without those that belong to the search above them, which ``fold`` makes of both."""
    rows: dict[int, Searched] = dict(enumerate(searched))
    for number in sorted(rows, key=lambda number: -searched[number][0].depth):
        child = rows[number]
        above = _above(child[0], rows)
        if above is not None and belongs(child, rows[above]):
            rows[above] = (rows[above][0], fold(rows[above][1], child))
            del rows[number]
    return [rows[number] for number in sorted(rows)]


def _above(item: SearchItem, rows: dict[int, Searched]) -> int | None:
    """The number of the nearest search of ``rows`` that hid ``item``; None when there is none."""
    for masking in reversed(item.above):
        for number, (work, _) in rows.items():
            if work.target == masking.target:
                return number
    return None


def _is_product(child: Searched, above: Searched) -> bool:
    """Whether another release does not work with what is held back; an older release of what is held back
    that fails by itself is no product of it."""
    return child[0].product and not _is_older_turn(child, above)


def _with_companions(above: Attributed, child: Searched) -> Attributed:
    """The culprit above, with what has to be held back as well so that holding it back helps."""
    work, product = child
    held = product.finding.held_back
    names = {culprit.name for culprit in above.finding.culprits}  # held back anyway
    own = () if held is None else tuple(line for line in held.constraints if line not in work.held)
    own = tuple(line for line in own if Requirement(line).name not in names)
    notes = above.finding.notes
    if not product.finding.culprits:
        notes = (*notes, "no release was found that works with it")
    finding = replace(
        above.finding,
        companions=tuple(dict.fromkeys((*above.finding.companions, *own, *product.finding.companions))),
        probes=(*above.finding.probes, *product.finding.probes),
        notes=notes,
    )
    return replace(above, finding=finding)


def _is_older_turn(child: Searched, above: Searched) -> bool:
    first, second = child[1].finding, above[1].finding
    names = [[culprit.name for culprit in finding.culprits] for finding in (first, second)]
    return len(names[0]) == 1 and names[0] == names[1] and set(first.tests) == set(second.tests)


def _at_older_turn(above: Attributed, child: Searched) -> Attributed:
    """One finding at the older turn, with the error that is there now."""
    now, (work, older) = above.finding, child
    held = older.finding.held_back
    if held is not None:  # the newer turn's own constraint says nothing beside the older one's
        own = [line for line in work.held if line not in now.held]
        lines = tuple(line for line in held.constraints if line not in own)
        held = HeldBack(constraints=lines, python=held.python, passing=held.passing, failing=held.failing)
    finding = replace(
        older.finding,
        error=now.error,
        first_error=older.finding.error,
        held=now.held,
        held_back=held,
        companions=tuple(dict.fromkeys((*now.companions, *older.finding.companions))),
        further_turns=(
            *older.finding.further_turns,
            FurtherTurn(culprit=now.culprits[0], error=now.error),
            *now.further_turns,
        ),
        probes=(*now.probes, *older.finding.probes),
        notes=tuple(note for note in older.finding.notes if note not in work.notes),
    )
    return replace(above, finding=finding, good=older.good)


def put_together(attributed: Sequence[Attributed]) -> list[list[int]]:
    """The numbers of what has one error and one culprit."""
    rows: dict[object, list[int]] = {}
    for number, one in enumerate(attributed):
        cause = (one.finding.failed_before, _cause(one)) if one.finding.culprits else number
        rows.setdefault(cause, []).append(number)
    return list(rows.values())


def _merged(group: Sequence[Attributed]) -> Attributed:
    """One for those that ``put_together`` groups: in the words of what nothing hides, or of the largest."""
    first = min(group, key=lambda member: (len(member.finding.held), -len(member.finding.tests)))
    findings = [first.finding, *(member.finding for member in group if member is not first)]
    ways = set.intersection(*(set(finding.confirmed) for finding in findings))
    return replace(
        first,
        finding=replace(
            first.finding,
            tests=tuple(dict.fromkeys(test for finding in findings for test in finding.tests)),
            confirmed=tuple(way for way in first.finding.confirmed if way in ways),
            companions=tuple(dict.fromkeys(line for finding in findings for line in finding.companions)),
            held_back=_seen_together(findings),
            probes=tuple(dict.fromkeys(probe for finding in findings for probe in finding.probes)),
            resolutions=max(finding.resolutions for finding in findings),
        ),
    )


def _seen_together(findings: Sequence[Finding]) -> HeldBack | None:
    """What was seen of all tests where one environment showed it; else what was seen of the first."""
    first = findings[0].held_back
    if first is None:
        return None
    where = (first.constraints, first.python)
    same = [
        held
        for finding in findings
        if (held := finding.held_back) is not None and (held.constraints, held.python) == where
    ]
    return replace(
        first,
        passing=tuple(dict.fromkeys(test for held in same for test in held.passing)),
        failing=tuple(dict.fromkeys(test for held in same for test in held.failing)),
    )
