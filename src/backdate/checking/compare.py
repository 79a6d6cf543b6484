"""What runs of a suite say: their counts, whether they prove a recipe, what became of each test, the verdict.

Pure functions from values to values. A recipe is proven by the criterion of SetupAgent (arXiv 2503.07701): at
least 95 % of the tests that ran pass, and one at least ran. Skipped tests did not run. A file that could not
be collected, a test that crashed and one that ran out of time did, and count against the recipe.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backdate.checking.result import Breakage, Comparison, PackageChange, Side, Verdict
from backdate.checking.settings import ACCEPT
from backdate.environments.environment import Lock
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun
from backdate.text import first_line, plural

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_ENVIRONMENT = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/")
_MOST_PLACES = 5
_INNER = ("::", ".", "[", "/")


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


def compare_runs(old: SuiteRun, new: SuiteRun) -> Comparison:
    """What became of each test of ``old`` in ``new``.

    A test of the old side whose file or class could not be collected, or whose run ended before it was
    reached, counts as broken: it was good and cannot be had any more.
    """
    after = {result.id: result for result in new.results}
    blocked = {result.id: result for result in new.results if result.outcome is Outcome.NOT_COLLECTED}
    broke: dict[str, CaseResult | None] = {}
    fixed, skipped, vanished = [], [], []
    still_good = still_bad = 0
    for result in old.results:
        now = after.get(result.id) or blocker_of(result, blocked)
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
    known = {result.id for result in old.results}
    appeared = sum(1 for result in new.results if result.id not in known and result.id not in blocked)
    return Comparison(
        broke=tuple(broke),
        fixed=tuple(fixed),
        still_good=still_good,
        still_bad=still_bad,
        skipped_now=tuple(skipped),
        vanished=tuple(vanished),
        appeared=appeared,
        breakages=group_breakages(broke, new),
    )


def blocker_of(result: CaseResult, blocked: Mapping[str, CaseResult]) -> CaseResult | None:
    """What kept the test from being collected: an entry for its file, module, class or folder."""
    if result.file is not None and result.file in blocked:
        return blocked[result.file]
    for place, blocker in blocked.items():
        if result.id.startswith(tuple(place + inner for inner in _INNER)):
            return blocker
    return None


def group_breakages(broke: Mapping[str, CaseResult | None], run: SuiteRun) -> tuple[Breakage, ...]:
    """The broken tests by their error, the largest group first."""
    tests: dict[tuple[str, str], list[str]] = {}
    places: dict[tuple[str, str], Counter[Frame]] = {}
    for test, result in broke.items():
        key, place = _error(result, run)
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
    return (f"the new side's run: {run.status}", normalised_line(run.trouble)), None


def _from_chain(chain: Iterable[Raised]) -> tuple[tuple[str, str], Frame | None]:
    links = list(chain)
    # A runner that wraps what stopped it (pytest's CollectError) says less than what it wraps.
    own = [error for error in links if not error.type.startswith("_pytest.")]
    last = (own or links)[-1]
    place = next((frame for error in reversed(links) if (frame := project_frame(error)) is not None), None)
    return (last.type, normalised_line(last.message)), place


def project_frame(raised: Raised) -> Frame | None:
    """The innermost frame that lies in the project, or None."""
    return next((frame for frame in reversed(raised.frames) if in_project(frame)), None)


def in_project(frame: Frame) -> bool:
    """Whether a frame's file lies in the project's tree and is not an environment inside it."""
    return not frame.file.startswith(("/", "<")) and "site-packages/" not in frame.file


def normalised_line(message: str) -> str:
    """The first line of a message, without what differs between two environments that mean the same."""
    lines = _ENVIRONMENT.sub("", _ADDRESS.sub("0x…", message)).strip().splitlines()
    return lines[0].strip()[:300] if lines else ""


def decide(old: Side, new: Side, comparison: Comparison | None) -> tuple[Verdict, str]:
    """The verdict and one sentence that says why."""
    if comparison is None or old.run is None or new.run is None:
        return Verdict.CANNOT_TELL, _no_runs(old, new)
    good = sum(result.outcome.good for result in old.run.results)
    if not good:
        return Verdict.CANNOT_TELL, f"no test passes in the old environment: {_why(old.run)}"
    if comparison.broke:
        broke = len(comparison.broke)
        return Verdict.BROKE, f"{broke} of {good} tests that passed {plural(broke, 'fails', 'fail')} now"
    if new.run.status not in ("completed", "no-tests"):
        return Verdict.CANNOT_TELL, f"the new side's run did not end well: {_why(new.run)}"
    if not comparison.still_good:
        return (
            Verdict.CANNOT_TELL,
            f"no test of the old side was run again in the new environment: {_why(new.run)}",
        )
    return Verdict.NOTHING_BROKE, f"all {comparison.still_good} tests that passed and ran again still pass"


def _no_runs(old: Side, new: Side) -> str:
    if old.failure is not None:
        return f"the old environment does not build ({old.failure.phase})"
    if new.failure is not None:
        return f"the new environment does not build ({new.failure.phase})"
    return "the tests were not run"


def _why(run: SuiteRun) -> str:
    if run.status == "no-tests":
        return "nothing was collected"
    bad = sum(result.outcome.bad for result in run.results)
    if run.status == "completed":
        return f"{bad} failed" if bad else "all were skipped"
    return first_line(run.trouble) or run.status
