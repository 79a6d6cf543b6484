"""Whether the interpreter or the packages matter, found by changing one and keeping the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.search import ProbeStatus, found_window, next_point
from backdate.environments.environment import Interpreter, InterpreterChoice, Lock
from backdate.text import first_line, version_numbers
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedInterpreter:
    """Packages matter: the interpreter that is held fixed while they move."""

    choice: InterpreterChoice
    anchor: ProbeResult | None = None
    """An environment on that interpreter that is good though it is of the newest instant: packages are
    searched between it and the failing one. None: they are searched over time, from the old side on."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterTurn:
    """The interpreter matters: with the same packages the tests pass on one minor and fail on the next."""

    good: ProbeResult
    bad: ProbeResult


def interpreters_between(
    old: InterpreterChoice, new: InterpreterChoice, available: Sequence[Interpreter]
) -> tuple[InterpreterChoice, ...]:
    """``old``, the latest patch of every minor between the two that is on this machine, and ``new``."""
    low, high = sorted((version_numbers(old.interpreter.version), version_numbers(new.interpreter.version)))
    between: dict[tuple[int, ...], Interpreter] = {}
    for interpreter in sorted(available, key=lambda interpreter: version_numbers(interpreter.version)):
        minor = version_numbers(interpreter.version)[:2]
        if low[:2] < minor < high[:2]:
            between[minor] = interpreter
    ordered = sorted(
        between, reverse=version_numbers(old.interpreter.version) > version_numbers(new.interpreter.version)
    )
    inner = tuple(
        InterpreterChoice(
            wanted=between[minor].version, reason="between the two sides' minors", interpreter=between[minor]
        )
        for minor in ordered
    )
    return (old, *inner, new)


def first_asked(
    old: InterpreterChoice, new: InterpreterChoice, newest: Instant, held: tuple[str, ...] = ()
) -> list[ProbePoint]:
    """What ``find_fixed_interpreter`` probes first, besides the newest environment, which exists."""
    if old.interpreter == new.interpreter:
        return []
    return [ProbePoint(choice=old, instant=newest, constraints=held)]


def find_fixed_interpreter(
    probe_runner: ProbeRunner,
    target: Target,
    choices: Sequence[InterpreterChoice],
    newest: Instant,
    held: tuple[str, ...] = (),
    then: Sequence[ProbePoint] = (),
    at_once: bool = False,
    since: Version | None = None,
) -> FixedInterpreter | InterpreterTurn:
    """What matters to ``target``, with packages as of ``newest``, but for ``held``, on each of ``choices``.

    The old side's interpreter comes first: if the tests fail on it as well, packages are searched on it.
    Otherwise the first minor on which they fail is searched for, and the packages of the minor before it are
    installed there: if the tests fail with those too, the cause is the interpreter. Raises Regroup. ``then``:
    what is asked next if packages matter on the old side's interpreter, as they mostly do; ``at_once``: see
    ``ProbeRunner.ask``. ``since``: the minor with which the error is known to come; both sides of it come
    before the old side's interpreter then.
    """
    old, new = choices[0], choices[-1]
    if old.interpreter == new.interpreter:
        return FixedInterpreter(choice=new)
    asked: dict[int, ProbeResult] = {}

    def ask(point: int, then: Sequence[ProbePoint] = ()) -> ProbeStatus:
        choice = choices[point]
        why = f"the newest packages on Python {choice.interpreter.version}"
        newest_packages = ProbePoint(choice=choice, instant=newest, constraints=held)
        asked[point] = probe_runner.ask(newest_packages, why, then=then, at_once=at_once)
        return probe_runner.together(asked[point], target)

    last, before = len(choices) - 1, _last_before(choices, since)
    try:
        statuses = {last: ask(last, first_asked(choices[before or 0], new, newest, held))}
        if before is not None and (status := ask(before)) is ProbeStatus.GOOD:
            statuses[before] = status
            if before + 1 not in statuses:
                statuses[before + 1] = ask(before + 1)
        else:
            statuses[0] = ask(0, then)
        if statuses.get(0) is ProbeStatus.BAD:
            return FixedInterpreter(choice=old)
        if statuses.get(0) is ProbeStatus.SKIP:
            why = first_line(asked[0].failure or "") or "the tests are not there"
            note = f"the newest packages could not be tried on Python {old.interpreter.version}: {why}"
            return FixedInterpreter(choice=new, notes=(note,))
        while (point := next_point(statuses)) is not None:
            statuses[point] = ask(point)
        window = found_window(statuses)
        return _tell_apart(probe_runner, target, asked[window.good], asked[window.bad])
    except OutOfBudget:
        note = "which interpreter matters was not found out: the limit on environments is reached"
        return FixedInterpreter(choice=new, notes=(note,))


def _last_before(choices: Sequence[InterpreterChoice], since: Version | None) -> int | None:
    """The last of ``choices`` but the first that is older than ``since``, where newer ones follow."""
    minors = [Version(choice.interpreter.version) for choice in choices]
    if since is None or minors[-1] < since:
        return None
    return next((point for point in range(len(minors) - 2, 0, -1) if minors[point] < since), None)


def _tell_apart(
    probe_runner: ProbeRunner, target: Target, good: ProbeResult, bad: ProbeResult
) -> FixedInterpreter | InterpreterTurn:
    assert good.lock is not None
    version, before = bad.point.choice.interpreter.version, good.point.choice.interpreter.version
    point = ProbePoint(choice=bad.point.choice, instant=bad.point.instant, constraints=pins_of(good.lock))
    same = probe_runner.ask(point, f"the packages of Python {before} on Python {version}")
    status = probe_runner.together(same, target)
    if status is ProbeStatus.BAD:
        return InterpreterTurn(good=good, bad=same)
    if status is ProbeStatus.GOOD:
        return FixedInterpreter(choice=bad.point.choice, anchor=same)
    why = first_line(same.failure or "") or "the tests are not there"
    note = (
        f"the tests pass on Python {before} and fail on {version} with newer packages; the older ones could "
        f"not be tried there: {why}"
    )
    return FixedInterpreter(choice=bad.point.choice, notes=(note,))


def pins_of(lock: Lock, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Constraints that hold what a lock takes from the index at its versions, but for ``without``."""
    return tuple(
        f"{distribution.name}=={distribution.version}"
        for distribution in lock.distributions
        if distribution.source is None and distribution.version and distribution.name not in without
    )
