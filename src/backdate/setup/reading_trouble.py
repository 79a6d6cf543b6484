"""What went wrong when a recipe was carried out, as the rules of repair want to read it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from backdate.recipes.repair.trouble import MOST_TEXT, Phase, Problem, Trouble, read_trouble
from backdate.setup.carry_out import Carried, Ground
from backdate.setup.validation import count_outcomes
from backdate.testing.outcomes import Raised, TestRun

_MOST_FILES = 20
_BUILD_PHASES: dict[str, Phase] = {"resolve": "resolve", "install": "install"}


def trouble_of(carried: Carried, ground: Ground, pythons: tuple[str, ...]) -> Trouble:
    """Why ``carried`` is not proven. ``pythons``: the interpreters that could be used instead."""
    if carried.failure is not None:
        failure = carried.failure
        return read_trouble(
            phase=_BUILD_PHASES.get(failure.phase, "install"),
            status=failure.phase,
            texts=(failure.message, end_of_log(failure.log)),
            python=carried.choice.interpreter.version,
            instant=ground.instant,
            pythons=pythons,
            by_pip="A pip of the time says:" in failure.message,
            version_hint=ground.version_hint,
        )
    assert carried.run is not None
    run, counts = carried.run, count_outcomes(carried.run)
    return read_trouble(
        phase="tests",
        status=run.status,
        texts=(run.trouble, end_of_log(run.log)),
        python=carried.choice.interpreter.version,
        instant=ground.instant,
        pythons=pythons,
        problems=problems_of(run),
        by_pip=bool(carried.environment is not None and carried.environment.road),
        exit_code=run.exit_code,
        passed=counts.passed,
        ran=counts.ran,
        version_hint=ground.version_hint,
    )


def problems_of(run: TestRun) -> tuple[Problem, ...]:
    """The exceptions that stopped tests or the runner, with how often and where, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    files: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for raised in _stopping(run):
        key = (raised.type, raised.message)
        counts[key] += 1
        if raised.frames and len(files[key]) < _MOST_FILES:
            files[key][raised.frames[-1].file] = None
    return tuple(
        Problem(type=kind, message=message, count=number, files=tuple(files[kind, message]))
        for (kind, message), number in counts.most_common()
    )


def _stopping(run: TestRun) -> Iterator[Raised]:
    """The exception of each bad result that says most: the last one, and those that led to it."""
    yield from run.raised
    for result in run.results:
        if result.outcome.bad:
            yield from result.raised


def end_of_log(log: Path) -> str:
    """A log, from its end as far as rules look at all; empty where there is none."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - 4 * MOST_TEXT))
            return file.read(4 * MOST_TEXT).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""
