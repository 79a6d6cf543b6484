"""The quality of a data set in numbers. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backdate.tasks.quality.record import QualityFlag, Share, TaskQuality
from backdate.tasks.task import IssueFacts, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class QualitySummary:
    """Over the issue tasks whose quality is known."""

    tasks: int
    measured: int
    flags: dict[QualityFlag, int]
    """How many tasks have each; the most frequent first."""
    codes: dict[str, int]
    """Of SWE-rebench V2; a task may have several."""
    leaked: int
    tried: int
    """Tasks with trials."""
    hunks: Share
    """Hunks whose absence tests noticed."""
    halves: Share
    """Halves that do not pass."""
    mutants: Share
    weak: int
    """Tasks with a hunk, a half or, for the most part, mutants of which nobody noticed anything."""
    strict_tests: Share
    """Fail-to-pass tests that only the reference patch can pass."""
    strict: int
    """Tasks with such a test."""
    only_strict: int
    """Tasks of which every test that was read is such a one."""
    quoted: Share
    """Tokens of reference patches that their texts give away."""


def qualities(tasks: Iterable[Task]) -> list[TaskQuality]:
    """The known qualities of ``tasks``."""
    facts = (task.facts for task in tasks)
    return [each.quality for each in facts if isinstance(each, IssueFacts) and each.quality is not None]


def summarise_quality(tasks: Sequence[Task]) -> QualitySummary | None:
    """The summary of ``tasks``; None where nothing is known of any."""
    known = qualities(tasks)
    if not known:
        return None
    flags = Counter(finding.flag for quality in known for finding in quality.flags)
    weaknesses = [quality.weakness for quality in known if quality.weakness and not quality.weakness.problem]
    strictness = [quality.strictness for quality in known if quality.strictness is not None]
    weak = (QualityFlag.WEAK_HUNK, QualityFlag.WEAK_HALF, QualityFlag.WEAK_MUTANT)
    return QualitySummary(
        tasks=sum(isinstance(task.facts, IssueFacts) for task in tasks),
        measured=len(known),
        flags=dict(sorted(flags.items(), key=lambda item: (-item[1], item[0]))),
        codes=_counted(code for quality in known for code in quality.codes),
        leaked=sum(quality.leaked for quality in known),
        tried=len(weaknesses),
        hunks=_sum(each.hunks_noticed for each in weaknesses),
        halves=_sum(each.halves_noticed for each in weaknesses),
        mutants=_sum(each.mutants_noticed for each in weaknesses),
        weak=sum(any(quality.finding(flag) for flag in weak) for quality in known),
        strict_tests=_sum(each.share for each in strictness),
        strict=sum(bool(each.strict) for each in strictness),
        only_strict=sum(each.read > 0 and len(each.strict) == each.read for each in strictness),
        quoted=_sum(quality.leaks.quoted for quality in known if quality.leaks.quoted is not None),
    )


def quality_rows(summary: QualitySummary) -> list[tuple[str, str]]:
    """The numbers for a table: what, and how many."""
    tasks = summary.measured
    rows = [
        ("tasks that were measured", f"{tasks} of {summary.tasks}"),
        ("without a flag of SWE-rebench V2 (A)", _of(summary.codes.get("A", 0), tasks)),
        ("with a way to the solution beside solving it", _of(summary.leaked, tasks)),
        ("tokens of the gold patch that the text gives away", share_words(summary.quoted)),
        ("hunks of gold patches whose absence tests notice", share_words(summary.hunks)),
        ("halves of gold patches that tests refuse", share_words(summary.halves)),
        ("mutants of changed lines that tests notice", share_words(summary.mutants)),
        ("tasks with weak tests", _of(summary.weak, summary.tried)),
        ("fail-to-pass tests that only the gold patch can pass", share_words(summary.strict_tests)),
        ("tasks with such a test", _of(summary.strict, tasks)),
        ("tasks with no other fail-to-pass test", _of(summary.only_strict, tasks)),
    ]
    return [*rows, *((f"flag {flag.value}", _of(count, tasks)) for flag, count in summary.flags.items())]


def share_words(share: Share) -> str:
    """A share for people: "12 of 40 (30.0 %)"."""
    return _of(share.part, share.whole)


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "none to count"


def _sum(shares: Iterable[Share]) -> Share:
    every = list(shares)
    return Share(part=sum(share.part for share in every), whole=sum(share.whole for share in every))


def _counted(codes: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(codes).items(), key=lambda item: (item[0] != "A", int(item[0][1:] or 0))))
