"""Comparing two runs of one suite and two locks. Pure functions from values to values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from backdate.checking.result import Breakage, Comparison, PackageChange
from backdate.environments.environment import Lock
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised, SuiteRun

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_ENVIRONMENT = re.compile(r"/[^\s'\"()]*/lib/python3\.\d+/")
_MOST_PLACES = 5
_INNER = ("::", ".", "[", "/")


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
