"""Confirming a culprit both ways, and finding what hides behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement

from backdate.bisection.errors_of_run import Known, is_product
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.result import Finding, HeldBack, behind_note
from backdate.bisection.search import ProbeStatus
from backdate.bisection.suspects import CalledDistributions
from backdate.bisection.targets import target_of
from backdate.bisection.version_moves import Releases, hold_back, moved_back, needs_compiling
from backdate.checking.compare import compare_locks
from backdate.environments.environment import InterpreterChoice
from backdate.text import first_line
from backdate.timeline.instants import Instant

MOST_BEHIND = 3
"""Breakages hidden behind another one that are searched for, with the other's culprit held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingBreakage:
    """A target that hides another one, and what it takes to release its culprit."""

    target: Target
    own: tuple[str, ...] = ()
    """The constraints that hold its culprit back."""
    instead: InterpreterChoice | None = None
    """The interpreter that is the culprit, when it is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchItem:
    """A target to attribute; behind another breakage, what is held back and on which interpreter."""

    target: Target
    held: tuple[str, ...] = ()
    choice: InterpreterChoice | None = None
    """The interpreter on which it fails with ``held`` held back; None for the new side's."""
    notes: tuple[str, ...] = ()
    depth: int = 0
    above: tuple[MaskingBreakage, ...] = ()
    """What hid this one."""
    product: bool = False
    """Whether it fails only because of what is held back: newer releases do not work with that."""
    again: bool = False
    """Whether it was searched before, with fewer probes known."""


class CulpritProver:
    """Holds culprits back in the newest environment, and releases them one by one."""

    def __init__(
        self,
        probe_runner: ProbeRunner,
        newest: Instant,
        releases: Releases,
        called: CalledDistributions | None = None,
    ) -> None:
        self._probe_runner, self._newest = probe_runner, newest
        self._releases, self._called = releases, called
        self._proved: dict[Target, set[str]] = {}
        self._seen: dict[Target, HeldBack] = {}
        self._hidden: list[SearchItem] = []

    def taken(self) -> list[SearchItem]:
        """The targets found hidden behind a culprit since the last call: to be attributed next."""
        hidden, self._hidden = self._hidden, []
        return hidden

    def concluded(self, work: SearchItem, finding: Finding) -> Finding:
        """The finding, confirmed both ways if all its tests passed with the culprit held back."""
        if not finding.culprits:
            return finding
        finding = replace(finding, held_back=self._seen.get(work.target, finding.held_back))
        if self._proved.get(work.target, set()) >= set(finding.tests):
            return replace(finding, confirmed=("forward", "backward"))
        return finding

    def confirm(
        self, work: SearchItem, choices: Sequence[InterpreterChoice], finding: Finding, *, exact: bool = True
    ) -> Finding:
        """The finding with its proofs; tests that still fail with the culprit held back are attributed next.

        ``choices``: the interpreter on which it has to help, and the one on which the culprit was found,
        which is asked where the other one cannot tell. ``exact``: see ``version_moves.hold_back``.
        """
        if not finding.culprits:
            return finding
        back = hold_back(finding.culprits, exact=exact)
        finding = replace(finding, confirmed=("forward",))
        if not back:
            note = "what is gone cannot be brought back by a constraint: confirmed in one direction only"
            return _with_notes(finding, note)
        held = tuple(sorted({*work.held, *back}))
        notes: list[str] = []
        for choice in choices:
            point = ProbePoint(choice=choice, instant=self._newest, constraints=held)
            version = choice.interpreter.version
            dear = needs_compiling(self._probe_runner.resolved(point), None, self._releases)
            if dear and choice != choices[-1]:
                notes = [f"on Python {version} holding the culprit back would have to compile much"]
                continue
            try:
                probe = self._probe_runner.ask(
                    point, f"the newest with {', '.join(back)} on Python {version}"
                )
            except OutOfBudget:
                notes = ["not tried with the culprit held back: the limit on environments is reached"]
                break
            if any(test in probe.statuses for test in finding.tests) or choice == choices[-1]:
                notes += [] if choice == choices[0] else [_elsewhere(choice)]
                return self.after_holding(work, _with_notes(finding, *notes), probe, held, ", ".join(held))
            notes = [f"on Python {version} the culprit could not be held back: {_why(probe)}"]
        return _with_notes(finding, *notes)

    def after_holding(
        self,
        work: SearchItem,
        finding: Finding,
        probe: ProbeResult,
        held: tuple[str, ...],
        held_text: str,
        *,
        instead: InterpreterChoice | None = None,
    ) -> Finding:
        """The finding, given the probe with the culprit on its good side; failures are attributed later.

        ``instead``: the culprit, where it is an interpreter.
        """
        if probe.bad_tests(finding.tests):  # a flaky failure is not a hidden breakage
            (probe,) = self._probe_runner.steady([probe])
        refused = self._probe_runner.refused
        behind = tuple(test for test in probe.bad_tests(finding.tests) if test not in refused)
        good = tuple(test for test in finding.tests if probe.statuses.get(test) is ProbeStatus.GOOD)
        notes: list[str] = []
        if not behind and not good:
            notes.append(f"the culprit could not be held back ({held_text}): {_why(probe)}")
        else:
            self._see(work.target, held, probe, good, behind)
        older = self._moved_back(work, probe) if behind and instead is None else frozenset()
        for tests in _by_error(behind, probe.errors):
            known = probe.errors[tests[0]]
            count = "they" if len(tests) == len(finding.tests) else f"{len(tests)} of them"
            still = "still" if known.key == work.target.key else "then"
            error = f"{known.failing.type}: {known.failing.message}"
            notes.append(f"with {held_text} {count} {still} fail: {error}")
            if work.depth < MOST_BEHIND:
                own = tuple(line for line in held if line not in work.held)
                target = target_of(known, tests, self._called)
                item = SearchItem(
                    target=replace(target, failed_before=work.target.failed_before),
                    held=held,
                    choice=probe.point.choice,
                    notes=(behind_note((held_text,)),),
                    depth=work.depth + 1,
                    above=(*work.above, MaskingBreakage(target=work.target, own=own, instead=instead)),
                )
                turned = self._turned_before(probe, own, tests)
                itself = _as_earlier_turn(item, turned) if turned else _as_product(item, known, older)
                self._hidden.append(itself)
        if good:
            self._prove(work, probe, held, good)
        if good and not behind:  # tests of unknown status do not count against it
            self._proved.setdefault(work.target, set()).update(finding.tests)
        return _with_notes(replace(finding, confirmed=("forward",)), *notes)

    def _turned_before(self, probe: ProbeResult, own: Sequence[str], tests: Sequence[str]) -> tuple[str, ...]:
        """Which of the distributions that ``own`` holds back makes ``tests`` pass when it is older still:
        what is known of an environment that differs from ``probe`` in nothing else shows it.
        """
        names = {Requirement(line).name for line in own}
        for other in self._probe_runner.probed_at(self._newest):
            same = other.point.choice == probe.point.choice
            if not same or any(other.statuses.get(test) is not ProbeStatus.GOOD for test in tests):
                continue
            older = moved_back(other.lock, probe.lock)
            if other.lock is None or probe.lock is None or not older <= names:
                continue
            if older and older == {change.name for change in compare_locks(other.lock, probe.lock)}:
                return tuple(sorted(older))
        return ()

    def _moved_back(self, work: SearchItem, probe: ProbeResult) -> frozenset[str]:
        """The distributions that are older in ``probe`` than without its culprit held back."""
        without = self._probe_runner.resolved(replace(probe.point, constraints=work.held))
        return moved_back(probe.lock, without)

    def _see(
        self,
        target: Target,
        held: tuple[str, ...],
        probe: ProbeResult,
        passing: tuple[str, ...],
        failing: tuple[str, ...],
    ) -> None:
        """Remember what holding back showed of ``target``, unless more of its tests passed before."""
        python = probe.point.choice.interpreter.version
        known = self._seen.get(target)
        if known is None or len(passing) > len(known.passing):
            self._seen[target] = HeldBack(constraints=held, python=python, passing=passing, failing=failing)

    def _prove(
        self, work: SearchItem, probe: ProbeResult, held: tuple[str, ...], good: tuple[str, ...]
    ) -> None:
        """With all of ``held`` the tests in ``good`` pass: release the breakages in front, one by one."""
        self._proved.setdefault(work.target, set()).update(good)
        for masking in work.above:
            choice, left = masking.instead or probe.point.choice, held
            if masking.instead is None:
                names = {Requirement(line).name for line in masking.own}  # an older release may be behind it
                left = tuple(line for line in held if Requirement(line).name not in names)
            point = ProbePoint(choice=choice, instant=self._newest, constraints=left)
            try:
                released = self._probe_runner.ask(
                    point,
                    f"the newest with {', '.join(left) or 'nothing held back'}",
                )
            except OutOfBudget:
                return
            statuses = released.statuses_for(masking.target)
            again = {test for test in good if statuses.get(test) is ProbeStatus.BAD}
            self._proved.setdefault(masking.target, set()).update(again)
            tests = masking.target.tests
            passing = tuple(test for test in tests if probe.statuses.get(test) is ProbeStatus.GOOD)
            self._see(masking.target, held, probe, passing, probe.bad_tests(tests))


