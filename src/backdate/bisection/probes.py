"""What a bisection probes and what it gets: points, targets, and the statuses of tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backdate.bisection.errors_of_run import Known
from backdate.bisection.result import Failing
from backdate.bisection.search import ProbeStatus
from backdate.diagnosis.result import Cause
from backdate.environments.environment import InterpreterChoice, Lock
from backdate.serial import digest
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbePoint:
    """An environment that can be probed."""

    choice: InterpreterChoice
    instant: Instant
    constraints: tuple[str, ...] = ()
    released: Instant | None = None
    """When the version that it is about appeared, where versions of one distribution are searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Tests that are searched for together."""

    tests: tuple[str, ...]
    error: Failing
    key: str = ""
    """What distinguishes that error from others (see ``errors_of_run.py``); empty for any error."""
    suspects: tuple[str, ...] = ()
    """Distributions that the error names, the likeliest first."""
    called: tuple[str, ...] = ()
    """Distributions that the code that fails imports and calls, the nearest first."""
    imported: tuple[str, ...] = ()
    """Distributions that the project's own code imports, whatever fails."""
    cause: Cause | None = None
    """What the error was read as."""
    caught: tuple[Known, ...] = ()
    """Errors that something catches on the way to this one, where it names nothing (``caught.py``)."""
    caught_names: tuple[str, ...] = ()
    """Distributions that these name."""
    failed_before: bool = False
    """Whether the tests failed on the old side too, with another error, or were skipped there."""
    reached: bool = True
    """Whether the runner had reached the tests when the error occurred."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What is known of the environment at a point."""

    point: ProbePoint
    identity: str
    """Equal for environments with one interpreter and the same versions; empty when it does not resolve."""
    lock: Lock | None = None
    statuses: Mapping[str, ProbeStatus] = field(default_factory=dict)
    errors: Mapping[str, Known] = field(default_factory=dict)
    failure: str = ""
    """Why there is no environment."""
    built: bool = False
    """Whether it was built for this."""
    build_limits: tuple[str, ...] = ()
    """The older versions of build tools that its builds needed."""

    def statuses_for(self, target: Target) -> dict[str, ProbeStatus]:
        """Bad is what fails with the target's error; failing with another error does not count against it.

        If the runner ended before the tests in which the target's error lies, the status is unknown.
        """
        statuses = {test: self.statuses.get(test, ProbeStatus.SKIP) for test in target.tests}
        for test, status in statuses.items():
            known = self.errors.get(test)
            if status is ProbeStatus.BAD and target.key and known is not None and known.key != target.key:
                statuses[test] = ProbeStatus.GOOD if known.reached or not target.reached else ProbeStatus.SKIP
        return statuses

    def bad_tests(self, tests: Sequence[str]) -> tuple[str, ...]:
        """Those of ``tests`` that fail, with whatever error."""
        return tuple(test for test in tests if self.statuses.get(test) is ProbeStatus.BAD)


class OutOfBudget(Exception):
    """One more environment would be more than a cause may take."""


class Regroup(Exception):
    """Tests that were searched for together do not belong together."""

    def __init__(self, parts: Sequence[Target]) -> None:
        super().__init__(f"{len(parts)} parts")
        self.parts = tuple(parts)


def identity_of(choice: InterpreterChoice, lock: Lock) -> str:
    """Equal for one interpreter and the same versions, whatever files the index had of them."""
    versions = [
        (distribution.name, distribution.version, distribution.source) for distribution in lock.distributions
    ]
    return digest(str(choice.interpreter.executable), choice.interpreter.version, versions)
