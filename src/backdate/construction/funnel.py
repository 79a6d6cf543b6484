"""The funnel: how many candidates enter each stage, and how many it excludes for which reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from backdate.construction.kinds.interface import StageRule


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCount:
    """How many candidates were excluded at a stage for one reason."""

    stage: str
    kind: str
    """As in ``Exclusion``; empty for exclusions that were stored before reasons had kinds."""
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason, and how many candidates it excludes."""

    kind: str = ""
    """As in ``Exclusion``; empty in older data sets."""
    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStage:
    """The candidates that enter one stage, and those that it excludes."""

    name: str
    title: str
    entered: int
    left: int
    """Excluded at this stage."""
    reasons: tuple[Reason, ...]
    """The most frequent first."""

    @property
    def passed(self) -> int:
        """How many pass (or are still being processed)."""
        return self.entered - self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """All stages of a build."""

    candidates: int
    """Entries of all sources."""
    stages: tuple[FunnelStage, ...]
    tasks: int
    waiting: int
    """Not decided yet; 0 for a finished build."""


def make_funnel(
    counts: Iterable[ReasonCount], stages: Sequence[StageRule], *, candidates: int, tasks: int
) -> Funnel:
    """The funnel of ``candidates`` entries through ``stages``, from the exclusions that were counted.

    It has every stage, also those that exclude nothing.
    """
    by_stage: dict[str, list[Reason]] = {stage.name: [] for stage in stages}
    for reason in _merged(counts):
        by_stage[reason.stage].append(Reason(kind=reason.kind, reason=reason.reason, count=reason.count))
    entered = candidates
    passed = []
    for stage in stages:
        reasons = sorted(by_stage[stage.name], key=lambda reason: (-reason.count, reason.reason))
        excluded = sum(reason.count for reason in reasons)
        passed.append(
            FunnelStage(
                name=stage.name, title=stage.title, entered=entered, left=excluded, reasons=tuple(reasons)
            )
        )
        entered -= excluded
    return Funnel(candidates=candidates, stages=tuple(passed), tasks=tasks, waiting=entered - tasks)


def _merged(counts: Iterable[ReasonCount]) -> Iterable[ReasonCount]:
    """Counts by stage and kind. A count without a kind joins the kind with the same text, if there is one."""
    known = sorted(counts, key=lambda count: (not count.kind, count.kind, count.reason))
    kinds: dict[tuple[str, str], str] = {}
    merged: dict[tuple[str, str], ReasonCount] = {}
    for count in known:
        kind = count.kind or kinds.get((count.stage, count.reason)) or count.reason
        kinds.setdefault((count.stage, count.reason), kind)
        before = merged.get((count.stage, kind))
        merged[count.stage, kind] = (
            count if before is None else replace(before, count=before.count + count.count)
        )
    return merged.values()
