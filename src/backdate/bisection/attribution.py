"""One target after the other: what matters to it, since when, because of what, and the proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from backdate.bisection.culprits import Blamed, blame
from backdate.bisection.findings import finding_of, minor_released, of_releases, probes_of
from backdate.bisection.interpreter_axis import (
    FixedInterpreter,
    InterpreterTurn,
    find_fixed_interpreter,
    interpreters_between,
)
from backdate.bisection.known_turns import known_turn
from backdate.bisection.one_cause import Attributed, one_for_each_cause
from backdate.bisection.packages_axis import PackagesAxis
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbePoint, ProbeResult, Regroup, Target
from backdate.bisection.proof import CulpritProver, SearchItem
from backdate.bisection.remarks import (
    not_over_time,
    remarks_on,
    remarks_on_age,
    remarks_on_days,
    remarks_on_interpreters,
    remarks_on_versions,
)
from backdate.bisection.result import Culprit, Finding, UnattributedTest
from backdate.bisection.search import ProbeStatus, allowance
from backdate.bisection.suspect_search import SuspectSearch, VersionTurn
from backdate.bisection.suspects import CalledDistributions
from backdate.bisection.version_moves import Releases, VersionMoves
from backdate.checking.compare import compare_locks
from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.knowledge.changes import PYTHON
from backdate.timeline.instants import Instant

Found = Callable[[Sequence[Finding], Sequence[Target]], bool]
"""Takes what a search found and what is still to be searched; True to stop."""


class Attribution:
    """Finds for every target a culprit, or the reason why there is none."""

    def __init__(
        self,
        probe_runner: ProbeRunner,
        *,
        old: ProbeResult,
        new: ProbeResult,
        releases: Releases,
        instants: Sequence[Instant],
        candidates: int,
        available: Sequence[Interpreter],
        called: CalledDistributions | None = None,
    ) -> None:
        """``called``: finds what code that fails calls; without it only the errors themselves are read."""
        self._probe_runner, self._old, self._new = probe_runner, old, new
        self._releases, self._instants = releases, instants
        self._choices = interpreters_between(old.point.choice, new.point.choice, available)
        # On a second interpreter there are as many resolutions again, and so one environment more: it pays
        # for the first point between, which is looked at before it is known whether packages matter.
        resolutions = max(candidates, len(instants))
        interpreters = len({old.point.choice.interpreter, new.point.choice.interpreter})
        self._allowance = allowance(interpreters * resolutions)
        self._at_once = self._allowance > allowance(resolutions)
        self._axes: dict[tuple[str, tuple[str, ...]], PackagesAxis] = {}
        self._pending: list[SearchItem] = []
        assert old.lock is not None
        assert new.lock is not None
        self._moved = frozenset(change.name for change in compare_locks(old.lock, new.lock))
        self._suspects = SuspectSearch(probe_runner, releases, old, new.point.instant)
        self._proof = CulpritProver(probe_runner, new.point.instant, releases, called)
        self.refused: list[UnattributedTest] = []

    def attribute(
        self, targets: Sequence[Target], found: Found = lambda _findings, _pending: False
    ) -> tuple[Attributed, ...]:
        """A finding for each target, and for each part of one whose tests do not belong together.

        ``found`` is told what each search found and which are still to come, and says whether to stop. If the
        search for one shows that tests of another one turned again later, that one is searched again.
        """
        self._pending = [SearchItem(target=target) for target in targets]
        results: list[tuple[SearchItem, Attributed]] = []
        while self._pending:
            while self._pending:
                new = self._next(self._pending.pop(0))
                results += new
                pending = [item.target for item in self._pending]
                if found([attributed.finding for _, attributed in new], pending):
                    self._pending.clear()
                    return self._concluded(results)
            for result in [result for result in results if self._turned_since(result[0], result[1].finding)]:
                results.remove(result)
                self._pending.append(replace(result[0], again=True))
        return self._concluded(results)

    def _concluded(self, results: Sequence[tuple[SearchItem, Attributed]]) -> tuple[Attributed, ...]:
        return one_for_each_cause(
            [
                (work, replace(result, finding=self._proof.concluded(work, result.finding)))
                for work, result in results
            ]
        )

    def _next(self, work: SearchItem) -> list[tuple[SearchItem, Attributed]]:
        self._probe_runner.begin(self._allowance)
        try:
            attributed = self._investigate(work)
        except Regroup as regroup:
            self._pending[:0] = [replace(work, target=part) for part in regroup.parts]
            return []
        finally:
            self._pending += self._proof.taken()
        if attributed is None:
            return []
        if attributed.finding.searched == "versions":
            self._suspects.note_found(attributed.finding.culprits)
        journal = [*self._probe_runner.journal, *self._probe_runner.in_vain()]
        probes = probes_of(journal, work.target)
        return [
            (work, replace(attributed, finding=replace(attributed.finding, held=work.held, probes=probes)))
        ]

    def _turned_since(self, work: SearchItem, finding: Finding) -> bool:
        if work.again or work.depth or finding.searched != "instants":
            return False
        if finding.last_good is None or finding.first_bad is None:
            return False
        axes = [axis for (_, held), axis in self._axes.items() if not held and axis.python == finding.python]
        return any(axis.turned_since(work.target, finding.last_good, finding.first_bad) for axis in axes)

    def _investigate(self, work: SearchItem) -> Attributed | None:
        """The finding; None for tests that are good, or not bad, when they run alone. Raises Regroup."""
        target = work.target
        probe_runner = self._probe_runner
        if probe_runner.together(self._old, target) is not ProbeStatus.GOOD:
            self._refuse(target, "not good in the old environment when it runs without the others")
            return None
        if not work.depth and probe_runner.together(self._new, target) is not ProbeStatus.BAD:
            self._refuse(target, "not bad in the new environment when it runs without the others")
            return None
        turn = self._suspects.find(target, self._choice(work), work.held)
        if turn is not None:
            fixed = FixedInterpreter(choice=self._choice(work), notes=work.notes)
            return self._of_suspect(work, fixed, turn)
        axis = self._fixed_interpreter(work)
        if isinstance(axis, InterpreterTurn):
            return self._of_interpreter(work, axis)
        fixed = replace(axis, notes=(*work.notes, *axis.notes))
        if fixed.anchor is not None:
            return self._without_time(work, fixed, fixed.anchor)
        if fixed.choice != self._choice(work):
            turn = self._suspects.find(target, fixed.choice, work.held)
            if turn is not None:
                return self._of_suspect(work, fixed, turn)
        return self._of_packages(work, fixed, self._axis(fixed.choice, work.held))

    def _choice(self, work: SearchItem) -> InterpreterChoice:
        """The interpreter on which the target fails: the new side's, unless that is what is held back."""
        return work.choice or self._choices[-1]

    def _fixed_interpreter(self, work: SearchItem) -> FixedInterpreter | InterpreterTurn:
        last = [choice.interpreter for choice in self._choices].index(self._choice(work).interpreter)
        axis = self._axis(self._choices[0], work.held)
        named = any(name in self._moved for name in work.target.suspects)  # its versions are searched instead
        return find_fixed_interpreter(
            *(self._probe_runner, work.target, self._choices[: last + 1], self._new.point.instant, work.held),
            then=() if named else axis.first(self._among(axis, work.target)),
            at_once=self._at_once and not named,
            since=known_turn(work.target, PYTHON),
        )

    def _among(self, axis: PackagesAxis, target: Target) -> frozenset[int] | None:
        """The points that are probed first: the releases of what the error names; None for all."""
        instants = {
            at
            for name in target.suspects
            for release in self._releases.get(name, ())
            for at in release.instants
        }
        return axis.points_at(instants) or None

    def _refuse(self, target: Target, reason: str) -> None:
        self.refused += [UnattributedTest(test=test, reason=reason) for test in target.tests]

    def _axis(self, choice: InterpreterChoice, held: tuple[str, ...]) -> PackagesAxis:
        key = (str(choice.interpreter.executable), held)
        if key not in self._axes:
            self._axes[key] = PackagesAxis(self._probe_runner, self._old, choice, self._instants, held)
        return self._axes[key]

    def _of_suspect(self, work: SearchItem, fixed: FixedInterpreter, turn: VersionTurn) -> Attributed:
        """Between two neighbouring versions of a suspect, in environments that are otherwise the newest."""
        rest = (work.held, self._releases, self._new.point.instant)
        blamed = blame(self._probe_runner, work.target, turn.good, turn.bad, *rest)
        together = not turn.apart and len(blamed.culprits) > 1  # none of their versions between was tried
        if turn.skipped or not turn.finished or together:
            blamed = replace(blamed, exact=False)
        notes = [*fixed.notes, *remarks_on_versions(turn), *remarks_on_age(blamed.culprits, self._old)]
        finding = finding_of(work.target, "packages", fixed, blamed=blamed, notes=(*notes, *blamed.notes))
        days = (turn.good.point.released, turn.bad.point.released)
        if not turn.apart:
            days = of_releases(blamed.culprits, self._releases)
        finding = replace(
            finding, last_good=days[0], first_bad=days[1], transitions=turn.transitions, searched="versions"
        )
        return self._confirmed(work, fixed, finding, blamed)

    def _of_interpreter(self, work: SearchItem, turn: InterpreterTurn) -> Attributed:
        before, after = (probe.point.choice.interpreter.version for probe in (turn.good, turn.bad))
        culprit = Culprit(name="python", old=before, new=after, released=minor_released(after))
        fixed = FixedInterpreter(choice=turn.bad.point.choice)
        blamed = Blamed(culprits=(culprit,), good=turn.good, bad=turn.bad)
        finding = finding_of(work.target, "interpreter", fixed, blamed=blamed, notes=work.notes)
        text = ", ".join((f"Python {before}", *work.held))
        finding = self._proof.after_holding(
            *(work, finding, turn.good, work.held, text), instead=turn.bad.point.choice
        )
        return Attributed(finding=finding, target=work.target, good=turn.good, bad=turn.bad)

    def _without_time(self, work: SearchItem, fixed: FixedInterpreter, anchor: ProbeResult) -> Attributed:
        """Between an environment with older packages and the newest, both of one instant and interpreter."""
        latest = self._probe_runner.ask(
            ProbePoint(choice=fixed.choice, instant=self._new.point.instant, constraints=work.held),
            "the newest packages",
        )
        rest = (work.held, self._releases, self._new.point.instant)
        blamed = blame(self._probe_runner, work.target, anchor, latest, *rest)
        notes = (*fixed.notes, *blamed.notes, *remarks_on_interpreters(blamed.culprits, anchor))
        finding = finding_of(work.target, "packages", fixed, blamed=blamed, notes=notes)
        last_good, first_bad = of_releases(blamed.culprits, self._releases)
        finding = replace(finding, last_good=last_good, first_bad=first_bad, searched="versions")
        return self._confirmed(work, fixed, finding, blamed)

    def _of_packages(self, work: SearchItem, fixed: FixedInterpreter, axis: PackagesAxis) -> Attributed:
        """Over time: first among the releases of what the error names, and only then among all."""
        target = work.target
        newest = self._new.point.instant

        def foresee(good: ProbeResult, bad: ProbeResult) -> list[ProbePoint]:
            return VersionMoves(good, bad, work.held).foreseen(target, self._releases, newest)

        among = self._among(axis, target)
        narrowed = axis.narrow(target, among, foresee)
        if narrowed is None:
            finding = finding_of(target, "unknown", fixed, notes=(*fixed.notes, not_over_time(axis.newest)))
            return Attributed(finding=finding, target=target)
        rest = (work.held, self._releases, newest)
        only = among is not None and narrowed.finished
        blamed = blame(self._probe_runner, target, narrowed.good, narrowed.bad, *rest, only_suspects=only)
        if not blamed.culprits and only:
            narrowed = axis.narrow(target, None, foresee) or narrowed
            blamed = blame(self._probe_runner, target, narrowed.good, narrowed.bad, *rest)
        notes = [*fixed.notes, *remarks_on(narrowed, self._old)]
        blamed = replace(blamed, bad=blamed.bad or narrowed.bad)
        finding = finding_of(target, "packages", fixed, blamed=blamed, notes=(*notes, *blamed.notes))
        finding = replace(
            finding,
            last_good=narrowed.good.point.instant,
            first_bad=narrowed.bad.point.instant,
            transitions=narrowed.transitions,
            resolutions=narrowed.resolutions,
            searched="instants",
        )
        finding = replace(finding, notes=(*finding.notes, *remarks_on_days(finding, narrowed, self._old)))
        return self._confirmed(work, fixed, finding, blamed)

    def _confirmed(
        self, work: SearchItem, fixed: FixedInterpreter, finding: Finding, blamed: Blamed
    ) -> Attributed:
        choices = [self._choice(work)]
        if fixed.choice != choices[0]:
            choices.append(fixed.choice)
            if not self._ships(blamed, choices[0]):
                note = (
                    f"no older {finding.culprits[0].name} is made for Python {choices[0].interpreter.version}"
                )
                finding, choices = replace(finding, notes=(*finding.notes, note)), choices[1:]
        finding = self._proof.confirm(work, choices, finding, exact=blamed.exact)
        good, bad = (blamed.good, blamed.bad) if finding.culprits else (None, None)
        return Attributed(finding=finding, target=work.target, good=good, bad=bad)

    def _ships(self, blamed: Blamed, choice: InterpreterChoice) -> bool:
        """Whether the good versions of the culprits need no compiler on an interpreter."""
        good = {(culprit.name, culprit.old) for culprit in blamed.culprits}
        return all(
            release.ships_for(choice.interpreter.version)
            for name, _ in good
            for release in self._releases.get(name, ())
            if (name, release.version) in good
        )
