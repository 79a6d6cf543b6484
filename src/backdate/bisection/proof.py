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
    fixed: FixedInterpreter | None = None
    depth: int = 0
    above: tuple[MaskingBreakage, ...] = ()
    """What hid this one."""
    again: bool = False
    """Whether it was searched before, with fewer probes known."""


class CulpritProver:
    """Holds culprits back in the newest environment, and releases them one by one."""

    def __init__(self, probe_runner: ProbeRunner, newest: Instant) -> None:
        self._probe_runner, self._newest = probe_runner, newest
        self._proved: dict[Target, set[str]] = {}
        self._hidden: list[SearchItem] = []

    def taken(self) -> list[SearchItem]:
        """The targets found hidden behind a culprit since the last call: to be attributed next."""
        hidden, self._hidden = self._hidden, []
        return hidden

    def concluded(self, work: SearchItem, finding: Finding) -> Finding:
        """The finding, confirmed both ways if all its tests passed with the culprit held back."""
        if finding.culprits and self._proved.get(work.target, set()) >= set(finding.tests):
            return replace(finding, confirmed=("forward", "backward"))
        return finding

    def confirm(
        self, work: SearchItem, fixed: FixedInterpreter, finding: Finding, *, exact: bool = True
    ) -> Finding:
        """The finding with its proofs; tests that still fail with the culprit held back are attributed next.

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
            point = ProbePoint(choice=fixed.choice, instant=self._newest, constraints=held)
            try:
                probe = self._probe_runner.ask(point, f"the newest with {', '.join(back)}")
            except OutOfBudget:
                note = "not tried with the culprit held back: it takes more environments than one cause may"
            else:
                return self.after_holding(work, fixed, finding, probe, held, ", ".join(held))
        return _closed(replace(finding, confirmed=tuple(confirmed), notes=(*finding.notes, note)))

    def after_holding(
        self,
        work: SearchItem,
        fixed: FixedInterpreter,
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
        notes = list(finding.notes)
        if probe.bad_tests(finding.tests):  # a flaky failure is not a hidden breakage
            (probe,) = self._probe_runner.steady([probe])
        refused = self._probe_runner.refused
        behind = tuple(test for test in probe.bad_tests(finding.tests) if test not in refused)
        good = [test for test in finding.tests if probe.statuses.get(test) is ProbeStatus.GOOD]
        if not behind and not good:
            why = first_line(probe.failure or "") or "the tests are not there"
            notes.append(f"the culprit could not be held back ({held_text}): {why}")
        keys = dict.fromkeys(probe.errors[test].key for test in behind if test in probe.errors)
        for key in keys:
            tests = tuple(test for test in behind if test in probe.errors and probe.errors[test].key == key)
            error = probe.errors[tests[0]].failing
            count = "they" if len(tests) == len(finding.tests) else f"{len(tests)} of them"
            still = "still" if key == work.target.key else "then"
            notes.append(f"with {held_text} {count} {still} fail: {error.type}: {error.message}")
            if work.depth < MOST_BEHIND:
                known = probe.errors[tests[0]]
                target = Target(tests=tests, error=error, key=key, cause=known.cause, reached=known.reached)
                behind_it = FixedInterpreter(
                    choice=fixed.choice, notes=(f"behind the one above: found with {held_text}",)
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
                        fixed=behind_it,
                        depth=work.depth + 1,
                        above=(*work.above, own),
                    )
                )
        if good:
            self._prove(work, fixed, held, good)
        if good and not behind:  # tests of unknown status do not count against it
            self._proved.setdefault(work.target, set()).update(finding.tests)
        return _closed(replace(finding, confirmed=("forward",), notes=tuple(notes)))

    def _prove(
        self, work: SearchItem, fixed: FixedInterpreter, held: tuple[str, ...], good: Sequence[str]
    ) -> None:
        """With all of ``held`` the tests in ``good`` pass: release the breakages in front, one by one."""
        self._proved.setdefault(work.target, set()).update(good)
        for masking in work.above:
            choice, left = masking.instead or fixed.choice, held
            if masking.instead is None:
                names = {Requirement(line).name for line in masking.own}  # an older release may be behind it
                left = tuple(line for line in held if Requirement(line).name not in names)
            point = ProbePoint(choice=choice, instant=self._newest, constraints=left)
            try:
                probe = self._probe_runner.ask(
                    point,
                    f"the newest with {', '.join(left) or 'nothing held back'}",
                )
            except OutOfBudget:
                return
            statuses = probe.statuses_for(masking.target)
            again = {test for test in good if statuses.get(test) is ProbeStatus.BAD}
            self._proved.setdefault(masking.target, set()).update(again)


def _closed(finding: Finding) -> Finding:
    """The finding without empty notes, and each of them once."""
    return replace(finding, notes=tuple(note for note in dict.fromkeys(finding.notes) if note))
