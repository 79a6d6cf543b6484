"""Which of the project's own bounds its tests need, each shown by a run, and which can be lifted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from backdate.checking.answers import NeededCap, UnneededCap
from backdate.checking.first_above import FirstAbove
from backdate.checking.kept_bounds import KeptBounds
from backdate.checking.own_bounds import OwnBound, separating_bounds
from backdate.checking.resources import Resources
from backdate.checking.result import Breakage, CheckResult, Verdict
from backdate.checking.sides import SidePair
from backdate.environments.environment import BuildFailure, Lock
from backdate.progress import Activity, Reporter
from backdate.projects.compiled_requirements import is_compiled
from backdate.projects.read import decode
from backdate.projects.unpinning import Unpinning
from backdate.text import counted
from backdate.timeline.instants import Instant

_MOST_TRIED = 6
"""Bounds that are kept alone, each in an environment of its own."""

Passing = Callable[[Sequence[OwnBound]], frozenset[str]]
"""The tests that pass where everything is lifted but these bounds."""
Above = Callable[[OwnBound, Sequence[OwnBound]], FirstAbove | None]
"""The first release above a bound, and what breaks with it where these other bounds are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What was found of the bounds that keep declared apart from lifted."""

    needed: tuple[NeededCap, ...] = ()
    liftable: tuple[UnneededCap, ...] = ()


def find_caps(
    declared: CheckResult,
    lifted: CheckResult,
    pair: SidePair,
    unpinning: Unpinning,
    resources: Resources,
    progress: Reporter,
) -> Caps:
    """The caps of a project of which both questions were asked. ``pair``: of the lifted question.

    Tests run where something breaks only without the project's own bounds: those that broke, with one bound
    kept at a time. Nothing is said of a project of which no newest environment is known.
    """
    newest = newest_lock(pair, resources)
    if newest is None:
        return Caps()
    held = declared.new.environment.lock if declared.new.environment is not None else None
    bounds = separating_bounds(unpinning.changes, declared.new.recipe, newest, held)
    if not bounds:
        return Caps()
    broken = needing_tests(declared, lifted)
    if not broken:
        holds = lifted.verdict is Verdict.NOTHING_BROKE
        return _by_file(Caps(liftable=tuple(map(_liftable, bounds)) if holds else ()), unpinning)
    progress.report(Activity(text=f"looking which of {counted(len(bounds), 'own bound')} tests need"))
    folder = lifted.folder / "caps"
    runner = KeptBounds(pair, resources, sorted(broken), folder, progress, declared=declared.new)
    released = {one.name: one.uploaded for one in newest.distributions}
    caps = caps_by_runs(_suspects_first(bounds, lifted), broken, runner.passing, released, runner.above)
    return _by_file(caps, unpinning)


def _by_file(caps: Caps, unpinning: Unpinning) -> Caps:
    """``caps``, which say of what can be lifted whether a program wrote its file."""
    compiled = {
        path
        for path, data in unpinning.originals.items()
        if path.endswith(".txt") and is_compiled(decode(data))
    }
    liftable = tuple(replace(free, compiled=free.file in compiled) for free in caps.liftable)
    return replace(caps, liftable=liftable)


def newest_lock(pair: SidePair, resources: Resources) -> Lock | None:
    """What the lifted side resolves to, where it does; nothing is built."""
    if pair.new.environment is not None:
        return pair.new.environment.lock
    resolution = resources.builder.resolve(pair.new_request)
    return None if isinstance(resolution, BuildFailure) else resolution.lock


def needing_tests(declared: CheckResult, lifted: CheckResult) -> frozenset[str]:
    """The tests that are good on the declared side and not on the lifted one."""
    if declared.new.run is None:
        return frozenset()
    good = frozenset(result.id for result in declared.new.run.results if result.outcome.good)
    if lifted.new.run is None:
        return good
    if lifted.comparison is None:
        return frozenset()
    return good & frozenset(lifted.comparison.broke)


def caps_by_runs(
    bounds: Sequence[OwnBound],
    broken: frozenset[str],
    passing: Passing,
    released: dict[str, Instant | None] | None = None,
    above: Above | None = None,
) -> Caps:
    """Which of ``bounds`` the tests ``broken`` need. ``passing`` runs them with some of the bounds kept.

    ``above``: what is known of the first release above a bound; None where nobody asks.
    """
    helps: dict[OwnBound, frozenset[str]] = {}
    chosen: list[OwnBound] = []
    for bound in bounds[:_MOST_TRIED]:
        helps[bound] = passing([bound]) & broken
        if helps[bound] == broken:
            chosen = [bound]
            break
    together = helps[chosen[0]] if chosen else frozenset[str]()
    if not chosen:
        chosen = _cover(helps)
        together = passing(chosen) & broken if len(chosen) > 1 else helps[chosen[0]] if chosen else together
    if not chosen and 1 < len(bounds) <= _MOST_TRIED:
        chosen, together = _least(bounds, broken, passing)
        helps = dict.fromkeys(chosen, together)
    needed = []
    for bound in chosen:
        rest = tuple(other for other in chosen if other is not bound)
        first = above(bound, rest) if above is not None else None
        needed.append(
            NeededCap(
                distribution=bound.distribution,
                requirement=bound.declared,
                file=bound.file,
                line=bound.line,
                tests=len(helps[bound]),
                proven=helps[bound] <= together,
                kept_with=tuple(other.declared for other in rest),
                newest=bound.newest,
                released=(released or {}).get(bound.distribution),
                first=first.version if first is not None else "",
                first_released=first.uploaded if first is not None else None,
                first_breaks=_already_broken(first, helps[bound]),
            )
        )
    others = [bound for bound in bounds if bound not in chosen] if together == broken else []
    return Caps(needed=tuple(needed), liftable=tuple(map(_liftable, others)))


def _already_broken(first: FirstAbove | None, tests: frozenset[str]) -> int | None:
    """How many of ``tests`` break with the first release above a bound; None where nobody saw that."""
    if first is None or first.broken is None:
        return None
    return len(tests & first.broken)


def _cover(helps: dict[OwnBound, frozenset[str]]) -> list[OwnBound]:
    """Bounds with which all tests pass that pass with any of them, the one that helps most first."""
    left, chosen = frozenset[str]().union(*helps.values()), list[OwnBound]()
    while left:
        best = max(helps, key=lambda bound: len(helps[bound] & left))
        chosen.append(best)
        left -= helps[best]
    return chosen


def _least(
    bounds: Sequence[OwnBound], broken: frozenset[str], passing: Passing
) -> tuple[list[OwnBound], frozenset[str]]:
    """Of bounds of which none helps alone those to be kept together, and the tests that pass then."""
    kept, together = list(bounds), passing(bounds) & broken
    if not together:
        return [], together
    for bound in bounds:
        rest = [other for other in kept if other is not bound]
        if len(rest) > 1 and passing(rest) & broken >= together:
            kept = rest
    return kept, together


def _liftable(bound: OwnBound) -> UnneededCap:
    return UnneededCap(
        distribution=bound.distribution,
        requirement=bound.declared,
        file=bound.file,
        line=bound.line,
        without=bound.newest,
    )


def _suspects_first(bounds: Sequence[OwnBound], lifted: CheckResult) -> list[OwnBound]:
    """Those whose distribution an error names, then the others."""
    groups: tuple[Breakage, ...] = () if lifted.comparison is None else lifted.comparison.breakages
    told = " ".join(f"{group.type} {group.message}" for group in groups).lower()
    if lifted.new.obstacle is not None:
        told += f" {lifted.new.obstacle.line.lower()}"
    return sorted(
        bounds, key=lambda bound: bound.distribution.replace("-", "_") not in told.replace("-", "_")
    )
