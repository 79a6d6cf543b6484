"""Confirming a culprit both ways, and finding what hides behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement

from backdate.bisection.interpreter_axis import FixedInterpreter
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import OutOfBudget, ProbePoint, ProbeResult, Target
from backdate.bisection.result import Finding, Way
from backdate.bisection.search import ProbeStatus
from backdate.bisection.version_moves import hold_back
from backdate.environments.environment import InterpreterChoice
from backdate.text import first_line
from backdate.timeline.instants import Instant

MOST_BEHIND = 3
"""Breakages that hide behind another one and are looked for with that one's culprit held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingBreakage:
    """A target that hides another one, and what it takes to let go of its culprit."""

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
    ground: FixedInterpreter | None = None
    depth: int = 0
    above: tuple[MaskingBreakage, ...] = ()
    """What hid this one."""
    again: bool = False
    """Whether it was looked into before, with less known."""


class CulpritProver:
    """Holds culprits back in the newest environment, and lets go of them one by one."""

    def __init__(self, probe_runner: ProbeRunner, newest: Instant) -> None:
        self._probe_runner, self._newest = probe_runner, newest
        self._proved: dict[Target, set[str]] = {}
        self._hidden: list[SearchItem] = []

    def taken(self) -> list[SearchItem]:
        """What was found since the last time to hide behind a culprit: to be attributed next."""
        found, self._hidden = self._hidden, []
        return found

    def concluded(self, work: SearchItem, finding: Finding) -> Finding:
        """The finding, confirmed both ways where all its tests have been seen to pass."""
        if finding.culprits and self._proved.get(work.target, set()) >= set(finding.tests):
            return replace(finding, confirmed=("forward", "backward"))
        return finding

    def confirm(
        self, work: SearchItem, ground: FixedInterpreter, finding: Finding, *, exact: bool = True
    ) -> Finding:
        """The finding with its proofs; what fails though the culprit is held back is looked into next.

        ``exact``: see ``culprits.hold_back``.
        """
        if not finding.culprits:
            return finding
        confirmed: list[Way] = ["forward"]
        note = ""
        back = hold_back(finding.culprits, exact=exact)
        if not back:
            note = "what is gone cannot be brought back by a constraint: confirmed in one direction only"
        else:
            held = tuple(sorted({*work.held, *back}))
            setup = ProbePoint(choice=ground.choice, instant=self._newest, constraints=held)
            try:
                seen = self._probe_runner.ask(setup, f"the newest with {', '.join(back)}")
            except OutOfBudget:
                note = "not tried with the culprit held back: it takes more environments than one cause may"
            else:
                return self.after_holding(work, ground, finding, seen, held, ", ".join(held))
        return _closed(replace(finding, confirmed=tuple(confirmed), notes=(*finding.notes, note)))

    def after_holding(
        self,
        work: SearchItem,
        ground: FixedInterpreter,
        finding: Finding,
        seen: ProbeResult,
        held: tuple[str, ...],
        words: str,
        *,
        instead: InterpreterChoice | None = None,
    ) -> Finding:
        """The finding, given what is seen with the culprit on its good side; the rest is put in line.

        ``instead``: the culprit, where it is an interpreter.
        """
        notes = list(finding.notes)
        if seen.bad_tests(finding.tests):  # what fails now and then is nothing that was hidden
            (seen,) = self._probe_runner.steady([seen])
        refused = self._probe_runner.refused
        behind = tuple(test for test in seen.bad_tests(finding.tests) if test not in refused)
        good = [test for test in finding.tests if seen.statuses.get(test) is ProbeStatus.GOOD]
        if not behind and not good:
            why = first_line(seen.failure or "") or "the tests are not there"
            notes.append(f"the culprit could not be held back ({words}): {why}")
        keys = dict.fromkeys(seen.errors[test].key for test in behind if test in seen.errors)
        for key in keys:
            tests = tuple(test for test in behind if test in seen.errors and seen.errors[test].key == key)
            error = seen.errors[tests[0]].failing
            count = "they" if len(tests) == len(finding.tests) else f"{len(tests)} of them"
            still = "still" if key == work.target.key else "then"
            notes.append(f"with {words} {count} {still} fail: {error.type}: {error.message}")
            if work.depth < MOST_BEHIND:
                known = seen.errors[tests[0]]
                target = Target(tests=tests, error=error, key=key, cause=known.cause, reached=known.reached)
                behind_it = FixedInterpreter(
                    choice=ground.choice, notes=(f"behind the one above: found with {words}",)
                )
                own = MaskingBreakage(
                    target=work.target,
                    own=tuple(line for line in held if line not in work.held),
                    instead=instead,
                )
                self._hidden.append(
                    SearchItem(
                        target=target,
                        held=held,
                        ground=behind_it,
                        depth=work.depth + 1,
                        above=(*work.above, own),
                    )
                )
        if good:
            self._prove(work, ground, held, good)
        if good and not behind:  # what could not be told does not speak against it
            self._proved.setdefault(work.target, set()).update(finding.tests)
        return _closed(replace(finding, confirmed=("forward",), notes=tuple(notes)))

    def _prove(
        self, work: SearchItem, ground: FixedInterpreter, held: tuple[str, ...], good: Sequence[str]
    ) -> None:
        """With everything in ``held`` the tests in ``good`` pass: let go of those above, one by one."""
        self._proved.setdefault(work.target, set()).update(good)
        for one in work.above:
            choice, left = one.instead or ground.choice, held
            if one.instead is None:
                names = {Requirement(line).name for line in one.own}  # an older release may be behind it
                left = tuple(line for line in held if Requirement(line).name not in names)
            setup = ProbePoint(choice=choice, instant=self._newest, constraints=left)
            try:
                seen = self._probe_runner.ask(
                    setup,
                    f"the newest with {', '.join(left) or 'nothing held back'}",
                )
            except OutOfBudget:
                return
            statuses = seen.statuses_for(one.target)
            again = {test for test in good if statuses.get(test) is ProbeStatus.BAD}
            self._proved.setdefault(one.target, set()).update(again)


def _closed(finding: Finding) -> Finding:
    """The finding without empty notes, and each of them once."""
    return replace(finding, notes=tuple(note for note in dict.fromkeys(finding.notes) if note))
