"""What runs of a suite say: their counts, whether they prove a recipe, what became of each test.

Pure functions from values to values. A recipe is proven by the criterion of SetupAgent (arXiv 2503.07701): at
least 95 % of the tests that ran pass, and one at least ran. Skipped tests did not run. A file that could not
be collected, a test that crashed and one that ran out of time did, and count against the recipe.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from backdate.checking.error_identity import (
    grouping_line,
    normalised_line,
    own_links,
    project_frame,
    same_error,
)
from backdate.checking.repeated import NOT_REPEATED, RepeatedTests
from backdate.checking.result import Breakage, Comparison, ErrorChange, PackageChange
from backdate.checking.settings import ACCEPT, LEAST_PASSING
from backdate.environments.environment import Lock
from backdate.testing.lint_items import lint_tool
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun
from backdate.testing.trouble import trouble_line

_MOST_PLACES = 5
_INNER = ("::", ".", "[", "/")
_OF_THE_SESSION = frozenset({"", "."})
"""The ids of pytest's session and, since 8.0, of its root folder, in which all tests lie."""
_LOADING = re.compile(r"\.(?:test_suite|additional_tests|load_tests)\Z")
"""A module's own function that makes the suite of all its tests (unittest, zope.testrunner)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the tests of one run."""

    passed: int = 0
    """Did what was expected: passed, or failed as they said they would."""
    failed: int = 0
    """Failed, or their set-up did, or they crashed or ran out of time."""
    not_collected: int = 0
    """Files and classes that could not be collected."""
    skipped: int = 0

    @property
    def ran(self) -> int:
        """What counts: all but the skipped ones."""
        return self.passed + self.failed + self.not_collected

    @property
    def share(self) -> float:
        """The part of ``ran`` that passed; 0 when nothing ran."""
        return self.passed / self.ran if self.ran else 0.0


def count_outcomes(run: SuiteRun | None) -> Counts:
    """The counts of ``run``; all zero where there is none."""
    if run is None:
        return Counts()
    counted = Counter(result.outcome for result in run.results)
    not_collected, skipped = counted[Outcome.NOT_COLLECTED], counted[Outcome.SKIPPED]
    passed = sum(number for outcome, number in counted.items() if outcome.good)
    return Counts(
        passed=passed,
        failed=counted.total() - passed - not_collected - skipped,
        not_collected=not_collected,
        skipped=skipped,
    )


def says_little(run: SuiteRun | None) -> bool:
    """Whether no test of ``run`` passes, or so few that they say little of the project."""
    counts = count_outcomes(run)
    return not counts.passed or counts.share < LEAST_PASSING


def is_proven(run: SuiteRun | None, accept: float = ACCEPT) -> bool:
    """Whether ``run`` ended well and the share of tests that pass is at least ``accept``."""
    counts = count_outcomes(run)
    return run is not None and run.status == "completed" and counts.passed > 0 and counts.share >= accept


def compare_locks(old: Lock, new: Lock) -> tuple[PackageChange, ...]:
    """The distributions that differ, sorted by name; the project itself is left out."""
    before = {locked.name: locked for locked in old.distributions if locked.source != "."}
    after = {locked.name: locked for locked in new.distributions if locked.source != "."}
    changes = []
    for name in sorted(before.keys() | after.keys()):
        then, now = before.get(name), after.get(name)
        if then is None or now is None or then.version != now.version:
            changes.append(
                PackageChange(
                    name=name,
                    old=then.version if then else None,
                    new=now.version if now else None,
                    released=now.uploaded if now else None,
                )
            )
    return tuple(changes)


