"""The funnel: how many candidates entered and left each stage, and why. Values and pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from backdate.construction.candidate import ExclusionStage

STAGES: tuple[tuple[ExclusionStage, str], ...] = (
    ("row", "the entry can be read"),
    ("repeated", "not listed before"),
    ("language", "written in Python"),
    ("licence", "a permissive licence or none"),
    ("stars", "at least as many stars as asked for"),
    ("window", "older than the target instant"),
    ("source", "its files can be had"),
    ("stated-licence", "its files state a permissive licence or none"),
    ("configuration", "has a configuration file"),
    ("tests", "has tests of pytest or unittest"),
    ("encoding", "Python files are UTF-8"),
    ("duplicate", "not nearly the same as another"),
    ("interpreter", "interpreters of both instants are here"),
    ("old-environment", "the old environment builds"),
    ("old-tests", "tests pass in the old environment"),
    ("new-environment", "the new environment builds"),
    ("new-tests", "a test that passed fails in the new environment"),
    ("timed-out", "the new run ends within its time"),
    ("cause-outside-user-code", "the project's code is on the way to an error"),
    ("missing-top-level-module", "not only modules are missing that nothing installs"),
    ("only-tests-affected", "not only tests have to change"),
    ("flaky", "what fails, fails in every repeat"),
    ("trouble", "nothing on our side went wrong"),
)
"""In order, each with what is true of what passes: steps 1 to 4 of TimeMachine-bench (arXiv 2601.22597)."""

NAMES = tuple(name for name, _ in STAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason, and how many candidates left for it."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStage:
    """What one stage did."""

    name: str
    title: str
    entered: int
    left: int
    """Excluded here."""
    reasons: tuple[Reason, ...]
    """The most frequent first."""

    @property
    def passed(self) -> int:
        """How many went on (or are still under way)."""
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


def make_funnel(left: Mapping[tuple[str, str], int], *, candidates: int, tasks: int) -> Funnel:
    """The funnel of ``candidates`` entries, of which ``left[stage, reason]`` left at a stage for a reason.

    Stages at which nobody left are in it too: that is an answer.
    """
    stages = []
    entered = candidates
    for name, title in STAGES:
        reasons = sorted(
            (Reason(reason=reason, count=count) for (stage, reason), count in left.items() if stage == name),
            key=lambda one: (-one.count, one.reason),
        )
        gone = sum(one.count for one in reasons)
        stages.append(FunnelStage(name=name, title=title, entered=entered, left=gone, reasons=tuple(reasons)))
        entered -= gone
    return Funnel(candidates=candidates, stages=tuple(stages), tasks=tasks, waiting=entered - tasks)
