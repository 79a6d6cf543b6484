"""A small world of releases in which a bisection can be tried without building anything."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

from builders import ENFORCED
from packaging.requirements import Requirement
from packaging.version import Version

from backdate.bisection.attribution import Attribution, Found
from backdate.bisection.points import DistributionRelease, candidate_instants, count_candidates, moving_range
from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import Target
from backdate.bisection.result import Failing, Finding
from backdate.bisection.suites import ProbeEnvironment, Suites
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.checking.settings import Settings
from backdate.diagnosis.result import Cause
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import (
    Environment,
    Interpreter,
    InterpreterChoice,
    Lock,
    LockedDistribution,
)
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import NO_PROGRESS
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun

START = datetime(2021, 1, 1, tzinfo=UTC)
END = START + timedelta(days=1000)
Says = Callable[[Mapping[str, str], str, int], str | None]
"""A test: from versions, the interpreter's version and the number of the run to an error, or None."""


def python(version: str) -> Interpreter:
    path = Path(f"/pythons/{version}")
    return Interpreter(version=version, executable=path / "bin/python", prefix=path, source="path")


def choice(version: str) -> InterpreterChoice:
    return InterpreterChoice(wanted=version, reason="", interpreter=python(version))


SKIPPED = "skipped"
"""What a test says that skips itself."""


@dataclass(frozen=True, kw_only=True)
class World:
    """Releases (days after START, negative ones before), tests, and what the two sides are."""

    releases: Mapping[str, Sequence[tuple[str, int]]]
    tests: Mapping[str, Says]
    pins: tuple[str, ...] = ()
    requires: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(name, version) to a requirement on another distribution."""
    unbuildable: Callable[[Mapping[str, str], str], bool] = lambda versions, python: False
    pythons: tuple[str, ...] = ("3.10.0", "3.10.0")
    others: tuple[str, ...] = ()
    limits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What an interpreter's version cannot have (its releases say so)."""
    there: Callable[[str, Mapping[str, str]], bool] = lambda test, versions: True
    """Whether a test exists."""
    compiled_for: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    """(name, version) to the interpreters that a release has wheels for."""
    root: Path = Path("/e")
    """Where every environment lies."""
    pause: Callable[[], None] = lambda: None
    """What every resolution, build and run waits for."""

    def lock(self, instant: datetime, constraints: Sequence[str], version: str) -> Lock | None:
        limits = [Requirement(line) for line in (*constraints, *self.limits.get(version, ()))]
        names = sorted(self.releases)
        rows = [
            sorted(
                (
                    one
                    for one, day in self.releases[name]
                    if START + timedelta(days=day) < instant
                    and all(need.specifier.contains(one) for need in limits if need.name == name)
                ),
                key=Version,
                reverse=True,
            )
            for name in names
        ]
        for row in itertools.product(*rows):
            chosen = dict(zip(names, row, strict=True))
            needs = [Requirement(self.requires[pair]) for pair in chosen.items() if pair in self.requires]
            if all(need.specifier.contains(chosen[need.name]) for need in needs):
                distributions = tuple(LockedDistribution(name=n, version=v) for n, v in chosen.items())
                return Lock(instant=instant, python=version, distributions=distributions)
        return None

    def run(self, versions: Mapping[str, str], version: str, number: int) -> SuiteRun:
        results = []
        for name, says in self.tests.items():
            if not self.there(name, versions):
                continue
            error = says(versions, version, number)
            skipped = error == SKIPPED
            raised = (_raised(error),) if error and not skipped else ()
            outcome = Outcome.SKIPPED if skipped else Outcome.FAILED if error else Outcome.PASSED
            results.append(CaseResult(id=name, outcome=outcome, duration_s=0.0, raised=raised, file="t.py"))
        return SuiteRun(
            status="completed",
            exit_code=0,
            signal=None,
            results=tuple(results),
            runner="pytest 7",
            duration_s=1.0,
            enforced=ENFORCED,
            log=Path("/log"),
        )


def _raised(error: str) -> Raised:
    """An exception; of "in jinja2: …" one that was raised in the code of jinja2."""
    frames: tuple[Frame, ...] = ()
    if error.startswith("in "):
        name = error.split()[1].rstrip(":")
        file = f"/e/lib/python3.10/site-packages/{name}/core.py"
        frames = (Frame(file=file, line=1, function="f", source="g()"),)
    return Raised(type=f"{error.split(maxsplit=1)[0]}.Error", message=error, frames=frames)


def versions_of(lock: Lock) -> dict[str, str]:
    return {one.name: one.version for one in lock.distributions}


class FakeProbeBuilder(ProbeBuilder):
    """Resolves and builds in a world."""

    def __init__(self, builder: Builder, world: World) -> None:
        super().__init__(builder)
        self.world = world

    def resolve(self, request: EnvironmentRequest) -> Lock | ProbeFailure:
        version = request.choice.interpreter.version
        self.world.pause()
        return self.world.lock(request.instant, request.constraints, version) or ProbeFailure(
            phase="resolve", message="no"
        )

    def build(self, request: EnvironmentRequest) -> Environment | ProbeFailure:
        lock = self.resolve(request)
        assert isinstance(lock, Lock)
        self.world.pause()
        self.count_build()
        if self.world.unbuildable(versions_of(lock), lock.python):
            return ProbeFailure(phase="install", message="no")
        return environment(request.choice, lock, self.world.root)