def compare_runs(old: SuiteRun, new: SuiteRun, repeated: RepeatedTests = NOT_REPEATED) -> Comparison:
    """What became of each test of ``old`` in ``new``; flaky and time-bound ones are listed by themselves.

    A test of the old side whose file or class could not be collected, or whose run ended before it was
    reached, counts as broken: it was good and cannot be had any more.
    """
    after = {result.id: result for result in new.results}
    blocked = {result.id: result for result in new.results if result.outcome is Outcome.NOT_COLLECTED}
    alone = _blocks_all(old, new)
    broke: dict[str, CaseResult | None] = {}
    changed: dict[str, tuple[CaseResult, CaseResult]] = {}
    fixed, skipped, vanished = [], [], []
    still_good = still_bad = 0
    for result in old.results:
        if result.id in repeated.set_aside:
            continue
        now = after.get(result.id) or blocker_of(result, blocked) or alone
        if result.outcome.good:
            if now is None and new.status == "completed":
                vanished.append(result.id)
            elif now is None or now.outcome.bad:
                broke[result.id] = now
            elif now.outcome is Outcome.SKIPPED:
                skipped.append(result.id)
            else:
                still_good += 1
        elif result.outcome.bad and now is not None:
            if now.outcome.good:
                fixed.append(result.id)
            elif now.outcome.bad:
                still_bad += 1
                if not same_error(result, now) and not lint_tool(result.id, last_type(now)):
                    changed[result.id] = result, now
    known = {result.id for result in old.results}
    appeared = sum(1 for result in new.results if result.id not in known and result.id not in blocked)
    unseen = {} if alone is not None and broke else _unseen_failures(old, new, changed)
    return Comparison(
        broke=tuple(broke),
        fixed=tuple(fixed),
        still_good=still_good,
        still_bad=still_bad,
        skipped_now=tuple(skipped),
        vanished=tuple(vanished),
        appeared=appeared,
        breakages=group_breakages(broke, new),
        error_changes=group_error_changes(changed, old, new),
        new_failures=group_breakages(unseen, new),
        flaky=tuple(test.id for test in repeated.flaky),
        fails_each_time=repeated.fails_each_time,
        time_bound=repeated.time_bound,
    )


def _blocks_all(old: SuiteRun, new: SuiteRun) -> CaseResult | None:
    """What could not be collected where nothing else is in ``new``, and no test of ``old`` lies in it by its
    id: a function that makes the whole suite has a name of its own, "pkg.runtests.run_tests".
    """
    only = new.results[0] if len(new.results) == 1 else None
    if only is None or only.outcome is not Outcome.NOT_COLLECTED:
        return None
    place = {only.id: only}
    return None if any(blocker_of(result, place) for result in old.results) else only


def _unseen_failures(
    old: SuiteRun, new: SuiteRun, changed: dict[str, tuple[CaseResult, CaseResult]]
) -> dict[str, CaseResult]:
    """The tests that are bad in ``new`` and were neither good nor bad in ``old``: skipped, or not there.

    Those whose file could not be collected in ``old`` go to ``changed``. A file that only ``new`` cannot
    collect and that has no test in ``old`` is among them too.
    """
    before = {result.id: result for result in old.results}
    failures: dict[str, list[CaseResult]] = {}
    for result in old.results:
        if result.outcome.bad:
            failures.setdefault(_function_id(result.id), []).append(result)
    blocked = {result.id: result for result in old.results if result.outcome is Outcome.NOT_COLLECTED}
    used = {result.file for result in old.results if result.outcome.good}
    unseen: dict[str, CaseResult] = {}
    for result in new.results:
        then = before.get(result.id)
        if not result.outcome.bad or (then is not None and then.outcome is not Outcome.SKIPPED):
            continue
        if lint_tool(result.id, last_type(result)):
            continue  # a tool that is newer looks at more, which hides nothing
        blocker = blocker_of(result, blocked) if then is None else None
        if blocker is not None:
            changed[result.id] = blocker, result
        elif then is None and any(
            same_error(one, result) for one in failures.get(_function_id(result.id), ())
        ):
            continue  # its parameters are printed differently, the failure is the one of before
        elif result.outcome is not Outcome.NOT_COLLECTED or not _blocks_known(result, old, used):
            unseen[result.id] = result
    return unseen


def last_type(result: CaseResult) -> str:
    """The type of what the runner saw raised; empty where nothing was."""
    return result.raised[-1].type if result.raised else ""


