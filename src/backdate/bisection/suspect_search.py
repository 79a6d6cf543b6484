"""Suspect first: in the newest environment, one distribution at its old version, then at those between.

Nothing else is changed, so a turn is found where the project is to run, and its good end is at once the proof
that holding the suspect back helps. What the error names is asked first; of an error that names nothing, what
the code that fails imports and calls, all of it together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from packaging.version import Version

from backdate.bisection.errors_of_run import is_product
from backdate.bisection.known_turns import is_of_python, known_turn
from backdate.bisection.narrowing import Narrowing
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.result import Culprit, TransitionRecord
from backdate.bisection.search import (
    ProbeStatus,
    changes_of,
    found_window,
    next_points,
    weighted_point,
    window_of,
)
from backdate.bisection.suspects import RUNNERS, by_step, weights_of
from backdate.bisection.version_moves import (
    Releases,
    VersionMoves,
    hold_back,
    moved_back,
    needs_compiling,
    version_of,
)
from backdate.checking.result import PackageChange
from backdate.environments.environment import InterpreterChoice
from backdate.timeline.instants import Instant

MOST_NAMED = 3
"""Distributions that an error names and that are tried."""
MOST_CALLED = 6
"""Distributions that failing code calls and that are held back together."""
_INNOCENT = 0.15
"""Share of suspects that the error names and that are not at fault."""
_MOST_SKIPPED = 2
"""Versions that could not be tried, after which a suspect without a good one is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionTurn:
    """Two environments of the newest instant, good and bad, that differ by a suspect's version."""

    good: ProbeResult
    bad: ProbeResult
    transitions: tuple[TransitionRecord, ...] = ()
    skipped: int = 0
    """Versions between the two that could not be tried."""
    finished: bool = True
    apart: bool = True
    """Whether it is one suspect that moved; otherwise several were held back together."""


@dataclass(slots=True)
class _VersionRow:
    """Versions of one suspect: points 1, 2, …; point 0 stands for one that is older than all."""

    name: str
    versions: Sequence[str]
    released: Mapping[str, Instant]
    weights: Sequence[float]
    hint: int | None
    """The point at which it is known to have turned for others."""
    oldest_first: bool
    """Whether it is doubtful that the suspect is at fault, so that its oldest version is asked first."""
    statuses: dict[int, ProbeStatus] = field(default_factory=dict)
    probes: dict[int, ProbeResult] = field(default_factory=dict)

    def next(self, statuses: Mapping[int, ProbeStatus]) -> int | None:
        """What to ask next: what is known of such changes, whether it is at fault at all, the middle."""
        good, bad = window_of(statuses)
        if self.hint is not None:
            for point in (self.hint - 1, self.hint):
                if good < point < bad and point not in statuses:
                    return point
        if good == 0 and 1 not in statuses and (self.oldest_first or len(statuses) > 2):
            return 1
        return weighted_point(statuses, self.weights)


