"""Searching which declared bounds are not true: from values and a trial to values, nothing run here.

All distributions are at the lowest versions that are declared. One is let go to its newest, the others at
the lowest that goes with that: where fewer tests fail then, its bound is not true, and the first version with
which they pass is found by halving. That is its bound from then on, and what still fails is sought on. Where
none alone helps, all are let go together, and those that are not needed are put back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

Pins = Mapping[str, str | None]
"""The bound of each distribution: the oldest version that it may have; None for one that is let go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutcome:
    """What tests say with some pins."""

    failing: frozenset[str]
    """Ids of tests that are good with the newest versions, and not here."""
    versions: Mapping[str, str]
    """What was installed, by normalised name."""


Trial = Callable[[Pins], HeldOutcome | None]
"""None where the pins do not go together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundBound:
    """One distribution whose bound is not true."""

    name: str
    fails: str
    passes: str
    mended: frozenset[str]
    skipped: tuple[str, ...] = ()
    together_with: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class BoundSearch:
    """One search."""

    trial: Trial
    versions: Callable[[str, str, str], Sequence[str]]
    """The versions of a distribution above the second, up to the third argument, ascending."""
    order: Sequence[str]
    """The distributions, the most suspect first."""
    most_trials: int
    state: dict[str, str | None] = field(default_factory=dict)
    found: list[FoundBound] = field(default_factory=list)
    tried: dict[tuple[tuple[str, str | None], ...], HeldOutcome | None] = field(default_factory=dict)

    @property
    def exhausted(self) -> bool:
        """Whether no trial is left."""
        return len(self.tried) >= self.most_trials

    def run(self, lowest: Mapping[str, str]) -> frozenset[str] | None:
        """What fails in the end, with the true bounds in ``state``; None where ``lowest`` cannot be tried."""
        self.state = dict(lowest)
        outcome = self._try(self.state)
        if outcome is None:
            return None
        failing = outcome.failing
        while failing and not self.exhausted:
            remaining = self._next_alone(failing)
            if remaining is None:
                remaining = self._together(failing)
            if remaining is None or not remaining < failing | remaining:
                break
            failing = remaining
        return failing

    def _try(self, pins: Pins) -> HeldOutcome | None:
        key = tuple(sorted(pins.items()))
        if key not in self.tried:
            if self.exhausted:
                return None
            self.tried[key] = self.trial(pins)
        return self.tried[key]

    def _held(self) -> list[str]:
        """One that was raised may have to be raised further for other tests."""
        return [name for name in self.order if self.state.get(name) is not None]

    def _next_alone(self, failing: frozenset[str]) -> frozenset[str] | None:
        """What fails after the first bound is raised that mends something by itself; None where none does."""
        for name in self._held():
            raised = self._try({**self.state, name: None})
            if raised is not None and len(raised.failing) < len(failing) and failing - raised.failing:
                return self._raise(name, failing - raised.failing, raised.versions[name])
        return None

    def _together(self, failing: frozenset[str]) -> frozenset[str] | None:
        """The same for several at a time."""
        free = set(self._held())
        raised = self._try({**self.state, **dict.fromkeys(free)})
        if len(free) < 2 or raised is None or not failing - raised.failing:
            return None
        mended = failing - raised.failing
        for name in self._held():
            fewer = self._try({**self.state, **dict.fromkeys(free - {name})})
            if fewer is not None and not fewer.failing & mended:
                free.remove(name)
        if not free or self.exhausted:
            return None
        whole = self._try({**self.state, **dict.fromkeys(free)})
        if whole is None:
            return None
        low = {name: self.state[name] for name in free}
        self.state.update(dict.fromkeys(free))
        remaining: frozenset[str] | None = None
        for name in sorted(free):
            self.state[name] = low[name]
            others = tuple(sorted(free - {name}))
            remaining = self._raise(name, mended, whole.versions[name], others)
        return remaining

    def _raise(
        self, name: str, mended: frozenset[str], top: str, together: tuple[str, ...] = ()
    ) -> frozenset[str]:
        """Hold ``name`` at the first version up to ``top`` with which ``mended`` pass; what fails then."""
        low = self.state[name]
        assert low is not None
        candidates = [version for version in self.versions(name, low, top) if version != top] + [top]
        fails, skipped = low, list[str]()
        while len(candidates) > 1:
            middle = (len(candidates) - 1) // 2
            outcome = self._try({**self.state, name: candidates[middle]})
            if outcome is None and self.exhausted:
                break
            if outcome is None:  # such as an sdist that does not build
                skipped.append(candidates[middle])
                del candidates[: middle + 1]
            elif outcome.failing & mended:
                fails = candidates[middle]
                del candidates[: middle + 1]
            else:
                del candidates[middle + 1 :]
        passes = candidates[0] if len(candidates) == 1 else top
        pinned = self._try({**self.state, name: passes}) or self._try({**self.state, name: None})
        self.state[name] = passes
        before = [one for one in self.found if one.name == name]
        self.found = [one for one in self.found if one.name != name]
        self.found.append(
            FoundBound(
                name=name,
                fails=fails,
                passes=passes,
                mended=mended.union(*(one.mended for one in before)),
                skipped=tuple(skipped),
                together_with=together,
            )
        )
        return pinned.failing if pinned is not None else frozenset()