def _function_id(test: str) -> str:
    """The id of a test without its parameters."""
    return test.partition("[")[0]


def _blocks_known(blocker: CaseResult, old: SuiteRun, files: Collection[str | None]) -> bool:
    """Whether tests that are good in ``old`` (in ``files``) are counted for what blocks them now."""
    if blocker.id in files:
        return True
    places = {blocker.id: blocker}
    return any(blocker_of(result, places) is not None for result in old.results)


def blocker_of(result: CaseResult, blocked: Mapping[str, CaseResult]) -> CaseResult | None:
    """What kept the test from being collected: an entry for its file, module, class or folder, or for all."""
    if result.file is not None and result.file in blocked:
        return blocked[result.file]
    return next((blocker for place, blocker in blocked.items() if blocks(place, result.id)), None)


def blocks(not_collected: str, test: str) -> bool:
    """Whether a test lies in what could not be collected, by their ids."""
    place = _LOADING.sub("", not_collected)
    return place in _OF_THE_SESSION or test.startswith(tuple(place + inner for inner in _INNER))


def group_breakages(broke: Mapping[str, CaseResult | None], run: SuiteRun) -> tuple[Breakage, ...]:
    """The broken tests by their error, the largest group first; items that run a linter come last."""
    tests: dict[tuple[str, str], list[str]] = {}
    places: dict[tuple[str, str], Counter[Frame]] = {}
    tools: dict[tuple[str, str], str] = {}
    for test, result in broke.items():
        key, place = _error(result, run)
        tool = lint_tool(test, key[0])
        if tool:  # what it says differs from file to file
            key, place = (key[0], f"{tool} finds more than before"), None
            tools[key] = tool
        tests.setdefault(key, []).append(test)
        counter = places.setdefault(key, Counter())
        if place is not None:
            counter[place] += 1
    groups = [
        Breakage(
            type=key[0],
            message=key[1],
            places=tuple(place for place, _ in places[key].most_common(_MOST_PLACES)),
            tests=tuple(members),
            lint=tools.get(key, ""),
        )
        for key, members in tests.items()
    ]
    return tuple(sorted(groups, key=lambda group: (bool(group.lint), -len(group.tests))))


def group_error_changes(
    changed: Mapping[str, tuple[CaseResult, CaseResult]], old: SuiteRun, new: SuiteRun
) -> tuple[ErrorChange, ...]:
    """The tests whose error is another one by both errors, the largest group first."""
    tests: dict[tuple[str, str, str, str], list[str]] = {}
    places: dict[tuple[str, str, str, str], Counter[Frame]] = {}
    for test, (then, now) in changed.items():
        before, _ = _error(then, old)
        after, place = _error(now, new)
        key = (*before, *after)
        tests.setdefault(key, []).append(test)
        counter = places.setdefault(key, Counter())
        if place is not None:
            counter[place] += 1
    groups = [
        ErrorChange(
            old_type=key[0],
            old_message=key[1],
            type=key[2],
            message=key[3],
            places=tuple(place for place, _ in places[key].most_common(_MOST_PLACES)),
            tests=tuple(members),
        )
        for key, members in tests.items()
    ]
    return tuple(sorted(groups, key=lambda group: -len(group.tests)))


def _error(result: CaseResult | None, run: SuiteRun) -> tuple[tuple[str, str], Frame | None]:
    """The error that a broken test is grouped by, and the project's line at which it surfaced."""
    if result is not None and result.raised:
        return _from_chain(result.raised)
    if result is not None:
        return (str(result.outcome), normalised_line(result.reason)), None
    if run.raised:
        return _from_chain(run.raised)
    return (f"the new side's run: {run.status}", normalised_line(trouble_line(run))), None


def _from_chain(chain: Sequence[Raised]) -> tuple[tuple[str, str], Frame | None]:
    last = own_links(chain)[-1]
    place = next((frame for error in reversed(chain) if (frame := project_frame(error)) is not None), None)
    return (last.type, grouping_line(last)), place