class FakeSuites(Suites):
    """Computes runs in a world."""

    def __init__(self, world: World) -> None:
        super().__init__(SimpleNamespace(settings=Settings()), (), Path())  # type: ignore[arg-type]
        self.world = world

    def run(self, room: ProbeEnvironment, number: int) -> SuiteRun:
        lock = room.environment.lock
        self.world.pause()
        self._begun.append(Path())
        return self.world.run(versions_of(lock), lock.python, number)


def environment(chosen: InterpreterChoice, lock: Lock, root: Path = Path("/e")) -> Environment:
    return Environment(
        key="k", root=root, choice=chosen, lock=lock, build_s=1.0, reused=False, log=Path("/log")
    )


def bisect_world(
    world: World,
    suspects: tuple[str, ...] | Mapping[str, tuple[str, ...]] = (),
    runner_class: type[ProbeRunner] = ProbeRunner,
    builder_class: type[ProbeBuilder] | None = None,
    called: tuple[str, ...] | Mapping[str, tuple[str, ...]] = (),
    cause: Cause | None = None,
    imported: tuple[str, ...] = (),
    caught_names: tuple[str, ...] = (),
    found: Found = lambda _findings, _pending: False,
) -> tuple[tuple[Finding, ...], ProbeRunner, Attribution]:
    """What a bisection of the world's window finds. ``suspects``, ``called``: of every error, or by
    its message."""
    provenance = Provenance(rule="")
    recipe = Recipe(install=(), test=SuitePlan(runner="pytest", provenance=provenance))
    sides = []
    for instant, version, pins in ((START, world.pythons[0], world.pins), (END, world.pythons[1], ())):
        lock = world.lock(instant, pins, version)
        assert lock is not None
        made = environment(choice(version), lock, world.root)
        run = world.run(versions_of(lock), version, 0)
        side = Side(instant=instant, choice=made.choice, recipe=recipe, environment=made, run=run)
        request = EnvironmentRequest(
            name="p", tree=Path("/t"), digest="d" * 64, steps=(), choice=made.choice, instant=instant
        )
        sides.append((side, request))
    old, new = sides
    errors = {one.id: one.raised[0].message for one in new[0].run.results if one.raised}
    good = {one.id for one in old[0].run.results if one.outcome.good}
    before = {one.id: one.raised[0].message for one in old[0].run.results if one.raised}
    broke = {test: error for test, error in errors.items() if test in good or before.get(test) != error}
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(Cache(Path(folder)), None)  # type: ignore[arg-type]
        with runner_class(
            Resources(builder=builder, interpreters=object()),  # type: ignore[arg-type]
            *((builder_class or FakeProbeBuilder)(builder, world), old, new),
            tests=list(broke),
            folder=Path(folder),
            progress=NO_PROGRESS,
        ) as probe_runner:
            probe_runner._suites = FakeSuites(world)
            rest = (suspects, called, cause, imported, caught_names, found)
            return _attributed(probe_runner, world, old, new, broke, *rest)


def _attributed(
    probe_runner: ProbeRunner,
    world: World,
    old: tuple[Side, EnvironmentRequest],
    new: tuple[Side, EnvironmentRequest],
    broke: Mapping[str, str],
    suspects: tuple[str, ...] | Mapping[str, tuple[str, ...]],
    called: tuple[str, ...] | Mapping[str, tuple[str, ...]],
    cause: Cause | None,
    imported: tuple[str, ...],
    caught_names: tuple[str, ...],
    on_found: Found,
) -> tuple[tuple[Finding, ...], ProbeRunner, Attribution]:
    seen_old, seen_new = probe_runner.sides()
    assert old[0].environment is not None
    assert new[0].environment is not None
    releases = {
        name: tuple(_release(world, name, *row) for row in rows) for name, rows in world.releases.items()
    }
    ranges = moving_range(old[0].environment.lock, new[0].environment.lock)
    attribution = Attribution(
        probe_runner,
        old=seen_old,
        new=seen_new,
        releases=releases,
        instants=candidate_instants(releases, ranges, START, END),
        candidates=count_candidates(releases, ranges, END),
        available=[python(one) for one in (*world.pythons, *world.others)],
    )
    targets = [
        Target(
            tests=tuple(test for test, error in broke.items() if error == message),
            error=Failing(type=f"{message.split()[0]}.Error", message=message),
            suspects=suspects.get(message, ()) if isinstance(suspects, Mapping) else suspects,
            called=called.get(message, ()) if isinstance(called, Mapping) else called,
            cause=cause,
            imported=imported,
            caught_names=caught_names,
            failed_before=any(
                not one.outcome.good
                for one in (old[0].run.results if old[0].run else ())
                if broke.get(one.id) == message
            ),
            key=next(one.key for one in seen_new.errors.values() if one.failing.message == message),
        )
        for message in dict.fromkeys(broke.values())
    ]
    found = attribution.attribute(targets, on_found)
    return tuple(one.finding for one in found), probe_runner, attribution


def _release(world: World, name: str, version: str, day: int) -> DistributionRelease:
    uploaded = START + timedelta(days=day)
    return DistributionRelease(
        name=name,
        version=version,
        uploaded=uploaded,
        instants=(uploaded + timedelta(seconds=1),),
        prerelease=False,
        yanked=False,
        compiled_for=world.compiled_for.get((name, version), ()),
    )


def from_on(name: str, version: str, error: str) -> Says:
    """A test that fails with ``error`` where ``name`` is ``version`` or newer."""
    return lambda versions, python, number: (
        error if name in versions and Version(versions[name]) >= Version(version) else None
    )
