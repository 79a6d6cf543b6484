"""What the searches for a broken build share: what is known before them, and what closes a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.bisection.build_trials import BuildTrial, BuildTrials, Trial
from backdate.bisection.points import DistributionRelease, moving_range
from backdate.bisection.probe_builder import ProbeFailure
from backdate.bisection.probes import OutOfBudget
from backdate.bisection.result import Culprit, Finding, Way
from backdate.bisection.search import ProbeStatus
from backdate.bisection.version_moves import hold_back
from backdate.editing.minimise import Subset, minimise
from backdate.environments.environment import Interpreter, InterpreterChoice, Lock
from backdate.errors import ConfigurationError
from backdate.index.names import requirement_name
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml
from backdate.recipes.repair.telling import telling_lines
from backdate.timeline.instants import Instant

_TOOLS = ("cython", "numpy", "setuptools", "wheel")
"""What builds take without their locks saying so, besides what pyproject.toml names."""
FOR_PROOF = 2
"""Trials that are left for holding the culprit back."""
TOO_MANY = "it takes more trials than one cause may"

Releases = Mapping[str, Sequence[DistributionRelease]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSearch:
    """What is known before the search."""

    trials: BuildTrials
    old: InterpreterChoice
    new: InterpreterChoice
    available: Sequence[Interpreter]
    start: Instant
    end: Instant
    failure: ProbeFailure
    """Why the newest side does not build."""
    releases: Releases
    ranged: tuple[str, ...]
    """Distributions whose releases may matter."""


def tools_of(tree: Path) -> tuple[str, ...]:
    """The distributions that builds of the project at ``tree`` may take, sorted.

    The tree was built once, so its pyproject.toml is one that an installer could read: of what cannot be read
    here, nothing was taken then either.
    """
    names = set(_TOOLS)
    try:
        text = read_text(tree, "pyproject.toml") or ""
        table = parse_toml(text).get("build-system", {})
    except ConfigurationError:
        table = {}
    asked = table.get("requires", []) if isinstance(table, dict) else []
    for line in asked if isinstance(asked, list) else []:
        name = requirement_name(line) if isinstance(line, str) else None
        if name is not None:
            names.add(name)
    return tuple(sorted(names))


def ranged_names(old: Lock, new: Lock | None, tree: Path) -> tuple[str, ...]:
    """The distributions whose releases may have broken the build: those that moved, and what builds take."""
    moved = (
        moving_range(old, new)
        if new is not None
        else [distribution.name for distribution in old.distributions if distribution.source is None]
    )
    return tuple(sorted({*moved, *tools_of(tree)}))


def smallest_set(
    names: Sequence[str], suspects: Iterable[str], move: Callable[[Subset], BuildTrial]
) -> tuple[Subset, bool]:
    """A minimal set whose move is enough, and whether the search for it came to its end."""
    smallest = minimise(
        names,
        lambda subset: move(subset).status is ProbeStatus.BAD,
        suspects=suspects,
        stopped_by=OutOfBudget,
    )
    return smallest.subset, smallest.complete


def held_back(search: BuildSearch, finding: Finding, choice: InterpreterChoice, *, exact: bool) -> Finding:
    """The finding, and whether the newest builds with its culprits held back."""
    back = hold_back(finding.culprits, exact=exact)
    ways: tuple[Way, ...] = finding.confirmed
    if not back:
        return finding
    trial = Trial(choice=choice, instant=search.end, constraints=back, build_constraints=back)
    try:
        held = search.trials.ask(trial, f"the newest with {', '.join(back)}, for builds as well")
    except OutOfBudget:
        note = f"not tried with the culprit held back: {TOO_MANY}"
    else:
        if held.status is ProbeStatus.GOOD:
            return replace(finding, confirmed=(*ways, "backward"))
        lines = telling_lines(held.message)
        still = "still" if held.status is ProbeStatus.BAD else "for another reason"
        note = f"with {', '.join(back)} it {still} does not build: {lines[0] if lines else held.message}"
    return replace(finding, notes=(*finding.notes, note))


def apart(enough: bool) -> tuple[str, ...]:
    return () if enough else (f"what moved together was not told apart: {TOO_MANY}",)


def culprit_of(name: str, old: str | None, new: str | None, releases: Releases) -> Culprit:
    released = next((release.uploaded for release in releases.get(name, ()) if release.version == new), None)
    return Culprit(name=name, old=old, new=new, released=released)
