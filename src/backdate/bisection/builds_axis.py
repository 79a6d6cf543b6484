"""Since when an environment does not build, and because of what: the interpreter, or a release.

The question is the build alone: good is an environment that can be made, whatever tests say in it. What
moved is told apart by cutting single distributions later than the rest, which also moves what isolated
builds (PEP 517) take: their setuptools, their Cython.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from backdate.bisection.between import hold_back
from backdate.bisection.build_trials import BuildTrials, Trial, Tried, latest, named_in, telling_lines
from backdate.bisection.findings import minor_released
from backdate.bisection.interpreter_axis import interpreters_between, pins_of
from backdate.bisection.minimise import Subset, minimise
from backdate.bisection.points import Release, candidate_instants, moving_range
from backdate.bisection.result import Culprit, Failing, Finding, Way
from backdate.bisection.search import Colour, found_window, next_point, window_of
from backdate.bisection.seen import OutOfBudget
from backdate.environments.environment import Interpreter, InterpreterChoice, Lock
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.timeline.instants import Instant, format_day

_TOOLS = ("cython", "numpy", "setuptools", "wheel")
"""What builds take without their locks saying so, besides what pyproject.toml names."""
_FOR_PROOF = 2
_TOO_MANY = "it takes more trials than one cause may"

Releases = Mapping[str, Sequence[Release]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSearch:
    """What is known before the search."""

    trials: BuildTrials
    old: InterpreterChoice
    new: InterpreterChoice
    available: Sequence[Interpreter]
    start: Instant
    end: Instant
    old_lock: Lock
    failure: str
    """Why the newest side does not build."""
    releases: Releases
    ranged: tuple[str, ...]
    """Distributions whose releases may matter."""


def tools_of(tree: Path) -> tuple[str, ...]:
    """The distributions that builds of the project at ``tree`` may take, sorted."""
    names = set(_TOOLS)
    try:
        text = read_text(tree, "pyproject.toml") or ""
        table = tomllib.loads(text).get("build-system", {})
    except (ConfigurationError, tomllib.TOMLDecodeError):
        table = {}
    asked = table.get("requires", []) if isinstance(table, dict) else []
    for line in asked if isinstance(asked, list) else []:
        if not isinstance(line, str):
            continue
        try:
            names.add(canonicalize_name(Requirement(line).name))
        except InvalidRequirement:
            continue
    return tuple(sorted(names))


def attribute_build(search: BuildSearch) -> Finding:
    """Since when and because of what the newest side does not build."""
    lines = telling_lines(search.failure)
    kind = search.failure.partition(":")[0]
    finding = Finding(
        tests=(),
        breaks="build",
        error=Failing(type=kind, message=lines[0] if lines else ""),
        said=lines,
        axis="unknown",
        python=search.new.interpreter.version,
    )
    try:
        found = _investigate(search, finding)
    except OutOfBudget:
        found = replace(finding, notes=(*finding.notes, f"not found out: {_TOO_MANY}"))
    return replace(found, probes=tuple(search.trials.journal))


def _investigate(search: BuildSearch, finding: Finding) -> Finding:
    choices = interpreters_between(search.old, search.new, search.available)
    if search.old.interpreter == search.new.interpreter:
        return _over_time(search, finding, search.new)
    asked: dict[int, Tried] = {}

    def ask(point: int) -> Colour:
        why = f"the newest packages on Python {choices[point].interpreter.version}"
        asked[point] = search.trials.ask(
            Trial(choice=choices[point], instant=search.end), why, leave=_FOR_PROOF
        )
        return asked[point].colour

    colours = {len(choices) - 1: Colour.BAD, 0: ask(0)}
    if colours[0] is not Colour.GOOD:
        return _over_time(search, finding, search.old if colours[0] is Colour.BAD else search.new)
    while (point := next_point(colours)) is not None:
        colours[point] = ask(point)
    window = found_window(colours)
    return _of_interpreter(search, finding, choices[window.good], choices[window.bad], asked[window.good])


def _of_interpreter(
    search: BuildSearch, finding: Finding, before: InterpreterChoice, after: InterpreterChoice, good: Tried
) -> Finding:
    """What builds on one minor and not on the next: with the same versions neither, it is the interpreter."""
    assert good.lock is not None
    old, new = before.interpreter.version, after.interpreter.version
    pins = pins_of(good.lock)
    same = search.trials.ask(
        Trial(choice=after, instant=search.end, constraints=pins),
        f"the packages of Python {old} on Python {new}",
    )
    finding = replace(finding, axis="interpreter", python=new)
    if same.colour is Colour.BAD:
        culprit = Culprit(name="python", old=old, new=new, released=minor_released(new))
        return replace(finding, culprits=(culprit,), confirmed=("forward", "backward"))
    if same.colour is Colour.SKIP:
        note = f"it builds on Python {old} and not on {new}; there the older one's packages fail otherwise"
        return replace(finding, axis="unknown", notes=(*finding.notes, note))
    versions = {
        one.name: one.version for one in good.lock.distributions if one.source is None and one.version
    }

    def move(subset: Subset) -> Tried:
        held = tuple(f"{name}=={version}" for name, version in sorted(versions.items()) if name not in subset)
        words = f"the packages of Python {old} on Python {new}, with {', '.join(sorted(subset))} free"
        trial = Trial(choice=after, instant=search.end, constraints=held)
        return search.trials.ask(trial, words, leave=1)

    names, enough = _smallest(tuple(sorted(versions)), named_in(search.failure, tuple(versions)), move)
    culprits = tuple(
        _culprit(name, versions[name], latest(search.releases.get(name, ()), search.end), search.releases)
        for name in sorted(names)
    )
    note = "it shows only on the newer interpreter: narrowed by versions, not by instants"
    finding = replace(finding, axis="packages", notes=(*finding.notes, note, *_apart(enough)))
    return _confirmed(search, replace(finding, culprits=culprits, confirmed=("forward",)), after, exact=False)


def _over_time(search: BuildSearch, finding: Finding, choice: InterpreterChoice) -> Finding:
    """Over the releases of what the log speaks of, and only then over all."""
    ranges = dict.fromkeys(search.ranged, (None, None))
    instants = candidate_instants(search.releases, ranges, search.start, search.end)
    last = len(instants) - 1
    finding = replace(finding, axis="packages", python=choice.interpreter.version)
    seen: dict[int, Tried] = {}

    def look(point: int) -> Colour:
        trial = Trial(choice=choice, instant=instants[point])
        why = f"whether it builds as of {format_day(instants[point])}"
        seen[point] = search.trials.ask(trial, why, leave=0 if point in (0, last) else _FOR_PROOF)
        return seen[point].colour

    colours = {0: look(0), last: look(last)}
    if colours[0] is not Colour.GOOD or colours[last] is not Colour.BAD:
        why = "without the project's own pins it did not build at the old instant either"
        if colours[0] is Colour.GOOD:
            why = f"on Python {choice.interpreter.version} it fails for another reason"
        return replace(finding, axis="unknown", notes=(*finding.notes, why))
    suspects = named_in(search.failure, search.ranged)
    own = {at for name in suspects for one in search.releases.get(name, ()) for at in one.instants}
    for among in (sorted(point for point, at in enumerate(instants) if at in own), range(1, last)):
        _narrow(colours, among, look)
        good, bad = window_of(colours)
        names, enough = _moved(search, choice, instants[good], instants[bad], suspects)
        if names:
            break
    finding = replace(finding, last_good=instants[good], first_bad=instants[bad])
    if not names:
        note = "no release between the two neighbouring trials makes the difference alone or with others"
        return replace(finding, notes=(*finding.notes, note))
    after, exact = instants[bad], len(names) > 1
    before = dict.fromkeys(names, instants[good])
    if len(names) == 1:
        (name,) = names
        before[name], after, exact = _exact(search, choice, name, instants[good], instants[bad])
    culprits = tuple(
        _culprit(
            name,
            latest(search.releases[name], before[name]),
            _released(search.releases[name], before[name], after),
            search.releases,
        )
        for name in sorted(names)
    )
    notes = (*finding.notes, *_apart(enough))
    if not exact:
        notes = (*notes, f"not every release of {culprits[0].name} between was tried")
    finding = replace(finding, culprits=culprits, confirmed=("forward",), notes=notes)
    return _confirmed(search, finding, choice, exact=exact)


def _exact(
    search: BuildSearch, choice: InterpreterChoice, name: str, good: Instant, bad: Instant
) -> tuple[Instant, Instant, bool]:
    """Two instants in the window between which ``name`` alone turns; whether nothing lies between."""
    inner = {at for one in search.releases.get(name, ()) for at in one.instants if good < at < bad}
    instants = [good, *sorted(inner), bad]
    colours = {0: Colour.GOOD, len(instants) - 1: Colour.BAD}
    finished = True
    try:
        while (point := next_point(colours)) is not None:
            trial = Trial(choice=choice, instant=good, later=(name,), later_until=instants[point])
            words = f"as of {format_day(good)}, with {name} as of {format_day(instants[point])}"
            colours[point] = search.trials.ask(trial, words, leave=1).colour
    except OutOfBudget:
        finished = False
    window = found_window(colours)
    return instants[window.good], instants[window.bad], finished and not window.skipped


def _narrow(colours: dict[int, Colour], among: Sequence[int], look: Callable[[int], Colour]) -> None:
    """Look at points of ``among`` until no more lie between good and bad, or no more may be looked at."""
    while True:
        good, bad = window_of(colours)
        row = [good, *(point for point in among if good < point < bad), bad]
        places = {point: place for place, point in enumerate(row)}
        place = next_point({places[point]: colour for point, colour in colours.items() if point in places})
        if place is None:
            return
        try:
            colours[row[place]] = look(row[place])
        except OutOfBudget:
            return


def _moved(
    search: BuildSearch, choice: InterpreterChoice, good: Instant, bad: Instant, suspects: Sequence[str]
) -> tuple[Subset, bool]:
    """What of the releases from ``good`` to ``bad`` is enough to fail; nothing when all together are not."""
    released = tuple(
        name
        for name in search.ranged
        if any(good < at <= bad for one in search.releases.get(name, ()) for at in one.instants)
    )

    def move(subset: Subset) -> Tried:
        words = f"as of {format_day(good)}, with {', '.join(sorted(subset))} as of {format_day(bad)}"
        trial = Trial(choice=choice, instant=good, later=tuple(sorted(subset)), later_until=bad)
        return search.trials.ask(trial, words, leave=1)

    if not released or move(frozenset(released)).colour is not Colour.BAD:
        return frozenset(), True
    return _smallest(released, [name for name in suspects if name in released], move)


def _smallest(
    names: Sequence[str], suspects: Iterable[str], move: Callable[[Subset], Tried]
) -> tuple[Subset, bool]:
    """A minimal set whose move is enough, and whether the search for it came to its end."""
    steps, smallest = minimise(names, suspects), frozenset(names)
    try:
        subset = next(steps)
        while True:
            colour = move(subset).colour
            if colour is Colour.BAD:
                smallest = min(smallest, subset, key=len)
            subset = steps.send(colour)
    except StopIteration as end:
        return end.value, True
    except OutOfBudget:
        return smallest, False


def _confirmed(search: BuildSearch, finding: Finding, choice: InterpreterChoice, *, exact: bool) -> Finding:
    """The finding, and whether the newest builds with its culprits held back."""
    back = hold_back(finding.culprits, exact=exact)
    ways: tuple[Way, ...] = finding.confirmed
    if not back:
        return finding
    trial = Trial(choice=choice, instant=search.end, constraints=back, build_constraints=back)
    try:
        held = search.trials.ask(trial, f"the newest with {', '.join(back)}, for builds as well")
    except OutOfBudget:
        note = f"not tried with the culprit held back: {_TOO_MANY}"
    else:
        if held.colour is Colour.GOOD:
            return replace(finding, confirmed=(*ways, "backward"))
        lines = telling_lines(held.message)
        still = "still" if held.colour is Colour.BAD else "for another reason"
        note = f"with {', '.join(back)} it {still} does not build: {lines[0] if lines else held.message}"
    return replace(finding, notes=(*finding.notes, note))


def _apart(enough: bool) -> tuple[str, ...]:
    return () if enough else (f"what moved together was not told apart: {_TOO_MANY}",)


def _released(releases: Sequence[Release], good: Instant, bad: Instant) -> str | None:
    """The newest version that came in after ``good`` and until ``bad``, on whatever branch."""
    found = [one.version for one in releases if any(good < at <= bad for at in one.instants)]
    return found[-1] if found else latest(releases, bad)


def _culprit(name: str, old: str | None, new: str | None, releases: Releases) -> Culprit:
    released = next((one.uploaded for one in releases.get(name, ()) if one.version == new), None)
    return Culprit(name=name, old=old, new=new, released=released)


def ranged_names(old: Lock, new: Lock | None, tree: Path) -> tuple[str, ...]:
    """The distributions whose releases may have broken the build: those that moved, and what builds take."""
    moved = (
        moving_range(old, new)
        if new is not None
        else [one.name for one in old.distributions if one.source is None]
    )
    return tuple(sorted({*moved, *tools_of(tree)}))
