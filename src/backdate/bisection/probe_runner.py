"""Runs the tests of a bisection in the environments that a search asks for.

Every result is kept, in memory and in the cache, so that several searches share their environments and an
interrupted bisection continues where it was.

Environments are built and run in other threads; the calling thread records the results in the order in which
they were asked for, so that results, journal and logs do not depend on which thread ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from backdate.bisection.narrowing import Narrowing
from backdate.bisection.outcomes import OutcomeReader
from backdate.bisection.prefetch import Prefetcher
from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Regroup, Target, identity_of
from backdate.bisection.progress import SearchNarrowed
from backdate.bisection.result import UnattributedTest
from backdate.bisection.search import (
    MOST_ANSWERS,
    MOST_BUILDS,
    MOST_OF_ALL_CAUSES,
    ProbeStatus,
    common_status,
    split_by_status,
)
from backdate.bisection.suites import LinesRun, ProbeEnvironment, SeenErrors, SideContext, Suites
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.environments.environment import Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity, Reporter
from backdate.sandboxes.threads import in_threads
from backdate.testing.outcomes import SuiteRun
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True)
class _Probed:
    """A probe that another thread made, before it is recorded."""

    probe: ProbeResult
    environment: ProbeEnvironment | None = None
    run: SuiteRun | None = None


class ProbeRunner:
    """Makes environments of one project between two instants and runs the tests in question in them.

    Use as a context manager: leaving it ends the resolutions that still run in the background.
    """

    def __init__(
        self,
        resources: Resources,
        probe_builder: ProbeBuilder,
        old: tuple[Side, EnvironmentRequest],
        new: tuple[Side, EnvironmentRequest],
        *,
        tests: Sequence[str],
        folder: Path,
        progress: Reporter,
    ) -> None:
        """``old`` and ``new``: a check's sides, both with runs; ``tests``: ids that broke between them."""
        self._probe_builder = probe_builder
        self._resolutions: Prefetcher[ProbePoint, Lock | ProbeFailure] = Prefetcher(
            lambda point: probe_builder.resolve(self._request(point))
        )
        self._old, self._new = SideContext(*old), SideContext(*new)
        self._progress = progress
        self.tests = tuple(sorted(tests))
        self._suites = Suites(resources, self.tests, folder)
        self._outcomes = OutcomeReader(self._old, self._new, self.tests)
        self._runs: dict[str, list[SuiteRun]] = {}
        self._probes: dict[str, ProbeResult] = {}
        self._environments: dict[str, ProbeEnvironment] = {}
        self.refused: dict[str, UnattributedTest] = {}
        self._tried = 0
        self._left = self._attempts = 0
        self._left_of_all = MOST_OF_ALL_CAUSES
        self.exhausted = False
        """Whether a search wanted more environments than all causes together may take."""
        self.journal: list[tuple[str, ProbeResult]] = []
        """What was asked for the current cause, and why."""
        self._beside: list[str] = []
        self._asked: dict[ProbePoint, str] = {}
        """The identity of every point that was asked for."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resolutions.__exit__(kind, error, trace)

    @property
    def builds(self) -> int:
        """Environments that were built, or tried to be, for the searches."""
        return self._probe_builder.builds

    @property
    def runs(self) -> int:
        """Suites that were run, and not taken from the cache."""
        return self._suites.ran

    @property
    def environments(self) -> int:
        """Different environments that were probed."""
        return len(self._environments)

    @property
    def most_environments(self) -> int:
        """Those that could be probed at most: the two sides, and what all causes may take."""
        return MOST_OF_ALL_CAUSES + 2

    def begin(self, allowance: int) -> None:
        """Start with another cause, which may take ``allowance`` environments that are not known yet.

        Those that do not build do not count, but all together are at most ``MOST_BUILDS``, and
        ``MOST_OF_ALL_CAUSES`` for all causes.
        """
        self._left, self._attempts, self.journal, self._beside = allowance, MOST_BUILDS, [], []

    def narrowed(self, narrowing: Narrowing) -> None:
        """Tell how far the search for the current cause came."""
        self._progress.report(SearchNarrowed(narrowing=narrowing))

    @property
    def left(self) -> int:
        """Environments that the current cause may still take."""
        return self._left

    def allow(self, more: int) -> None:
        """The current cause may take ``more``; those that do not build included, ``MOST_BUILDS`` stay all."""
        self._left += more

    def resolved(self, point: ProbePoint) -> Lock | None:
        """What ``point`` resolves to, with nothing built or run; None where it does not."""
        lock = self._resolutions.get(point)
        return lock if isinstance(lock, Lock) else None

    def in_vain(self) -> list[tuple[str, ProbeResult]]:
        """What was probed for the current cause in parallel with another point, and was not needed."""
        asked = {probe.identity for _, probe in self.journal}
        return [
            ("in parallel with another one, not needed", self._probes[identity])
            for identity in self._beside
            if identity not in asked
        ]

    def sides(self) -> tuple[ProbeResult, ProbeResult]:
        """The check's two environments, with the outcomes of the tests in question when they run alone."""
        probe = []
        for context in (self._old, self._new):
            environment, run = context.side.environment, context.side.run
            assert environment is not None
            assert run is not None
            point = ProbePoint(choice=context.side.choice, instant=context.side.instant)
            # The old side's tree is another one, with its pins, and so is what it says.
            name = identity_of(environment.choice, environment.lock)
            identity = f"old:{name}" if context is self._old else name
            self._probe_builder.builder.filler.neighbours.note(environment)
            self._tried += 1
            self._environments[identity] = ProbeEnvironment(environment, context, self._tried)
            self._runs[identity] = [run]
            self._probes[identity] = ProbeResult(point=point, identity=identity, lock=environment.lock)
            probe.append(self._probes[identity])
        old, new = self.steady(probe)
        return old, new

    def expect(self, points: Iterable[ProbePoint]) -> None:
        """Start to resolve, in the background, what will probably be asked for next; nothing is built."""
        if not self._probe_builder.by_pip:
            self._resolutions.expect(points)

    def ask(
        self,
        point: ProbePoint,
        why: str,
        *,
        leave: int = 0,
        then: Sequence[ProbePoint] = (),
        at_once: bool = False,
    ) -> ProbeResult:
        """The outcomes of the tests in question in ``point``. ``then``: what will probably be asked next.

        ``at_once``: the first of ``then`` is probed at the same time, though it may not be needed.
        Raises OutOfBudget, before anything is built, when fewer than ``leave`` more could be built then.
        """
        self.expect((point, *then))
        probe = self._look(point, why, leave, then[0] if then and at_once else None)
        self.journal.append((why, probe))
        self._asked[point] = probe.identity
        return probe

    def steady(self, several: Sequence[ProbeResult]) -> list[ProbeResult]:
        """As ``several``, with tests run a second time, and more often where two runs do not agree."""
        names = [probe.identity for probe in several if probe.identity and not probe.failure]
        while wanted := [name for name in dict.fromkeys(names) if self._wants_another(self._runs[name])]:
            works = [
                partial(self._suites.run, self._environments[name], len(self._runs[name])) for name in wanted
            ]
            for name, run in zip(wanted, in_threads(works, name="run"), strict=True):
                self._runs[name].append(run)
        return [self._settled(probe) if probe.identity in names else probe for probe in several]

    def _wants_another(self, runs: Sequence[SuiteRun]) -> bool:
        return len(runs) < 2 or (len(runs) < MOST_ANSWERS and bool(self._outcomes.unsettled(runs)))

    def _settled(self, probe: ProbeResult) -> ProbeResult:
        for contradiction in self._outcomes.contradictions(probe, self._runs[probe.identity]):
            self.refused[contradiction.test] = contradiction
        return self._conclude(probe)

    def together(self, probe: ProbeResult, target: Target) -> ProbeStatus:
        """The common status of a target's tests; raises Regroup when they differ."""
        left = tuple(test for test in target.tests if test not in self.refused)
        if left != target.tests:
            raise Regroup([replace(target, tests=left)] if left else [])
        statuses = probe.statuses_for(target)
        status = common_status(statuses.values())
        if status is None:
            raise Regroup([replace(target, tests=part) for part in split_by_status(statuses)])
        return status

    def probed(self, point: ProbePoint) -> ProbeResult | None:
        """What is known of ``point``, if it was asked for before."""
        identity = self._asked.get(point)
        known = self._probes.get(identity) if identity is not None else None
        return None if known is None else replace(known, point=point)

    def probed_at(self, instant: Instant) -> list[ProbeResult]:
        """What is known by now of every environment of ``instant`` that was asked for."""
        return [
            replace(self._probes[identity], point=point)
            for point, identity in self._asked.items()
            if point.instant == instant and identity in self._probes
        ]

    def environment_of(self, probe: ProbeResult) -> Environment | None:
        """The environment of ``probe``; None where there is none."""
        environment = self._environments.get(probe.identity)
        return None if environment is None else environment.environment

    def at(self, probe: ProbeResult) -> str:
        """Where the tests saw the project's tree; the old side has another one."""
        return self._environments[probe.identity].context.request.at

    def run_with_warnings(self, probe: ProbeResult, tests: Sequence[str]) -> SuiteRun:
        """Run ``tests`` once more in the environment of ``probe``, with every Python warning in the log."""
        return self._suites.run_with_warnings(self._environments[probe.identity], tests)

    def errors_seen(self, probe: ProbeResult, tests: Sequence[str], files: Sequence[str]) -> SeenErrors:
        """The errors that reach lines of ``files`` while ``tests`` run in the environment of ``probe``."""
        return self._suites.errors_seen(self._environments[probe.identity], tests, files)

    def lines_run(self, probe: ProbeResult, tests: Sequence[str], files: Sequence[str]) -> LinesRun:
        """The lines of ``files`` of libraries that run while ``tests`` do in the environment of ``probe``."""
        return self._suites.lines_run(self._environments[probe.identity], tests, files)

    @property
    def _could_build(self) -> int:
        return min(self._left, self._attempts, self._left_of_all)

    def _look(self, point: ProbePoint, why: str, leave: int, beside: ProbePoint | None) -> ProbeResult:
        lock = self._resolutions.get(point)
        if not isinstance(lock, Lock):
            return ProbeResult(point=point, identity="", failure=lock.text)
        identity = identity_of(point.choice, lock)
        if identity in self._probes:
            return replace(self._probes[identity], point=point)
        if self._could_build <= leave:
            self.exhausted = self.exhausted or self._left_of_all <= leave
            raise OutOfBudget
        self._progress.report(Activity(text=f"environment {self.environments + 1}: {why}"))
        first = ProbeResult(point=point, identity=identity, lock=lock)
        works: list[Callable[[], _Probed | None]] = [partial(self._make, first, self._tried + 1)]
        if beside is not None and self._could_build > leave + 1:
            works.append(partial(self._make_beside, beside, self._tried + 2, identity))
            self._tried += 1
        self._tried += 1
        for probed in in_threads(works, name="environment"):
            if probed is not None:
                self._record(probed)
                self._beside += [probed.probe.identity] if probed.probe.identity != identity else []
        return self._probes[identity]

    def _make_beside(self, point: ProbePoint, number: int, other: str) -> _Probed | None:
        """As ``_make``; None where that is ``other``, was probed before, or does not resolve."""
        lock = self._resolutions.get(point)
        if not isinstance(lock, Lock):
            return None
        probe = ProbeResult(point=point, identity=identity_of(point.choice, lock), lock=lock)
        return None if probe.identity in (*self._probes, other) else self._make(probe, number)

    def _make(self, probe: ProbeResult, number: int) -> _Probed:
        """Build the environment of ``probe`` and run the tests in it, in whatever thread."""
        built = self._probe_builder.build(self._request(probe.point))
        if not isinstance(built, Environment):
            return _Probed(replace(probe, failure=built.text))
        environment = ProbeEnvironment(built, self._new, number)
        probe = replace(probe, built=not built.reused, build_limits=self._probe_builder.limits_of(built))
        return _Probed(probe, environment, self._suites.run(environment, 0))

    def _record(self, probed: _Probed) -> None:
        """Record a probe that was made in whatever thread."""
        probe = probed.probe
        self._attempts -= 1
        self._left_of_all -= 1
        self._probes[probe.identity] = probe
        if probed.environment is not None and probed.run is not None:
            self._left -= 1
            self._environments[probe.identity] = probed.environment
            self._runs[probe.identity] = [probed.run]
            self._conclude(probe)

    def _request(self, point: ProbePoint) -> EnvironmentRequest:
        return replace(
            self._new.request, choice=point.choice, instant=point.instant, constraints=point.constraints
        )

    def _conclude(self, probe: ProbeResult) -> ProbeResult:
        """``probe`` with the outcomes of all runs of its environment; kept for later questions."""
        environment = self._environments[probe.identity].environment
        probe = self._outcomes.concluded(probe, self._runs[probe.identity], environment)
        self._probes[probe.identity] = probe
        return probe
