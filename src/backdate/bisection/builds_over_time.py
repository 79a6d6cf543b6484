"""Builds over time, on one interpreter: the two neighbouring instants between which it ceases to build.

What moved is separated by cutting single distributions later than the rest, which also moves what isolated
builds (PEP 517) use: their setuptools, their Cython.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from backdate.bisection.build_trials import BuildTrial, Trial, latest, named_in
from backdate.bisection.builds_search import (
    FOR_PROOF,
    BuildSearch,
    apart,
    culprit_of,
    held_back,
    smallest_set,
)
from backdate.bisection.points import DistributionRelease, candidate_instants
from backdate.bisection.probes import OutOfBudget
from backdate.bisection.result import Finding
from backdate.bisection.search import ProbeStatus, found_window, next_point, window_of
from backdate.editing.minimise import Subset
from backdate.environments.environment import InterpreterChoice
from backdate.timeline.instants import Instant, format_day


def over_time(search: BuildSearch, finding: Finding, choice: InterpreterChoice) -> Finding:
    """Search over the releases of the distributions that the log mentions, and then over all."""
    ranges = dict.fromkeys(search.ranged, (None, None))
    instants = candidate_instants(search.releases, ranges, search.start, search.end)
    last = len(instants) - 1
    finding = replace(finding, axis="packages", python=choice.interpreter.version)
    trials: dict[int, BuildTrial] = {}

    def look(point: int) -> ProbeStatus:
        trial = Trial(choice=choice, instant=instants[point])
        why = f"whether it builds as of {format_day(instants[point])}"
        trials[point] = search.trials.ask(trial, why, leave=0 if point in (0, last) else FOR_PROOF)
        return trials[point].status

    statuses = {0: look(0), last: look(last)}
    if statuses[0] is not ProbeStatus.GOOD or statuses[last] is not ProbeStatus.BAD:
        why = "without the project's own pins it did not build at the old instant either"
        if statuses[0] is ProbeStatus.GOOD:
            why = f"on Python {choice.interpreter.version} it fails for another reason"
        return replace(finding, axis="unknown", notes=(*finding.notes, why))
    suspects = named_in(search.failure.text, search.ranged)
    own = {at for name in suspects for release in search.releases.get(name, ()) for at in release.instants}
    for among in (sorted(point for point, at in enumerate(instants) if at in own), range(1, last)):
        _narrow(statuses, among, look)
        good, bad = window_of(statuses)
        names, enough = _moved(search, choice, instants[good], instants[bad], suspects)
        if names:
            break
    finding = replace(finding, last_good=instants[good], first_bad=instants[bad])
    if not names:
        note = "no release between the two neighbouring trials makes the difference alone or with others"
        return replace(finding, notes=(*finding.notes, note))
    after, exact = instants[bad], len(names) > 1
    before = dict.fromkeys(names, instants[good])
    if len(names) == 1:
        (name,) = names
        before[name], after, exact = _exact(search, choice, name, instants[good], instants[bad])
    culprits = tuple(
        culprit_of(
            name,
            latest(search.releases[name], before[name]),
            _released(search.releases[name], before[name], after),
            search.releases,
        )
        for name in sorted(names)
    )
    notes = (*finding.notes, *apart(enough))
    if not exact:
        notes = (*notes, f"not every release of {culprits[0].name} between was tried")
    finding = replace(finding, culprits=culprits, confirmed=("forward",), notes=notes)
    return held_back(search, finding, choice, exact=exact)


def _exact(
    search: BuildSearch, choice: InterpreterChoice, name: str, good: Instant, bad: Instant
) -> tuple[Instant, Instant, bool]:
    """Two instants in the window between which ``name`` alone turns; whether nothing lies between."""
    inner = {at for release in search.releases.get(name, ()) for at in release.instants if good < at < bad}
    instants = [good, *sorted(inner), bad]
    statuses = {0: ProbeStatus.GOOD, len(instants) - 1: ProbeStatus.BAD}
    finished = True
    try:
        while (point := next_point(statuses)) is not None:
            trial = Trial(choice=choice, instant=good, later=(name,), later_until=instants[point])
            why = f"as of {format_day(good)}, with {name} as of {format_day(instants[point])}"
            statuses[point] = search.trials.ask(trial, why, leave=1).status
    except OutOfBudget:
        finished = False
    window = found_window(statuses)
    return instants[window.good], instants[window.bad], finished and not window.skipped


def _narrow(
    statuses: dict[int, ProbeStatus], among: Sequence[int], look: Callable[[int], ProbeStatus]
) -> None:
    """Probe points of ``among`` until none lies between good and bad, or the budget is exhausted."""
    while True:
        good, bad = window_of(statuses)
        row = [good, *(point for point in among if good < point < bad), bad]
        indexes = {point: index for index, point in enumerate(row)}
        index = next_point({indexes[point]: status for point, status in statuses.items() if point in indexes})
        if index is None:
            return
        try:
            statuses[row[index]] = look(row[index])
        except OutOfBudget:
            return


def _moved(
    search: BuildSearch, choice: InterpreterChoice, good: Instant, bad: Instant, suspects: Sequence[str]
) -> tuple[Subset, bool]:
    """What of the releases from ``good`` to ``bad`` is enough to fail; nothing when all together are not."""
    released = tuple(
        name
        for name in search.ranged
        if any(good < at <= bad for release in search.releases.get(name, ()) for at in release.instants)
    )

    def move(subset: Subset) -> BuildTrial:
        why = f"as of {format_day(good)}, with {', '.join(sorted(subset))} as of {format_day(bad)}"
        trial = Trial(choice=choice, instant=good, later=tuple(sorted(subset)), later_until=bad)
        return search.trials.ask(trial, why, leave=1)

    if not released or move(frozenset(released)).status is not ProbeStatus.BAD:
        return frozenset(), True
    return smallest_set(released, [name for name in suspects if name in released], move)


def _released(releases: Sequence[DistributionRelease], good: Instant, bad: Instant) -> str | None:
    """The newest version that came in after ``good`` and until ``bad``, on whatever branch."""
    versions = [release.version for release in releases if any(good < at <= bad for at in release.instants)]
    return versions[-1] if versions else latest(releases, bad)
