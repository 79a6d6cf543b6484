import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from leaks import no_thread_left
from packaging.version import Version
from patience import PATIENCE_S
from world import FakeProbeBuilder, World, bisect_world, from_on

from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbePoint, ProbeResult
from backdate.bisection.result import Finding
from backdate.bisection.search import MOST_BUILDS, allowance
from backdate.environments.inputs import EnvironmentRequest
from backdate.errors import MachineError
from backdate.sandboxes.interruption import check, obeying

IN_VAIN = "in parallel with another one, not needed"


class OneAfterTheOther(ProbeRunner):
    """Nothing is made ahead or beside something else."""

    def expect(self, _setups: object) -> None:
        return

    def ask(
        self,
        setup: ProbePoint,
        why: str,
        *,
        leave: int = 0,
        then: Sequence[ProbePoint] = (),
        at_once: bool = False,
    ) -> ProbeResult:
        return super().ask(setup, why, leave=leave)


class WithOneLess(OneAfterTheOther):
    """Without the environment that a second interpreter gives."""

    def begin(self, allowance: int) -> None:
        super().begin(allowance - 1)


def jitter(seed: int) -> Callable[[], None]:
    """A pause that lets answers come in another order for every seed."""
    dice, lock = random.Random(seed), threading.Lock()

    def pause() -> None:
        with lock:
            wait_s = dice.choice((0.0, 0.0, 0.001, 0.003))
        time.sleep(wait_s)

    return pause


@st.composite
def worlds(draw: st.DrawFn) -> tuple[World, tuple[str, ...], int]:
    """A world, what the errors name (rightly or not), and how many releases there are."""
    counts = [draw(st.integers(2, 40)) for _ in "ab"]
    releases = {
        name: [(str(number + 1), -10 + number * (900 // count)) for number in range(count)]
        for name, count in zip("ab", counts, strict=True)
    }
    kind = draw(st.sampled_from(["package", "two", "interpreter", "both", "flaky", "unbuildable"]))
    guilty = [str(draw(st.integers(2, count))) for count in counts]
    says = from_on("a", guilty[0], "gone")
    tests = {"t": says}
    if kind == "two":
        tests["u"] = from_on("b", guilty[1], "other")
    elif kind == "interpreter":
        tests = {"t": lambda _versions, python, _n: "gone" if Version(python) >= Version("3.10") else None}
    elif kind == "both":
        tests = {"t": lambda versions, python, n: says(versions, python, n) if python != "3.9.1" else None}
    elif kind == "flaky":
        tests["f"] = lambda versions, _python, n: "no" if versions["a"] != "1" and n % 2 == 0 else None
    world = World(
        releases=releases,
        tests=tests,
        pythons=draw(st.sampled_from([("3.10.0", "3.10.0"), ("3.9.1", "3.12.0")])),
        others=("3.10.4", "3.11.2"),
        unbuildable=lambda versions, _python: kind == "unbuildable" and versions["b"] in ("3", "4"),
    )
    return world, draw(st.sampled_from([(), ("a",), ("b",), ("b", "a")])), sum(counts)


def told(findings: Sequence[Finding]) -> list[Finding]:
    """Findings without what tells whether something was looked at in vain."""
    return [
        replace(one, probes=tuple(probe for probe in one.probes if probe.why != IN_VAIN)) for one in findings
    ]


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(worlds(), st.integers(0, 2**32))
def test_answers_are_the_same_whatever_ends_first(
    drawn: tuple[World, tuple[str, ...], int], seed: int
) -> None:
    world, suspects, moving = drawn
    runs = [bisect_world(replace(world, pause=jitter(one)), suspects) for one in (seed, seed + 1)]
    (first, probe_runner, attribution), (second, other, also) = runs
    assert first == second
    assert (probe_runner.builds, probe_runner.runs) == (other.builds, other.runs)
    assert (probe_runner.refused, attribution.refused) == (other.refused, also.refused)
    causes = max(1, len(first))
    two = world.pythons[0] != world.pythons[1]
    skipped = any(probe.detail.startswith("does not install") for one in first for probe in one.probes)
    in_vain = 2 * len(suspects)  # until a suspect is known not to be at fault
    bound = MOST_BUILDS if skipped else allowance(moving * (1 + two)) + in_vain
    assert probe_runner.builds <= bound * causes
    in_vain = [probe for one in first for probe in one.probes if probe.why == IN_VAIN]
    alone, plain, _ = bisect_world(world, suspects, WithOneLess if in_vain else OneAfterTheOther)
    assert told(first) == list(alone)
    assert probe_runner.builds == plain.builds + len(in_vain)


def two_interpreters(**more: object) -> World:
    return World(
        releases={"a": [(str(number + 1), -10 + number * 20) for number in range(40)], "b": [("1", -5)]},
        tests={"t": from_on("a", "17", "gone")},
        pythons=("3.9.1", "3.12.0"),
        **more,  # type: ignore[arg-type]
    )


def test_the_usual_case_builds_nothing_in_vain() -> None:
    found, probe_runner, _ = bisect_world(two_interpreters(), ("a",))
    alone, plain, _ = bisect_world(two_interpreters(), ("a",), OneAfterTheOther)
    assert found == alone
    assert (probe_runner.builds, probe_runner.runs) == (plain.builds, plain.runs)


def test_two_are_made_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=PATIENCE_S)
    world = two_interpreters()

    class Meeting(FakeProbeBuilder):
        met = 0

        def build(self, request: EnvironmentRequest) -> object:
            if Meeting.met < 2:  # the newest packages on the old interpreter, and the first point between
                Meeting.met += 1
                together.wait()
            return super().build(request)

    found, _, _ = bisect_world(world, builder_class=Meeting)
    assert [one.name for one in found[0].culprits] == ["a"]


def test_what_was_looked_at_in_vain_is_listed_and_counts() -> None:
    world = replace(
        two_interpreters(),
        tests={"t": lambda _versions, python, _number: "gone" if python == "3.12.0" else None},
    )
    (finding,), probe_runner, _ = bisect_world(world)
    assert finding.axis == "interpreter"
    assert [
        probe.status for probe in finding.probes if probe.why == "in parallel with another one, not needed"
    ] == ["good"]
    assert probe_runner.builds == sum(probe.built for probe in finding.probes)


class Waiting(FakeProbeBuilder):
    """Of two that are made at the same time, one does something and the other waits to be ended."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.begun = threading.Barrier(2, timeout=PATIENCE_S)

    def build(self, request: EnvironmentRequest) -> object:
        if self.begun.wait() == 0:
            return self.do()
        try:
            while True:
                check()
                time.sleep(0.001)
        finally:
            ENDED.append(threading.current_thread().name)

    def do(self) -> object:
        raise MachineError("the index is down")


ENDED: list[str] = []


def test_an_error_in_one_of_two_ends_the_other() -> None:
    ENDED.clear()
    with no_thread_left(), pytest.raises(MachineError, match="the index is down"):
        bisect_world(two_interpreters(), builder_class=Waiting)
    assert len(ENDED) == 1


def test_an_interrupt_ends_both() -> None:
    ENDED.clear()
    stop = threading.Event()

    class Stopping(Waiting):
        def do(self) -> object:
            stop.set()
            try:
                while True:
                    check()
                    time.sleep(0.001)
            finally:
                ENDED.append(threading.current_thread().name)

    with no_thread_left(), obeying(stop), pytest.raises(KeyboardInterrupt):
        bisect_world(two_interpreters(), builder_class=Stopping)
    assert len(ENDED) == 2
