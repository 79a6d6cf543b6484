"""Packages over time, on one interpreter: the two neighbouring environments between which tests turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from backdate.bisection.narrowing import Narrowing
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
"""Environments that are reserved for after narrowing: moving a suspect alone, and holding it back."""


_MOST_UNRESOLVED = 16
"""Points that do not resolve, after which the rest between good and bad probably does not either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Where tests turn from good to bad, as closely as could be determined."""

    good: ProbeResult
    bad: ProbeResult
    transitions: tuple[TransitionRecord, ...]
    resolutions: int
    """Different resolutions among the points that were probed."""
    finished: bool
    """Whether no point with a known status lies between the two."""
    skipped: tuple[ProbeResult, ...]
    """The points between them whose status is unknown."""


class PackagesAxis:
    """The unpinned project at a row of instants; before them the old side, where everything was good.

    Each search uses the probes of the searches before it.
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
        self._probes: dict[int, ProbeResult] = {0: old}

    def look(self, point: int, then: Iterable[int] = ()) -> ProbeResult:
        """The probe of ``point``; raises OutOfBudget. ``then``: the points that are probably probed next."""
        if point not in self._probes:
            probe_point = self._setup(point)
            why = f"packages as of {format_day(probe_point.instant)}"
            leave = 0 if point == self.last else _FOR_BLAMING
            following = [self._setup(next_one) for next_one in then if next_one not in self._probes]
            self._probes[point] = self._probe_runner.ask(probe_point, why, leave=leave, then=following)
        return self._probes[point]

    @property
    def newest(self) -> ProbeResult | None:
        """The probe of the last point; None where it was not probed."""
        return self._probes.get(self.last)

    def first(self, among: Collection[int] | None) -> list[ProbePoint]:
        """The point to probe first if the last one is bad, and the possible next ones; empty after that."""
        statuses = {0: ProbeStatus.GOOD, self.last: ProbeStatus.BAD}
        point = _next(statuses, among)
        if point is None or point in self._probes:
            return []
        following = next_points(statuses, point, partial(_next, among=among))
        return [self._setup(index) for index in (point, *following)]

    def _setup(self, point: int) -> ProbePoint:
        return ProbePoint(choice=self._choice, instant=self._instants[point - 1], constraints=self._held)

    def turned_since(self, target: Target, good: Instant, bad: Instant) -> bool:
        """Whether probes for other targets show a later turn than that from ``good`` to ``bad``."""
        statuses = {
            point: status
            for point, probe in sorted(self._probes.items())
            if (status := common_status(probe.statuses_for(target).values()))
        }
        if statuses.get(self.last) is not ProbeStatus.BAD or statuses.get(0) is not ProbeStatus.GOOD:
            return False
        window = window_of(statuses)
        return (self._instant(window[0]), self._instant(window[1])) != (good, bad)

    def points_at(self, instants: Collection[Instant]) -> frozenset[int]:
        """The points of the axis that lie at one of ``instants``."""
        return frozenset(
            point for point, instant in enumerate(self._instants, start=1) if instant in instants
        )

    def narrow(
        self,
        target: Target,
        among: Collection[int] | None = None,
        foresee: Callable[[ProbeResult, ProbeResult], Iterable[ProbePoint]] = lambda _good, _bad: (),
    ) -> Narrowed | None:
        """Where the tests of ``target`` turn last; None when they do not fail at the last point.

        ``among``: the only points that are probed, all if None. ``foresee``: from the two environments
        between which they turn to what is probably asked next. Raises Regroup when the tests do not
        turn together.
        """
        try:
            self.look(self.last, next_points({0: ProbeStatus.GOOD}, self.last, partial(_next, among=among)))
        except OutOfBudget:
            return None
        finished, steady = True, False
        while True:
            statuses = {
                point: self._probe_runner.together(probe, target)
                for point, probe in sorted(self._probes.items())
            }
            if statuses[self.last] is not ProbeStatus.BAD or statuses[0] is not ProbeStatus.GOOD:
                return None
            self._tell(target, statuses)
            point = _next(statuses, among)
            if point is None and not steady:  # the two probes on which all depends are repeated
                steady = True
                good, bad = window_of(statuses)
                self._probe_runner.expect(foresee(self._probes[good], self._probes[bad]))
                ends = [end for end in (good, bad) if end not in (0, self.last)]
                answers = self._probe_runner.steady([self._probes[end] for end in ends])
                self._probes.update(zip(ends, answers, strict=True))
                continue
            if point is None:
                break
            if sum(not probe.identity for probe in self._probes.values()) >= _MOST_UNRESOLVED:
                finished = False
                break
            steady = False
            try:
                self.look(point, next_points(statuses, point, partial(_next, among=among)))
            except OutOfBudget:
                finished = False
                break
        return self._narrowed(statuses, finished)

    def _tell(self, target: Target, statuses: Mapping[int, ProbeStatus]) -> None:
        """Tell how far the search came, once it knows more than that the two sides differ.

        Not where the good one is the old side on an interpreter of its own: that says nothing of time alone.
        """
        good, bad = window_of(statuses)
        alike = self._probes[good].point.choice.interpreter.version == self.python
        if alike and (good, bad) != (0, self.last):
            self._probe_runner.narrowed(
                Narrowing(
                    tests=target.tests,
                    python=self.python,
                    held=self._held,
                    last_good=self._instant(good),
                    first_bad=self._instant(bad),
                )
            )

    def _narrowed(self, statuses: dict[int, ProbeStatus], finished: bool) -> Narrowed:
        good, bad = window_of(statuses)
        window = found_window(statuses) if finished else Window(good=good, bad=bad)
        transitions = tuple(
            TransitionRecord(
                before=self._instant(change.before), after=self._instant(change.after), kind=change.kind
            )
            for change in changes_of(statuses)
        )
        return Narrowed(
            good=self._probes[good],
            bad=self._probes[bad],
            transitions=transitions,
            resolutions=len({probe.identity for probe in self._probes.values() if probe.identity}),
            finished=finished,
            skipped=tuple(self._probes[point] for point in window.skipped),
        )

    def _instant(self, point: int) -> Instant:
        return self._probes[point].point.instant


def _next(statuses: Mapping[int, ProbeStatus], among: Collection[int] | None) -> int | None:
    """As ``search.next_point``; ``among``: in the row of those points alone."""
    if among is None:
        return next_point(statuses)
    good, bad = window_of(statuses)
    row = [good, *sorted(point for point in among if good < point < bad), bad]
    indexes = {point: index for index, point in enumerate(row)}
    chosen = next_point({indexes[point]: status for point, status in statuses.items() if point in indexes})
    return None if chosen is None else row[chosen]
