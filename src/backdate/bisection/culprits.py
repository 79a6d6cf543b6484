"""What moved between a good environment and a bad one, which of it is at fault, and the proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from packaging.version import Version

from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.result import Culprit, Suspicion
from backdate.bisection.search import ProbeStatus, found_window, next_points, weighted_point
from backdate.bisection.suspects import by_step, ranked, weights_of
from backdate.bisection.version_moves import Releases, VersionMoves, version_of
from backdate.checking.result import PackageChange
from backdate.editing.minimise import Subset, minimise
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """The culprits between two environments."""

    culprits: tuple[Culprit, ...]
    good: ProbeResult | None
    """The last environment that is good, with the culprit's last good version where only one is to blame."""
    bad: ProbeResult | None
    """The good environment with only them moved, which fails."""
    exact: bool = True
    """Whether each culprit's two versions are neighbours, as far as is known."""
    notes: tuple[str, ...] = ()
    undistinguished: tuple[Suspicion, ...] = ()
    """What moved together and was not told apart, the likeliest first; there are no culprits then."""


def blame(
    probe_runner: ProbeRunner,
    target: Target,
    good: ProbeResult,
    bad: ProbeResult,
    held: tuple[str, ...],
    releases: Releases,
    newest: Instant,
    *,
    only_suspects: bool = False,
) -> Blamed:
    """What of the moves from ``good`` to ``bad`` is enough for ``target`` to fail. Raises Regroup.

    ``only_suspects``: consider only the distributions that the error names; no culprit if it is none of them.
    """
    between = VersionMoves(good, bad, held)
    moved = between.moved
    if not moved:
        note = "the two neighbouring environments hold the same versions: it is not a distribution's update"
        return Blamed(culprits=(), good=None, bad=None, notes=(note,))
    trial = _PartialMove(probe_runner, target, good, bad, between, releases)
    try:
        suspected = trial.suspected(newest)
    except OutOfBudget:
        suspected = None
    if suspected is None and only_suspects:
        return Blamed(culprits=(), good=good, bad=bad)
    names, enough = (suspected, True) if suspected is not None else trial.minimal()
    if enough and len(names) > 1:
        names = trial.told_by_the_rest(names)
    pile = ranked((_culprit(moved[name], releases) for name in names), target.suspects, target.called)
    if not enough:
        return Blamed(culprits=(), good=good, bad=bad, undistinguished=pile, notes=(_NOT_SEPARATED,))
    culprits, exact = tuple(suspicion.culprit for suspicion in pile), len(names) > 1
    notes = _likeliest(pile) if len(names) > 1 else ()
    if trial.companions:
        notes = (*notes, f"it was told apart with {', '.join(sorted(trial.companions))} moved as well")
    if len(names) == 1:
        change, exact = trial.exact_version(moved[next(iter(names))])
        culprits = (_culprit(change, releases),)
        notes = (*notes, *([] if exact else [f"not every release of {change.name} between was tried"]))
    return Blamed(culprits=culprits, good=trial.passing, bad=trial.failing, exact=exact, notes=notes)


_WHY_LIKELY = {
    "named": "the error names it",
    "called": "the code that fails calls it",
    "major": "only its version made such a step",
}


def _likeliest(pile: Sequence[Suspicion]) -> tuple[str, ...]:
    """Why the first of several that belong together comes first; nothing where others are as likely."""
    first, second = pile[0].likelihood, pile[1].likelihood
    why = _WHY_LIKELY.get(first)
    return () if why is None or first == second else (f"{pile[0].culprit.name} is the likeliest: {why}",)


_NOT_SEPARATED = "what moved together was not told apart: the limit on environments is reached"


_MOST_ALONE = 2
"""Distributions that failing code calls and that are moved alone."""


