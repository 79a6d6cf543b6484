"""What a reader has to know of how a turn was found. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.bisection.packages_axis import Narrowed
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Culprit, Finding
from backdate.bisection.suspect_search import VersionTurn
from backdate.text import counted, first_line
from backdate.timeline.instants import format_day


def not_over_time(newest: ProbeResult | None) -> str:
    """Why nothing was searched over time. ``newest``: the environment with the newest packages, if any was
    asked for."""
    if newest is None:
        return "packages over time could not be tried: the limit on environments is reached"
    if newest.failure:
        return f"the newest packages alone could not be had: {first_line(newest.failure)}"
    return "made anew with the newest packages they do not fail in the same way"


def remarks_on(narrowed: Narrowed, old: ProbeResult) -> list[str]:
    """What a reader has to know of how the turn was found."""
    remarks: list[str] = []
    if not narrowed.finished:
        remarks.append("not narrowed to neighbours: the limit on environments is reached")
    if narrowed.skipped:
        failed = next((first_line(probe.failure) for probe in narrowed.skipped if probe.failure), "")
        why = f": {failed}" if failed else ""
        remarks.append(f"{len(narrowed.skipped)} points between could not be told{why}")
    if len(narrowed.transitions) > 1:
        changes = ", ".join(
            f"{transition.kind} by {format_day(transition.after)}" for transition in narrowed.transitions
        )
        remarks.append(f"it changed more than once ({changes}); this is the last time")
    if narrowed.good is old and narrowed.bad.point.instant == old.point.instant:
        remarks.append("it fails with what there was at the old instant; the project's own pins kept it away")
    return remarks


def remarks_on_versions(turn: VersionTurn) -> list[str]:
    """As ``remarks_on``, where versions of one distribution were searched."""
    remarks: list[str] = []
    if not turn.finished:
        remarks.append("not narrowed to neighbours: the limit on environments is reached")
    if turn.skipped:
        remarks.append(f"{counted(turn.skipped, 'version')} between could not be told")
    if len(turn.transitions) > 1:
        remarks.append("it changed more than once from version to version; this is the last time")
    return remarks


def remarks_on_age(culprits: Sequence[Culprit], old: ProbeResult) -> list[str]:
    """That a culprit's release is older than the window, where versions were searched and not instants."""
    return [
        f"{culprit.name} {culprit.new} is older than the window: it was released on "
        f"{format_day(culprit.released)}, and pins, a repair or the interpreter of the old side kept it away"
        for culprit in culprits
        if culprit.released is not None and culprit.released < old.point.instant
    ]


def remarks_on_interpreters(culprits: Sequence[Culprit], anchor: ProbeResult) -> list[str]:
    """Why versions were searched where the older interpreter, whose packages ``anchor`` has, passes."""
    assert anchor.lock is not None
    older = {distribution.name: distribution.version for distribution in anchor.lock.distributions}
    return [
        f"versions were searched, not instants: the older interpreter gets {culprit.name} "
        f"{older[culprit.name]} at most"
        for culprit in culprits
        if older.get(culprit.name) and older[culprit.name] != culprit.new
    ]


def remarks_on_days(finding: Finding, narrowed: Narrowed, old: ProbeResult) -> list[str]:
    """Why a culprit's release lies before the window in which it began to matter, where it does."""
    last_good = finding.last_good
    if last_good is None or narrowed.good is old:  # its own pins: see ``remarks_on``
        return []
    assert narrowed.good.lock is not None
    assert narrowed.bad.lock is not None
    before = {distribution.name: distribution.version for distribution in narrowed.good.lock.distributions}
    after = {distribution.name: distribution.version for distribution in narrowed.bad.lock.distributions}
    moved = sorted(name for name in after if before.get(name) != after[name])
    remarks = []
    for culprit in finding.culprits:
        if culprit.released is None or culprit.released >= last_good:
            continue
        along = [name for name in moved if name != culprit.name]
        with_it = f"; it came in together with {', '.join(along[:3])}" if along else ""
        remarks.append(
            f"{culprit.name} {culprit.new} is older than the window: it was released on "
            f"{format_day(culprit.released)}, and something else kept it out until then{with_it}"
        )
    return remarks