def _by_error(tests: Sequence[str], errors: Mapping[str, Known]) -> list[tuple[str, ...]]:
    """``tests`` by the error that they fail with; those without a known one are in none."""
    groups: dict[str, list[str]] = {}
    for test in tests:
        if test in errors:
            groups.setdefault(errors[test].key, []).append(test)
    return [tuple(group) for group in groups.values()]


def _as_earlier_turn(item: SearchItem, turned: tuple[str, ...]) -> SearchItem:
    """``item`` with those as suspects of whom it is known that the tests pass when they are older."""
    return replace(item, target=replace(item.target, suspects=turned, called=()))


def _as_product(item: SearchItem, known: Known, older: frozenset[str]) -> SearchItem:
    """``item``, marked where its error is one of what is ``older`` because of what is held back.

    That is: it was raised inside of such a distribution, or in another one that lacks something of it. What
    is searched then is the release that does not work with it.
    """
    if not is_product(known, older):
        return item
    names = dict.fromkeys(
        name for name in (*item.target.suspects, known.raised_in, *item.target.called) if name
    )
    suspects = tuple(name for name in names if name not in older)
    return replace(item, target=replace(item.target, suspects=suspects, called=()), product=True)


def _why(probe: ProbeResult) -> str:
    return first_line(probe.failure or "") or "the tests are not there"


def _elsewhere(choice: InterpreterChoice) -> str:
    return f"whether holding it back helps was tried on Python {choice.interpreter.version} only"


def _with_notes(finding: Finding, *notes: str) -> Finding:
    """The finding with more notes, each of them once."""
    return replace(finding, notes=tuple(note for note in dict.fromkeys((*finding.notes, *notes)) if note))