class _PartialMove:
    """Environments between a good one and a bad one, in which only some distributions moved."""

    def __init__(
        self,
        probe_runner: ProbeRunner,
        target: Target,
        good: ProbeResult,
        bad: ProbeResult,
        between: VersionMoves,
        releases: Releases,
    ) -> None:
        self._probe_runner, self._target, self._between = probe_runner, target, between
        self._moved, self._suspects = between.moved, between.suspects(target)
        self._likely = [
            *self._suspects,
            *by_step([*target.called, *target.imported], self._moved)[:_MOST_ALONE],
        ]
        """What is tried alone, before the rest is halved."""
        self._releases = releases
        self._good, self.passing, self._bad, self.failing = good, good, bad, bad
        self.companions: Subset = frozenset()
        """What has to move as well, so that a culprit can be shown to make the difference."""

    def suspected(self, newest: Instant) -> Subset | None:
        """One that the error names, if it is enough alone or makes the difference. Raises OutOfBudget."""
        for suspect in self._suspects:
            back = self._between.backward(suspect, self._releases, newest)
            if self._move(frozenset({suspect}), back)[1] is ProbeStatus.BAD:
                return frozenset({suspect})
        if self._suspects and self._makes_the_difference(self._suspects[0]):
            return frozenset(self._suspects[:1])
        return None

    def minimal(self) -> tuple[Subset, bool]:
        """A minimal set that fails, and whether the search for it came to its end."""
        order = [name for name, change in self._moved.items() if change.kind == "updated"]
        order += [name for name in self._moved if name not in order]
        smallest = minimise(
            order,
            lambda subset: self._move(subset)[1] is ProbeStatus.BAD,
            suspects=self._likely,
            stopped_by=OutOfBudget,
        )
        return smallest.subset, smallest.complete

    def _makes_the_difference(self, suspect: str) -> bool:
        """Whether it fails or passes by ``suspect`` alone while all the rest has moved.

        Asked only where the suspect alone cannot be told: it does not resolve, or fails with another error,
        as extension modules do that were built for other versions of it.
        """
        alone, status = self._move(frozenset({suspect}))
        if status is ProbeStatus.BAD or len(self._moved) == 1:
            return status is ProbeStatus.BAD
        if status is ProbeStatus.GOOD and self._as_good(alone):
            return False
        rest = frozenset(self._moved) - {suspect}
        without, status = self._move(rest)
        if status is not ProbeStatus.GOOD or not self._as_good(without):
            return False
        self.companions, self.passing = rest, without
        return True

    def told_by_the_rest(self, names: Subset) -> Subset:
        """Of what fails only together the one that cannot move alone, where tests fail or pass by it while
        the others have moved: these only let it in, as a newer pandas does a newer NumPy."""
        told: list[tuple[str, ProbeResult]] = []
        try:
            for name in sorted(names):
                alone, status = self._move(frozenset({name}))
                if status is ProbeStatus.BAD or (status is ProbeStatus.GOOD and self._as_good(alone)):
                    continue
                without, status = self._move(names - {name})
                if status is ProbeStatus.GOOD and self._as_good(without):
                    told.append((name, without))
        except OutOfBudget:
            return names
        if len(told) != 1:
            return names
        ((name, self.passing),) = told
        self.companions = names - {name}
        return frozenset({name})

    def _as_good(self, probe: ProbeResult) -> bool:
        """Whether no test fails there that does not fail in the good environment as well, with that error."""
        known = {test: error.key for test, error in self._good.errors.items()}
        return all(
            test in known and test in probe.errors and probe.errors[test].key == known[test]
            for test in probe.bad_tests(self._target.tests)
        )

    def exact_version(self, change: PackageChange) -> tuple[PackageChange, bool]:
        """The first version that fails alone, of those between; whether the search came to its end."""
        versions = self._between.versions(change, self._releases)
        statuses = {0: ProbeStatus.GOOD, len(versions) - 1: ProbeStatus.BAD}
        choose = partial(weighted_point, weights=(0.0, *weights_of(versions)))
        finished = True
        try:
            while (point := choose(statuses)) is not None:
                following = [
                    self._between.point({change.name: versions[following_point]}, self.companions)
                    for following_point in next_points(statuses, point, choose)
                ]
                probe, statuses[point] = self._look({change.name: versions[point]}, following)
                if statuses[point] is ProbeStatus.GOOD:  # each one that is good is nearer to the turn
                    self.passing = probe
        except OutOfBudget:
            finished = False
        window = found_window(statuses)
        exact = PackageChange(name=change.name, old=versions[window.good], new=versions[window.bad])
        return exact, finished and not window.skipped

    def _move(self, subset: Subset, then: Sequence[ProbePoint] = ()) -> tuple[ProbeResult, ProbeStatus]:
        return self._look({name: self._moved[name].new for name in subset}, then)

    def _look(
        self, versions: Mapping[str, str | None], then: Sequence[ProbePoint] = ()
    ) -> tuple[ProbeResult, ProbeStatus]:
        """The good environment with only ``versions`` changed, and its status."""
        if not self.companions and versions == {name: change.new for name, change in self._moved.items()}:
            return self._bad, ProbeStatus.BAD
        point = self._between.point(versions, self.companions)
        pins = ", ".join(f"{name} {version}" for name, version in sorted(versions.items()) if version)
        why = f"as when it was good, with {pins or 'fewer distributions'}"
        # One more is needed to hold the culprit back, without which there is no proof.
        probe = self._probe_runner.ask(point, why, leave=1, then=then)
        status = self._probe_runner.together(probe, self._target)
        if status is ProbeStatus.BAD:
            self.failing = probe
        return probe, status


def _culprit(change: PackageChange, releases: Releases) -> Culprit:
    wanted = version_of(change.new)
    released: Instant | None = change.released
    for release in releases.get(change.name, ()):
        if wanted is not None and Version(release.version) == wanted:
            released = release.uploaded
    return Culprit(name=change.name, old=change.old, new=change.new, released=released)
