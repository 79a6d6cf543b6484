"""The loop of the rules solver: run, propose, edit, run again; what does not help is taken back.

Of every failure the first proposal that changes something is made, and in files that it leaves as they are
the next, all of them at once, because a run costs more than anything else. Then each change is judged:
one without effect, or after which its own lines raise what nobody has a proposal for, is taken back, and the
next proposal is tried. Where nothing is left to propose, a change that stands gives way to its alternative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from backdate.solvers.reasons import CaughtError
from backdate.solvers.rules.alternatives import Alternatives
from backdate.solvers.rules.applying import ChangedTexts, MadeChange, PlannedChange, TextChanger, Texts
from backdate.solvers.rules.backend import FixBackend, SuiteReading
from backdate.solvers.rules.changes import (
    ChangeHistory,
    moved_change,
    moved_group,
    put_back,
    told_changes,
    without_idle_guesses,
)
from backdate.solvers.rules.hidden_causes import HiddenCauses, is_told_elsewhere
from backdate.solvers.rules.judgement import (
    ChangeVerdict,
    gained,
    group_key,
    has_one_of,
    is_about,
    is_refused_guess,
    is_silent,
    judge_change,
    mends_others,
    new_on_lines,
)
from backdate.solvers.rules.narrowing import narrowed
from backdate.solvers.rules.planning import ChangePlanner
from backdate.solvers.rules.proposals import FailureGroup

MOST_RUNS = 8
"""Of the new side, the first one and those of minimising included."""
_FEWER = 2
"""Chosen tests are run alone when they are less than the whole suite divided by this."""
_FEW = 10
"""Tests that fail at last are run once more where there are as many times as many good ones."""
_IDLE = ChangeVerdict.NO_EFFECT


@dataclass(frozen=True, slots=True, kw_only=True)
class MendResult:
    """What the loop came to."""

    history: ChangeHistory
    texts: Texts
    solved: bool
    reading: SuiteReading
    """Of the last run of all; of these texts where it is solved."""
    remaining: tuple[FailureGroup, ...] = ()
    """What still fails; places are those of ``texts``."""


@dataclass(slots=True)
class MendLoop:
    """The loop over one task."""

    backend: FixBackend
    changer: TextChanger
    most_runs: int = MOST_RUNS
    runs: int = 0
    _history: ChangeHistory = field(init=False)
    _texts: Texts = field(init=False, default_factory=dict)
    _open: list[FailureGroup] = field(init=False, default_factory=list)
    _planner: ChangePlanner = field(init=False)
    _one_at_a_time: bool = field(init=False, default=False)
    _unseen: bool = field(init=False, default=False)
    """Whether nobody knows what fails now: a failure went with a change that was to forestall another, or
    with one that kept tests from running which had run before."""
    _untraced: bool = field(init=False, default=False)
    """Whether the batch is of lines that no trace shows."""
    _looked_there: bool = field(init=False, default=False)
    _ran_again: bool = field(init=False, default=False)
    _hidden: HiddenCauses = field(init=False)
    first: SuiteReading = field(init=False)
    """Of the tree as it was."""
    best: MendResult | None = field(init=False, default=None)
    """What came closest so far."""
    _sure: MendResult | None = field(init=False, default=None)
    """The same of what all tests were run with."""
    _last: SuiteReading = field(init=False)

    def __post_init__(self) -> None:
        self._history = ChangeHistory(self.changer)
        self._planner = ChangePlanner(self.backend, self.changer)
        self._hidden = HiddenCauses(self.backend, self.changer)

    def mend(self) -> MendResult:
        """Work until the tests pass, nothing is left to try, or the runs are used up."""
        self.first = self._last = self.test({}, (), "The tests as they are.")
        self._open = list(self._last.groups)
        self._remember()
        if self._last.solved or self._last.broken:
            return self._result(solved=self._last.solved)
        while self.runs < self.most_runs:
            batch = self._next_batch()
            changed = self.changer.make(self._texts, batch)
            if not changed.made and (self._unseen or self._may_be_flaky()):
                if self._look_again():
                    return self._result(solved=True)
                continue
            if not changed.made:
                batch = self._for_caught() or self._alternative(at_last=True)
                changed = self.changer.make(self._texts, batch)
            if not changed.made:
                break
            after = self.test(changed.texts, self._affected(), told_changes(batch))
            if after.solved and not after.whole and self.runs < self.most_runs:
                after = self.test(changed.texts, (), "All tests, after the chosen ones passed.")
            if after.solved and after.whole:
                self._history.add(self._texts, [made.planned for made in changed.made])
                self._texts, self._last, self._open = changed.texts, after, []
                return self._result(solved=True)
            hidden = self._untraced or is_told_elsewhere(changed, after.groups)
            if hidden and not gained(self._last, after):
                leads_on = self._leads_on(changed)
                if not leads_on or not self._untraced:  # nobody saw these lines fail
                    self._keep(changed, after, [] if leads_on else [made.planned for made in changed.made])
                    continue
            self._judge(changed, after)
            self._remember()
        return self._seen_whole()

    def _seen_whole(self) -> MendResult:
        """What came closest. Where its last change was judged by chosen tests alone, all tests judge it now.

        What nothing was gained by may have cost tests that were not chosen. Guesses that mended nothing go.
        """
        best, sure = self.best, self._sure
        assert best is not None
        history = without_idle_guesses(best.history, best.reading.good)
        seen = best.reading.whole and history.planned == best.history.planned
        if seen or sure is None or self.runs >= self.most_runs:
            return best
        texts = history.texts()
        after = self.test(texts, (), "All tests, with what was tried by chosen ones.")
        if after.ended and len(after.good) >= len(sure.reading.good):
            solved = after.solved
            return replace(
                best, history=history, texts=texts, solved=solved, reading=after, remaining=after.groups
            )
        return sure

    def caught(self) -> tuple[CaughtError, ...]:
        """What failing tests catch on the way, as it was last seen."""
        return self._hidden.told()

    def _may_be_flaky(self) -> bool:
        """Once, whether few of the tests fail with what was changed: one may do so at times."""
        few = len(self._last.missing) * _FEW <= len(self._last.good)
        ask = not self._ran_again and few and bool(self._history.planned)
        self._ran_again |= ask
        return ask

    def _look_again(self) -> bool:
        """Run what is there; whether all tests are good."""
        why = "What fails without the changes that were taken back." if self._unseen else "Once more."
        self._unseen = False
        self._last = self.test(self._texts, (), why)
        self._open = list(self._last.groups)
        self._remember()
        return self._last.solved

    def test(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        """One run, counted."""
        self.runs += 1
        return self.backend.run(texts, only, why)

    def _affected(self) -> tuple[str, ...]:
        """The tests that are run in between: those that fail, where they are few; () for all."""
        missing = self._last.missing
        few = self.backend.tests and len(missing) * _FEWER < self.backend.tests
        last = self.runs + 1 >= self.most_runs
        return missing if self.backend.selects and missing and few and not last else ()

    def _next_batch(self) -> list[PlannedChange]:
        self._untraced = False
        foreseen = () if self._one_at_a_time else self.backend.foreseen(self._texts)
        planned = self._for_groups((*self._open, *foreseen))
        late, in_vain = 2 * self.runs >= self.most_runs, self._planner.guessed_in_vain
        due = self._hidden.is_due(self._texts, self._open, planned, late=late, in_vain=in_vain)
        planned = (self._for_caught() if planned and due else []) or planned
        if planned or self._unseen:
            return self._in_place_of_all(planned)
        return self._on_untraced_lines() or self._alternative()

    def _in_place_of_all(self, planned: list[PlannedChange]) -> list[PlannedChange]:
        """``planned``; before a library goes back to what it was, all that follows its new releases goes."""
        kept = self._history.without_those_of(put_back(planned))
        if len(kept.planned) == len(self._history.planned):
            return planned
        old, self._history, self._texts = self._texts, kept, kept.texts()
        self._open = [moved_group(group, old, self._texts, self.changer) for group in self._open]
        return [moved_change(change, old, self._texts, self.changer) for change in planned]

    def _for_groups(self, groups: Sequence[FailureGroup]) -> list[PlannedChange]:
        return self._planner.for_groups(groups, self._history, self._texts, one_at_a_time=self._one_at_a_time)

    def _for_caught(self) -> list[PlannedChange]:
        """At last, for failures that hide their cause: what the tests catch on the way to them."""
        if self.runs + 1 < self.most_runs:
            self.runs += self._hidden.look(self._texts, self._open, self._affected())
        planned = self._for_groups(self._hidden.groups_in(self._texts))
        self._untraced = bool(planned)
        return planned

    def _leads_on(self, changed: ChangedTexts) -> bool:
        """Whether changes for what tests catch mend that, and they catch another error behind it."""
        if self.runs + 1 >= self.most_runs:
            return False
        runs, others = self._hidden.look_behind(self._texts, changed, self._open, self._affected())
        self.runs += runs
        return others

    def _on_untraced_lines(self) -> list[PlannedChange]:
        """Once, for failures that name nothing: what may have failed where neither traceback nor trace is.

        A test that compares what another process printed tells nothing of an error in it.
        """
        if self._looked_there or not is_silent(self._open):
            return []
        self._looked_there = True
        planned = self._for_groups(self.backend.untraced(self._texts))
        self._untraced = bool(planned)
        return planned

    def _judge(self, changed: ChangedTexts, after: SuiteReading) -> None:
        """Keep of the changes what helped, and go on from there."""
        keys = frozenset(map(group_key, self._open))
        lost = self._last.good - after.good if after.whole else frozenset()
        if (self._last.ended and not after.ended) or lost:
            blamed = [made for made in changed.made if new_on_lines(after.groups, keys, made.lines)]
            if not blamed and len(changed.made) > 1:
                self._one_at_a_time = True
                return
            wrong = blamed or list(changed.made)
            if not after.ended:
                self._keep(changed, after, [made.planned for made in wrong])
                return
            if len(wrong) < len(changed.made):
                idle = [made for made, verdict in self._verdicts(changed, after, keys) if verdict is _IDLE]
                self._keep(changed, after, [made.planned for made in (*wrong, *idle)])
                return
        verdicts = self._verdicts(changed, after, keys)
        helped = [made.planned.group.tests for made, verdict in verdicts if verdict is ChangeVerdict.HELPED]
        # what was guessed for one failure may have mended another
        others = mends_others(self._last, after, helped)
        good = (ChangeVerdict.HELPED, *((_IDLE,) if others else ()))
        rejected = [made.planned for made, verdict in verdicts if verdict not in good]
        harmful = [made for made, verdict in verdicts if verdict is ChangeVerdict.HARMFUL]
        parts = [narrowed(made, self._texts, changed.texts, after, keys, self.changer) for made in harmful]
        narrower = [part for part in parts if part is not None]
        self._keep(changed, after, rejected, narrower)

    def _verdicts(
        self, changed: ChangedTexts, after: SuiteReading, keys: frozenset[str]
    ) -> list[tuple[MadeChange, ChangeVerdict]]:
        asked = [partial(self._verdict, made.planned, changed, after, keys) for made in changed.made]
        self.backend.ask_together(asked)
        return [(made, verdict()) for made, verdict in zip(changed.made, asked, strict=True)]

    def _verdict(
        self, planned: PlannedChange, changed: ChangedTexts, after: SuiteReading, keys: frozenset[str]
    ) -> ChangeVerdict:
        made = next(made for made in changed.made if made.planned is planned)
        moved = moved_group(planned.group, self._texts, changed.texts, self.changer)

        def can_go_on(group: FailureGroup) -> bool:
            if self._planner.first_for(group, [], self._history, changed.texts) is not None:
                return True
            return len(list(islice(self._planner.left_for(planned.group, self._texts), 2))) < 2

        return judge_change(made, keys, moved, after, can_go_on)

    def _keep(
        self,
        changed: ChangedTexts,
        after: SuiteReading,
        rejected: Sequence[PlannedChange],
        narrower: Sequence[PlannedChange] = (),
    ) -> None:
        """Go on with all of ``changed`` but ``rejected``, and with what of these is made ``narrower``."""
        gone = set(map(id, rejected))
        kept = [*(made.planned for made in changed.made if id(made.planned) not in gone), *narrower]
        base, before = self._texts, self._last
        self._history.add(base, kept)
        self._texts = self._history.texts() if rejected else changed.texts
        keys = frozenset(map(group_key, self._open))
        for change in rejected:
            refused = is_refused_guess(change, changed, after.groups, keys)
            self._planner.reject(change, everywhere=refused, in_vain=after.groups)
        if not kept and rejected:
            return  # all is as it was, and so is what fails
        lines = {place for made in changed.made if id(made.planned) in gone for place in made.lines}
        blamed = {id(group) for group in new_on_lines(after.groups, keys, frozenset(lines))}
        groups = [group for group in after.groups if id(group) not in blamed]
        not_run = not after.ended or bool(after.whole and before.good - after.good)
        self._unseen = bool(blamed) and (not_run or any(not change.group.tests for change in rejected))
        still = {group_key(group) for group in groups}
        again = [change.group for change in rejected if group_key(change.group) not in still]
        self._open = [
            *(moved_group(group, changed.texts, self._texts, self.changer) for group in groups),
            *(moved_group(group, base, self._texts, self.changer) for group in again if group.tests),
        ]
        good = after.good if after.whole else before.good | after.good
        self._last = SuiteReading(
            solved=False,
            reason=after.reason,
            good=good,
            missing=after.missing,
            groups=after.groups,
            ended=after.ended,
            whole=after.whole,
        )

    def _alternative(self, *, at_last: bool = False) -> list[PlannedChange]:
        """Another proposal for a failure in the place of one that stands.

        First of a change whose own lines fail now, then of the last one. A change whose lines raise an error
        about what it wrote goes, whether there is another or not. ``at_last``: also of changes that were to
        forestall an error, and for what kept a file with a failing test from being collected.
        """
        failing = {test for group in self._open for test in group.tests}
        lines = {id(each.planned): each.lines for each in self._history.standing(self._texts)}
        raised = {place for group in self._open for place in group.raised_at or group.places[:1]}
        last_first = reversed(self._history.planned)
        for change in sorted(
            last_first, key=lambda one: (lines[id(one)].isdisjoint(raised), not one.group.tests)
        ):
            own = [
                group
                for group in self._open
                if not lines[id(change)].isdisjoint(group.raised_at or group.places[:1])
            ]
            of_tests = change.group.tests
            shared = bool(of_tests) and not (failing and failing.isdisjoint(of_tests))
            shared |= at_last and (not of_tests or has_one_of(of_tests, failing))
            base = next(
                batch.base for batch in self._history.batches if any(each is change for each in batch.planned)
            )
            wrong = any(is_about(change.proposal.rewrite, group.cause) for group in own)
            other = None
            if wrong or own or shared:  # asked last, as all sources are then
                alternatives = Alternatives(self._planner, self.changer)
                other = alternatives.instead_of(change, base, self._history, self._texts)
            if wrong or other is not None:
                self._withdraw(change, base, own)
                return [other] if other is not None else []
        return []

    def _withdraw(self, change: PlannedChange, base: Texts, own: Sequence[FailureGroup]) -> None:
        """Take a change back for good; ``own``: the failures of its lines, which go with it."""
        self._planner.reject(change)
        self._history = self._history.without(change)
        old, self._texts = self._texts, self._history.texts()
        group = moved_group(change.group, base, self._texts, self.changer)
        behind = set(group.tests)
        rest = [
            each
            for each in self._open
            if behind.isdisjoint(each.tests) and not any(each is one for one in own)
        ]
        self._open = [*(moved_group(each, old, self._texts, self.changer) for each in rest)]
        if group.tests:
            self._open.insert(0, group)
        self._unseen = bool(own) and not group.tests

    def _remember(self) -> None:
        """Keep the state with the most good tests; of two that are alike the earlier one, without a swap."""
        best = self.best
        if self._last.whole and (self._sure is None or len(self._last.good) > len(self._sure.reading.good)):
            self._sure = self._result(solved=False)
        score = (len(self._last.good), len(self._history.planned))
        if best is None or score > (len(best.reading.good), len(best.history.planned)):
            self.best = self._result(solved=False)

    def _result(self, *, solved: bool) -> MendResult:
        history = ChangeHistory(self.changer, list(self._history.batches))
        return MendResult(
            history=history,
            texts=self._texts,
            solved=solved,
            reading=self._last,
            remaining=tuple(self._open),
        )
