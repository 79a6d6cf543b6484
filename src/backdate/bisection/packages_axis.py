"""Packages over time, on one interpreter: the two neighbouring environments between which tests turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.result import TransitionRecord
from backdate.bisection.search import (
    ProbeStatus,
    Window,
    changes_of,
    common_status,
    found_window,
    next_point,
    next_points,
    window_of,
)
from backdate.environments.environment import InterpreterChoice
from backdate.timeline.instants import Instant, format_day

_FOR_BLAMING = 2
"""Environments that are left for what comes after narrowing: moving a suspect alone, and holding it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Where tests turn, as closely as could be told."""

    good: ProbeResult
    bad: ProbeResult
    transitions: tuple[TransitionRecord, ...]
    resolutions: int
    """Different resolutions among the points that were looked at."""
    finished: bool
    """Whether nothing that could be told lies between the two."""
    skipped: tuple[ProbeResult, ...]
    """What lies between them and could not be told."""


class PackagesAxis:
    """The unpinned project at a row of instants; before them the old side, where everything was good.

    What was looked at for one search is known to the next.
    """

    def __init__(
        self,
        probe_runner: ProbeRunner,
        old: ProbeResult,
        choice: InterpreterChoice,
        instants: Sequence[Instant],
        held: tuple[str, ...] = (),
    ) -> None:
        self._probe_runner = probe_runner
        self._choice, self._instants, self._held = choice, tuple(instants), held
        self.python = choice.interpreter.version
        self.last = len(instants)
        self._seen: dict[int, ProbeResult] = {0: old}

    def look(self, point: int, then: Iterable[int] = ()) -> ProbeResult:
        """What is seen at ``point``; raises OutOfBudget. ``then``: where will probably be looked next."""
        if point not in self._seen:
            setup = self._setup(point)
            why = f"packages as of {format_day(setup.instant)}"
            leave = 0 if point == self.last else _FOR_BLAMING
            following = [self._setup(one) for one in then if one not in self._seen]
            self._seen[point] = self._probe_runner.ask(setup, why, leave=leave, then=following)
        return self._seen[point]

    def first(self, among: Collection[int] | None) -> list[ProbePoint]:
        """What is looked at first when the last point is bad, and what may be next; nothing once it was."""
        statuses = {0: ProbeStatus.GOOD, self.last: ProbeStatus.BAD}
        point = _next(statuses, among)
        if point is None or point in self._seen:
            return []
        following = next_points(statuses, point, partial(_next, among=among))
        return [self._setup(one) for one in (point, *following)]

    def _setup(self, point: int) -> ProbePoint:
        return ProbePoint(choice=self._choice, instant=self._instants[point - 1], constraints=self._held)

    def turned_since(self, target: Target, good: Instant, bad: Instant) -> bool:
        """Whether what others asked for shows another last turn than that from ``good`` to ``bad``."""
        statuses = {
            point: status
            for point, seen in sorted(self._seen.items())
            if (status := common_status(seen.statuses_for(target).values()))
        }
        if statuses.get(self.last) is not ProbeStatus.BAD or statuses.get(0) is not ProbeStatus.GOOD:
            return False
        window = window_of(statuses)
        return (self._instant(window[0]), self._instant(window[1])) != (good, bad)

    def points_at(self, instants: Collection[Instant]) -> frozenset[int]:
        """The points of the axis that lie at one of ``instants``."""
        return frozenset(point for point, one in enumerate(self._instants, start=1) if one in instants)

    def narrow(
        self,
        target: Target,
        among: Collection[int] | None = None,
        foresee: Callable[[ProbeResult, ProbeResult], Iterable[ProbePoint]] = lambda _good, _bad: (),
    ) -> Narrowed | None:
        """Where the tests of ``target`` turn last; None when they do not fail at the last point.

        ``among``: the only points that are looked at, all when None. ``foresee``: from the two environments
        between which they turn to what will probably be asked next. Raises Regroup when the tests do not
        turn together.
        """
        try:
            self.look(self.last, next_points({0: ProbeStatus.GOOD}, self.last, partial(_next, among=among)))
        except OutOfBudget:
            return None
        finished, steady = True, False
        while True:
            statuses = {
                point: self._probe_runner.together(seen, target) for point, seen in sorted(self._seen.items())
            }
            if statuses[self.last] is not ProbeStatus.BAD or statuses[0] is not ProbeStatus.GOOD:
                return None
            point = _next(statuses, among)
            if point is None and not steady:  # the answers on which all depends are asked for twice
                steady = True
                good, bad = window_of(statuses)
                self._probe_runner.expect(foresee(self._seen[good], self._seen[bad]))
                ends = [end for end in (good, bad) if end not in (0, self.last)]
                answers = self._probe_runner.steady([self._seen[end] for end in ends])
                self._seen.update(zip(ends, answers, strict=True))
                continue
            if point is None:
                break
            steady = False
            try:
                self.look(point, next_points(statuses, point, partial(_next, among=among)))
            except OutOfBudget:
                finished = False
                break
        return self._narrowed(statuses, finished)

    def _narrowed(self, statuses: dict[int, ProbeStatus], finished: bool) -> Narrowed:
        good, bad = window_of(statuses)
        window = found_window(statuses) if finished else Window(good=good, bad=bad)
        transitions = tuple(
            TransitionRecord(before=self._instant(one.before), after=self._instant(one.after), kind=one.kind)
            for one in changes_of(statuses)
        )
        return Narrowed(
            good=self._seen[good],
            bad=self._seen[bad],
            transitions=transitions,
            resolutions=len({seen.identity for seen in self._seen.values() if seen.identity}),
            finished=finished,
            skipped=tuple(self._seen[point] for point in window.skipped),
        )

    def _instant(self, point: int) -> Instant:
        return self._seen[point].point.instant


def _next(statuses: Mapping[int, ProbeStatus], among: Collection[int] | None) -> int | None:
    """As ``search.next_point``; ``among``: in the row of those points alone."""
    if among is None:
        return next_point(statuses)
    good, bad = window_of(statuses)
    row = [good, *sorted(point for point in among if good < point < bad), bad]
    places = {point: place for place, point in enumerate(row)}
    found = next_point({places[point]: status for point, status in statuses.items() if point in places})
    return None if found is None else row[found]
