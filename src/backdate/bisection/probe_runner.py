"""Where a bisection's questions are answered: an environment is made and the tests in question run in it.

Every answer is kept, in memory and in the cache, so that questions of several searches share their
environments and an interrupted bisection goes on where it was.

Other threads make and run environments; what they give is taken in by the asking one, in the order of the
questions, so that the answers, the journal and the logs are the same whoever ends first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from backdate.bisection.outcomes import OutcomeReader
from backdate.bisection.prefetch import Prefetcher
from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Regroup, Target, identity_of
from backdate.bisection.result import UnattributedTest
from backdate.bisection.search import (
    MOST_ANSWERS,
    MOST_BUILDS,
    ProbeStatus,
    colour_together,
    split_by_colour,
)
from backdate.bisection.suites import ProbeEnvironment, SideContext, Suites
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.environments.environment import Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity, Reporter
from backdate.sandboxes.threads import in_threads
from backdate.testing.outcomes import SuiteRun


@dataclass(frozen=True, slots=True)
class _Look:
    """What was found out of an environment, to be taken in."""

    seen: ProbeResult
    room: ProbeEnvironment | None = None
    run: SuiteRun | None = None


class ProbeRunner:
    """Makes environments of one project between two instants and runs the tests in question in them.

    To be left (``with``) when nothing more is asked: resolutions may be under way that nobody waits for.
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
            lambda setup: probe_builder.resolve(self._request(setup))
        )
        self._old, self._new = SideContext(*old), SideContext(*new)
        self._progress = progress
        self.tests = tuple(sorted(tests))
        self._suites = Suites(resources, self.tests, folder)
        self._reading = OutcomeReader(self._old, self._new, self.tests)
        self._runs: dict[str, list[SuiteRun]] = {}
        self._seen: dict[str, ProbeResult] = {}
        self._environments: dict[str, ProbeEnvironment] = {}
        self.refused: dict[str, UnattributedTest] = {}
        self._tried = 0
        self._left = self._attempts = 0
        self.journal: list[tuple[str, ProbeResult]] = []
        """What was asked for the cause in hand, and why."""
        self._beside: list[str] = []

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
        """Different environments that were looked at."""
        return len(self._environments)

    def begin(self, allowance: int) -> None:
        """Turn to another cause, which may take ``allowance`` environments that are not known yet.

        Those that do not build are not among them, but all together are at most ``MOST_BUILDS``.
        """
        self._left, self._attempts, self.journal, self._beside = allowance, MOST_BUILDS, [], []

    def in_vain(self) -> list[tuple[str, ProbeResult]]:
        """What was looked at for the cause in hand beside something else, and was not asked for then."""
        asked = {seen.identity for _, seen in self.journal}
        return [("beside another one, in vain", self._seen[one]) for one in self._beside if one not in asked]

    def sides(self) -> tuple[ProbeResult, ProbeResult]:
        """The check's two environments, with what the tests in question say in them when they run alone."""
        seen = []
        for context in (self._old, self._new):
            environment, run = context.side.environment, context.side.run
            assert environment is not None
            assert run is not None
            setup = ProbePoint(choice=context.side.choice, instant=context.side.instant)
            # The old side's tree is another one, with its pins, and so is what it says.
            name = identity_of(environment.choice, environment.lock)
            identity = f"old:{name}" if context is self._old else name
            self._probe_builder.builder.note_neighbour(environment)
            self._tried += 1
            self._environments[identity] = ProbeEnvironment(environment, context, self._tried)
            self._runs[identity] = [run]
            self._seen[identity] = ProbeResult(setup=setup, identity=identity, lock=environment.lock)
            seen.append(self._seen[identity])
        old, new = self.steady(seen)
        return old, new

    def expect(self, setups: Iterable[ProbePoint]) -> None:
        """Say what will probably be asked next: it is resolved meanwhile, and no more than that."""
        self._resolutions.expect(setups)

    def ask(
        self,
        setup: ProbePoint,
        why: str,
        *,
        leave: int = 0,
        then: Sequence[ProbePoint] = (),
        at_once: bool = False,
    ) -> ProbeResult:
        """What the tests in question say in ``setup``. ``then``: what will probably be asked next.

        ``at_once``: the first of ``then`` is looked at at the same time, though that may be in vain.
        Raises OutOfBudget, before anything is built, when fewer than ``leave`` more could be built then.
        """
        self.expect((setup, *then))
        seen = self._look(setup, why, leave, then[0] if then and at_once else None)
        self.journal.append((why, seen))
        return seen

    def steady(self, several: Sequence[ProbeResult]) -> list[ProbeResult]:
        """As ``several``, with tests run a second time, and more often where two runs do not agree."""
        names = [seen.identity for seen in several if seen.identity and not seen.failure]
        while wanted := [name for name in dict.fromkeys(names) if self._wants_another(self._runs[name])]:
            works = [
                partial(self._suites.run, self._environments[name], len(self._runs[name])) for name in wanted
            ]
            for name, run in zip(wanted, in_threads(works, name="run"), strict=True):
                self._runs[name].append(run)
        return [self._settled(seen) if seen.identity in names else seen for seen in several]

    def _wants_another(self, runs: Sequence[SuiteRun]) -> bool:
        return len(runs) < 2 or (len(runs) < MOST_ANSWERS and bool(self._reading.unsettled(runs)))

    def _settled(self, seen: ProbeResult) -> ProbeResult:
        for one in self._reading.contradictions(seen, self._runs[seen.identity]):
            self.refused[one.test] = one
        return self._conclude(seen)

    def together(self, seen: ProbeResult, target: Target) -> ProbeStatus:
        """The colour of a target's tests; raises Regroup when they do not belong together."""
        left = tuple(test for test in target.tests if test not in self.refused)
        if left != target.tests:
            raise Regroup([replace(target, tests=left)] if left else [])
        colours = seen.colours_for(target)
        colour = colour_together(colours.values())
        if colour is None:
            raise Regroup([replace(target, tests=part) for part in split_by_colour(colours)])
        return colour

    def environment_of(self, seen: ProbeResult) -> Environment | None:
        """The environment behind what was seen; None where there is none."""
        found = self._environments.get(seen.identity)
        return None if found is None else found.environment

    def at(self, seen: ProbeResult) -> str:
        """Where the tests saw the project's tree; the old side has another one."""
        return self._environments[seen.identity].context.request.at

    def run_with_warnings(self, seen: ProbeResult, tests: Sequence[str]) -> SuiteRun:
        """Run ``tests`` once more in an environment that was seen, with every Python warning in the log."""
        return self._suites.run_with_warnings(self._environments[seen.identity], tests)

    @property
    def _could_build(self) -> int:
        return min(self._left, self._attempts)

    def _look(self, setup: ProbePoint, why: str, leave: int, beside: ProbePoint | None) -> ProbeResult:
        lock = self._resolutions.get(setup)
        if not isinstance(lock, Lock):
            return ProbeResult(setup=setup, identity="", failure=lock.text)
        identity = identity_of(setup.choice, lock)
        if identity in self._seen:
            return replace(self._seen[identity], setup=setup)
        if self._could_build <= leave:
            raise OutOfBudget
        self._progress.report(Activity(text=f"environment {self.environments + 1}: {why}"))
        first = ProbeResult(setup=setup, identity=identity, lock=lock)
        works: list[Callable[[], _Look | None]] = [partial(self._make, first, self._tried + 1)]
        if beside is not None and self._could_build > leave + 1:
            works.append(partial(self._make_beside, beside, self._tried + 2, identity))
            self._tried += 1
        self._tried += 1
        for look in in_threads(works, name="environment"):
            if look is not None:
                self._take(look)
                self._beside += [look.seen.identity] if look.seen.identity != identity else []
        return self._seen[identity]

    def _make_beside(self, setup: ProbePoint, number: int, other: str) -> _Look | None:
        """As ``_make``; None where that is ``other``, was looked at before, or does not resolve."""
        lock = self._resolutions.get(setup)
        if not isinstance(lock, Lock):
            return None
        seen = ProbeResult(setup=setup, identity=identity_of(setup.choice, lock), lock=lock)
        return None if seen.identity in (*self._seen, other) else self._make(seen, number)

    def _make(self, seen: ProbeResult, number: int) -> _Look:
        """Build what ``seen`` asks for and run the tests in it, in whatever thread."""
        built = self._probe_builder.build(self._request(seen.setup))
        if not isinstance(built, Environment):
            return _Look(replace(seen, failure=built.text))
        room = ProbeEnvironment(built, self._new, number)
        seen = replace(seen, built=not built.reused, build_limits=self._probe_builder.limits_of(built))
        return _Look(seen, room, self._suites.run(room, 0))

    def _take(self, look: _Look) -> None:
        """Take in what was found out."""
        seen = look.seen
        self._attempts -= 1
        self._seen[seen.identity] = seen
        if look.room is not None and look.run is not None:
            self._left -= 1
            self._environments[seen.identity] = look.room
            self._runs[seen.identity] = [look.run]
            self._conclude(seen)

    def _request(self, setup: ProbePoint) -> EnvironmentRequest:
        return replace(
            self._new.request, choice=setup.choice, instant=setup.instant, constraints=setup.constraints
        )

    def _conclude(self, seen: ProbeResult) -> ProbeResult:
        """``seen`` with what all the runs of its environment say; kept for everyone who asks."""
        environment = self._environments[seen.identity].environment
        seen = self._reading.concluded(seen, self._runs[seen.identity], environment)
        self._seen[seen.identity] = seen
        return seen