class SuspectSearch:
    """Searches the versions of suspects in otherwise newest environments."""

    def __init__(
        self, probe_runner: ProbeRunner, releases: Releases, old: ProbeResult, newest: Instant
    ) -> None:
        self._probe_runner, self._releases = probe_runner, releases
        self._old, self._newest = old, newest
        self._cleared: set[tuple[Target, tuple[str, ...], str]] = set()
        """Suspects with which a target fails at their old version as well, whatever the interpreter."""
        self._found: dict[str, Culprit] = {}
        """Culprits of targets whose versions were searched, by name."""

    def note_found(self, culprits: Sequence[Culprit]) -> None:
        """Try the only one of ``culprits`` first for the targets that come next."""
        if len(culprits) == 1 and culprits[0].new is not None:
            self._found.setdefault(culprits[0].name, culprits[0])

    def find(self, target: Target, choice: InterpreterChoice, held: tuple[str, ...]) -> VersionTurn | None:
        """Where ``target`` turns on the interpreter ``choice`` with ``held`` held back; None when it is no
        suspect, or none of its good versions can be had there. Raises Regroup."""
        latest = ProbePoint(choice=choice, instant=self._newest, constraints=held)
        why = f"the newest packages on Python {choice.interpreter.version}"
        try:
            bad = self._probe_runner.ask(latest, why)
        except OutOfBudget:
            return None
        if bad.lock is None or self._probe_runner.together(bad, target) is not ProbeStatus.BAD:
            return None
        between = VersionMoves(self._old, bad, held)
        named = [name for name in target.suspects if name in between.moved][:MOST_NAMED]
        left = [name for name in named if (target, held, name) not in self._cleared]
        near = by_step([name for name in target.called if name not in named], between.moved)
        others = by_step([*near, *target.imported], between.moved)
        try:
            # a test that fails by its runner's own exception ("DID NOT RAISE") mostly says nothing of it
            nobody = RUNNERS.issuperset(named)
            if nobody and is_of_python(target):
                return None
            behind = [name for name in target.caught_names if name in between.moved][:MOST_NAMED]
            known = [] if is_of_python(target) else [*behind, *self._helped(target, bad, between)]
            for name in dict.fromkeys([*known, *left] if nobody else [*left, *known]):
                turn = self._unless_in_vain(partial(self._of_one, target, bad, between, name, held))
                if turn is not None:
                    return turn
            if not nobody:
                return None
            together = (others[:MOST_CALLED], near[:MOST_CALLED])
            return self._unless_in_vain(partial(self._of_several, target, bad, between, together))
        except OutOfBudget:
            return None

    def _helped(self, target: Target, bad: ProbeResult, between: VersionMoves) -> list[str]:
        """Culprits of other targets with which alone held back the tests of this one were seen to be good.

        One change makes tests fail with many errors: nothing new is built to learn that it is the same one.
        """
        helped = []
        for name, culprit in self._found.items():
            point = replace(
                bad.point, constraints=tuple(sorted({*bad.point.constraints, *hold_back([culprit])}))
            )
            probe = self._probe_runner.probed(point) if name in between.moved else None
            if probe is None or moved_back(probe.lock, bad.lock) != {name}:
                continue  # with others that are older too it is not known whose doing it is
            if self._status(probe, target, bad) is ProbeStatus.GOOD:
                helped.append(name)
        return helped

    def _unless_in_vain(self, search: Callable[[], VersionTurn | None]) -> VersionTurn | None:
        """What ``search`` finds; what it built in vain does not count against the searches after it."""
        before = self._probe_runner.left
        turn = search()
        if turn is None:
            self._probe_runner.allow(before - self._probe_runner.left)
        return turn

    def _of_several(
        self, target: Target, bad: ProbeResult, between: VersionMoves, sets: Sequence[Sequence[str]]
    ) -> VersionTurn | None:
        """All of the first of ``sets`` that can be had in one environment."""
        for names in sets:
            rows = [row for name in names if (row := self._row(target, bad, between.moved[name], between))]
            if len(rows) == 1:
                return self._of_one(target, bad, between, rows[0].name, bad.point.constraints)
            lines = [f"{row.name}=={row.versions[0]}" for row in rows]
            point = replace(bad.point, constraints=tuple(sorted({*bad.point.constraints, *lines})))
            lock = self._probe_runner.resolved(point) if rows else None
            if lock is not None and not needs_compiling(lock, bad.lock, self._releases):
                break
        else:
            return None
        why = f"the newest with what the failing code calls as it was: {', '.join(lines)}"
        good = self._probe_runner.ask(point, why, leave=1)
        if self._status(good, target, bad) is not ProbeStatus.GOOD:
            return None
        (good,) = self._probe_runner.steady([good])
        if self._status(good, target, bad) is not ProbeStatus.GOOD:
            return None
        return VersionTurn(good=good, bad=bad, apart=False)

    def _of_one(
        self,
        target: Target,
        bad: ProbeResult,
        between: VersionMoves,
        name: str,
        held: tuple[str, ...],
    ) -> VersionTurn | None:
        row = self._row(target, bad, between.moved[name], between)
        if row is None:
            return None
        last, finished = len(row.versions), True
        row.statuses, row.probes = {0: ProbeStatus.GOOD, last: ProbeStatus.BAD}, {last: bad}
        steady: set[int] = set()
        while True:
            if row.statuses[last] is not ProbeStatus.BAD:
                return None
            good, first_bad = window_of(row.statuses)
            skipped = sum(status is ProbeStatus.SKIP for status in row.statuses.values())
            if good == 0 and (first_bad == 1 or skipped >= _MOST_SKIPPED):
                if first_bad == 1 and row.versions[0] == between.moved[name].old:
                    self._cleared.add((target, held, name))
                return None
            point = row.next(row.statuses)
            if point is None and good == 0:
                return None
            if point is None and not steady >= {good, first_bad}:  # the two on which all depends are repeated
                steady |= {good, first_bad}
                self._probe_runner.expect(_held_back(row, bad, first_bad))
                self._repeat(row, target, (good, first_bad))
                continue
            if point is None:
                break
            try:
                self._look(row, target, bad, point)
            except OutOfBudget:
                finished = False
                break
            self._tell(row, target, bad)
        if window_of(row.statuses)[0] == 0:
            return None
        return self._turn(row, finished)

    def _tell(self, row: _VersionRow, target: Target, bad: ProbeResult) -> None:
        """Tell how far the search came, once a version is known to be good."""
        if row.statuses[len(row.versions)] is not ProbeStatus.BAD:
            return
        good, first_bad = window_of(row.statuses)
        if good:
            self._probe_runner.narrowed(
                Narrowing(
                    tests=target.tests,
                    python=bad.point.choice.interpreter.version,
                    held=bad.point.constraints,
                    name=row.name,
                    good=row.versions[good - 1],
                    bad=row.versions[first_bad - 1],
                )
            )

    def _look(self, row: _VersionRow, target: Target, bad: ProbeResult, point: int) -> None:
        following = next_points(row.statuses, point, row.next)
        known = row.hint is not None and point == row.hint - 1 and row.hint in following
        if known:  # of a known change both sides are needed: they are built together
            following.sort(key=lambda number: number != row.hint)
        asked, *then = (_point(row, bad, number) for number in (point, *following))
        version = row.versions[point - 1]
        why = f"the newest with {row.name} {version}"
        if needs_compiling(self._probe_runner.resolved(asked), bad.lock, self._releases):
            row.statuses[point] = ProbeStatus.SKIP
            return
        row.probes[point] = self._probe_runner.ask(asked, why, leave=1, then=then, at_once=known)
        row.statuses[point] = self._status(row.probes[point], target, bad)

    def _status(self, probe: ProbeResult, target: Target, bad: ProbeResult) -> ProbeStatus:
        """As ``ProbeRunner.together``; unknown where every test fails because of what is held back."""
        status = self._probe_runner.together(probe, target)
        if status is not ProbeStatus.GOOD:
            return status
        older = moved_back(probe.lock, bad.lock)
        told = [
            test
            for test, one in probe.statuses_for(target).items()
            if one is ProbeStatus.GOOD
            and ((known := probe.errors.get(test)) is None or not is_product(known, older))
        ]
        return ProbeStatus.GOOD if told else ProbeStatus.SKIP

    def _repeat(self, row: _VersionRow, target: Target, ends: Sequence[int]) -> None:
        answers = self._probe_runner.steady([row.probes[end] for end in ends])
        row.probes.update(zip(ends, answers, strict=True))
        row.statuses.update(
            {end: self._status(row.probes[end], target, row.probes[ends[-1]]) for end in ends}
        )

    def _row(
        self, target: Target, bad: ProbeResult, change: PackageChange, between: VersionMoves
    ) -> _VersionRow | None:
        """The versions to search; None where there is no older one that can be had without compiling it."""
        old, new = version_of(change.old), version_of(change.new)
        if old is None or new is None or new <= old:
            return None
        known = {release.version: release for release in self._releases.get(change.name, ())}
        versions = [version for version in between.versions(change, self._releases) if version is not None]
        python = bad.point.choice.interpreter.version
        possible = [
            version
            for version in versions[:-1]
            if (release := known.get(str(Version(version)))) is None or release.ships_for(python)
        ]
        since = known_turn(target, change.name)
        if not possible or (since is not None and old < since <= Version(possible[0])):
            return None  # what can be had here is all from after the turn
        found = self._found.get(change.name)
        likely = since or (version_of(found.new) if found is not None else None)
        versions = [*possible, versions[-1]]
        steps = weights_of(versions)
        return _VersionRow(
            name=change.name,
            versions=versions,
            released={
                version: release.uploaded
                for version in versions
                if (release := known.get(str(Version(version)))) is not None
            },
            weights=(0.0, _INNOCENT * sum(steps), *steps),
            hint=_first_from(versions, likely),
            oldest_first=change.name not in target.suspects or versions[0] != change.old,
        )

    def _turn(self, row: _VersionRow, finished: bool) -> VersionTurn:
        window = found_window(row.statuses)
        days = {
            point: day
            for point, version in enumerate(row.versions, start=1)
            if (day := row.released.get(version)) is not None
        }
        transitions = tuple(
            TransitionRecord(before=days[change.before], after=days[change.after], kind=change.kind)
            for change in changes_of({point: row.statuses[point] for point in row.probes})
            if change.before in days and change.after in days
        )
        good, bad = (
            replace(probe, point=replace(probe.point, released=days.get(point)))
            for point in (window.good, window.bad)
            for probe in (row.probes[point],)
        )
        return VersionTurn(
            good=good, bad=bad, transitions=transitions, skipped=len(window.skipped), finished=finished
        )


def _point(row: _VersionRow, bad: ProbeResult, number: int) -> ProbePoint:
    version = row.versions[number - 1]
    held = tuple(sorted({*bad.point.constraints, f"{row.name}=={version}"}))
    return replace(bad.point, constraints=held, released=row.released.get(version))


def _held_back(row: _VersionRow, bad: ProbeResult, first_bad: int) -> list[ProbePoint]:
    """What the proof asks for, if the two neighbours stay."""
    turn = Culprit(
        name=row.name, old=row.versions[first_bad - 2], new=row.versions[first_bad - 1], released=None
    )
    held = tuple(sorted({*bad.point.constraints, *hold_back([turn])}))
    return [replace(bad.point, constraints=held)]


def _first_from(versions: Sequence[str], since: Version | None) -> int | None:
    """The point of the first of ``versions`` from ``since`` on; None where that is the oldest of them."""
    if since is None:
        return None
    point = next((number for number, version in enumerate(versions) if Version(version) >= since), 0)
    return point + 1 if point else None
