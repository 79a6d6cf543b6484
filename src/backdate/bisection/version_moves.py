"""Environments between a good one and a bad one, in which only some of what moved has moved. No effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from packaging.version import Version

from backdate.bisection.interpreter_axis import pins_of
from backdate.bisection.points import DistributionRelease, releases_between
from backdate.bisection.probes import ProbePoint, ProbeResult, Target
from backdate.bisection.result import Culprit
from backdate.checking.compare import compare_locks
from backdate.checking.result import PackageChange
from backdate.environments.environment import Lock
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant

Releases = Mapping[str, Sequence[DistributionRelease]]


class VersionMoves:
    """What moved from ``good`` to ``bad``, with ``held`` held back in both."""

    def __init__(self, good: ProbeResult, bad: ProbeResult, held: tuple[str, ...]) -> None:
        assert good.lock is not None
        assert bad.lock is not None
        self.moved = {change.name: change for change in compare_locks(good.lock, bad.lock)}
        self._held, self._bad = held, bad.point
        self._unmoved = pins_of(good.lock, tuple(self.moved))

    def suspects(self, target: Target) -> list[str]:
        """Those of what moved that the error names."""
        return [name for name in target.suspects if name in self.moved]

    def point(
        self, versions: Mapping[str, str | None], companions: frozenset[str] = frozenset()
    ) -> ProbePoint:
        """As when it was good, with ``versions``; and with ``companions`` moved as well."""
        pins = {name: change.old for name, change in self.moved.items()} | dict(versions)
        pins |= {name: self.moved[name].new for name in companions - set(versions)}
        constraints = (f"{name}=={version}" for name, version in sorted(pins.items()) if version)
        return ProbePoint(
            choice=self._bad.choice,
            instant=self._bad.instant,
            constraints=tuple(sorted({*self._unmoved, *constraints, *self._held})),
        )

    def versions(self, change: PackageChange, releases: Releases) -> list[str | None]:
        """Those that were on the index on the way, from the good one to the bad one."""
        low, high = version_of(change.old), version_of(change.new)
        if low is None or high is None or high < low:
            return [change.old, change.new]
        between = releases_between(releases.get(change.name, ()), low, high)
        visible = [release for release in between if release.uploaded < self._bad.instant]
        inner = [release.version for release in visible if low < Version(release.version) < high]
        return [change.old, *inner, change.new]

    def foreseen(self, target: Target, releases: Releases, newest: Instant) -> list[ProbePoint]:
        """The points that blaming and proving need if the case is as simple as most are.

        That is: the first that the error names is enough alone, and its two versions are neighbours.
        """
        suspects = self.suspects(target)
        if not suspects and len(self.moved) != 1:
            return []
        name = next(iter((*suspects, *self.moved)))
        alone = [self.point({name: self.moved[name].new})] if suspects else []
        return [*alone, *self.backward(name, releases, newest)]

    def backward(self, name: str, releases: Releases, newest: Instant) -> list[ProbePoint]:
        """The newest environment with ``name`` held back; empty if a search has to find to which version."""
        change = self.moved[name]
        back = hold_back([Culprit(name=name, old=change.old, new=change.new, released=None)])
        if not back or len(self.versions(change, releases)) > 2:
            return []
        held = tuple(sorted({*self._held, *back}))
        return [ProbePoint(choice=self._bad.choice, instant=newest, constraints=held)]


def hold_back(culprits: Sequence[Culprit], *, exact: bool = True) -> tuple[str, ...]:
    """Constraints that keep every culprit on its good side; empty when one cannot be kept so.

    ``exact``: the bad version is the first one that is bad. Otherwise none after the good one is let in.
    """
    lines: list[str] = []
    for culprit in culprits:
        old, new = version_of(culprit.old), version_of(culprit.new)
        if new is None:  # what is gone is not brought back by a constraint
            return ()
        down = old is not None and old > new
        if exact or old is None:
            lines.append(f"{culprit.name}{'>' if down else '<'}{culprit.new}")
        else:
            lines.append(f"{culprit.name}{'>=' if down else '<='}{culprit.old}")
    return tuple(lines)


def moved_back(lock: Lock | None, without: Lock | None) -> frozenset[str]:
    """The distributions that are older in ``lock`` than ``without`` what is held back there."""
    if lock is None or without is None:
        return frozenset()
    newer = {locked.name: version_of(locked.version) for locked in without.distributions}
    return frozenset(
        locked.name
        for locked in lock.distributions
        if (now := version_of(locked.version)) is not None
        and (other := newer.get(locked.name)) is not None
        and now < other
    )


def needs_compiling(lock: Lock | None, beside: Lock | None, releases: Releases) -> bool:
    """Whether much has to be compiled for ``lock`` that is not in the environment of ``beside``.

    Such an environment costs more than all the rest of a search, and mostly fails.
    """
    if lock is None:
        return False
    there = (
        {(locked.name, locked.version) for locked in beside.distributions} if beside is not None else set()
    )
    wanted = {(locked.name, locked.version) for locked in lock.distributions if locked.source is None} - there
    return any(
        not release.ships_for(lock.python)
        for name, _ in wanted
        for release in releases.get(name, ())
        if (name, release.version) in wanted
    )


def version_of(text: str | None) -> Version | None:
    """A version; None for none, and for what is none (PEP 440)."""
    try:
        return None if text is None else Version(text)
    except UNREADABLE:
        return None
