"""The lowest versions that go together, and who lifts a declared bound above the version that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.version import Version

from backdate.diagnosis.distributions import site_packages
from backdate.diagnosis.installed_requirements import installed_requirements
from backdate.environments.environment import BuildFailure, Environment
from backdate.index.page import IndexFile
from backdate.lowest.bounds import Bounded, between, is_for_python, releases
from backdate.lowest.installed import who_requires_more
from backdate.lowest.result import LiftedBound, LiftedBy
from backdate.lowest.search import Pins
from backdate.lowest.trials import Trials
from backdate.recipes.repair.telling import telling_line


@dataclass(frozen=True, slots=True, kw_only=True)
class RaisedPin:
    """A lowest version that could not be installed, and the first that can."""

    name: str
    fails: str
    passes: str
    conflict: str
    by_tests: bool
    """Whether it is what the tests are installed with that does not go with it."""


@dataclass(slots=True, kw_only=True)
class LowestPins:
    """What is held at which version in the first run."""

    pins: dict[str, str]
    raised: list[RaisedPin] = field(default_factory=list)
    conflict: str = ""
    """Why nothing can be installed with the lowest versions; "" where something can."""


def lowest_pins(
    trials: Trials, bounded: Sequence[Bounded], files_of: Callable[[str], Sequence[IndexFile]]
) -> LowestPins:
    """The lowest versions of what is ``bounded``, as uv resolves them, raised until they can be installed.

    ``files_of``: the files that the index has of a distribution.
    """
    declared = [str(one.requirement) for one in bounded]
    resolved = trials.declared(declared, lowest=True)
    listed = {one.name: releases(files_of(one.name), one.specifier, trials.dated.instant) for one in bounded}
    if isinstance(resolved, BuildFailure):  # uv ends at an sdist that does not build, and tries no other
        pins = {name: versions[0] for name, versions in listed.items() if versions}
    else:
        locked = {one.name: one.version for one in resolved.lock.distributions}
        pins = {one.name: locked[one.name] for one in bounded if one.name in locked}
    found = LowestPins(pins=pins)
    while isinstance(failure := trials.resolution(found.pins), BuildFailure):
        conflict = telling_line(failure.message)
        if len(found.raised) == len(pins) or not _raise_one(trials, found, listed, conflict):
            found.conflict = conflict
            break
    return found


def _raise_one(trials: Trials, found: LowestPins, listed: Mapping[str, Sequence[str]], conflict: str) -> bool:
    """Raise the one pin without which the others resolve, to its first version that fits; False: none."""
    for name, low in found.pins.items():
        free = trials.resolution({**found.pins, name: None})
        if isinstance(free, BuildFailure):
            continue
        top = next((one.version for one in free.lock.distributions if one.name == name), low)
        candidates = [*between(listed.get(name, ()), low, top)] or [top]
        fails = low
        while len(candidates) > 1:
            middle = (len(candidates) - 1) // 2
            if isinstance(trials.resolution({**found.pins, name: candidates[middle]}), BuildFailure):
                fails = candidates[middle]
                del candidates[: middle + 1]
            else:
                del candidates[middle + 1 :]
        alone = trials.declared([f"{each}=={pin}" for each, pin in found.pins.items()], lowest=False)
        found.raised.append(
            RaisedPin(
                name=name,
                fails=fails,
                passes=candidates[0],
                conflict=conflict,
                by_tests=not isinstance(alone, BuildFailure),
            )
        )
        found.pins[name] = candidates[0]
        return True
    return False


def lifted_bound(
    name: str,
    lowest: str,
    tested: str,
    *,
    raised: Sequence[RaisedPin],
    files: Sequence[IndexFile],
    environment: Environment | None,
    python: str,
) -> LiftedBound | None:
    """Why ``tested`` is newer than ``lowest``, the oldest that is declared; None where it is not."""
    if not lowest or not tested or Version(tested) <= Version(lowest):
        return None
    if any(one.name == name and one.by_tests for one in raised):
        return LiftedBound(why=LiftedBy.TEST_REQUIREMENTS)
    if not is_for_python(files, lowest, python):
        return LiftedBound(why=LiftedBy.INTERPRETER, by=f"Python {python}")
    if environment is not None:
        said = who_requires_more(installed_requirements(site_packages(*environment.roots)), name, lowest)
        if said is not None:
            return LiftedBound(why=LiftedBy.REQUIREMENT, by=said[0], requires=said[1])
    return LiftedBound(why=LiftedBy.UNKNOWN)


def suspects_first(names: Sequence[str], text: str) -> tuple[str, ...]:
    """``names``, those that ``text`` (errors) names most often first."""
    lower = text.lower().replace("_", "-")
    return tuple(sorted(names, key=lambda name: -lower.count(name)))


def held(pins: Pins) -> dict[str, str]:
    """The versions that are held."""
    return {name: version for name, version in pins.items() if version is not None}
