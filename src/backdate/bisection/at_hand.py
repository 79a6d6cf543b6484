"""Two sides that are at hand, built and run by whoever asks: what a bisection starts from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from backdate.bisection.result import CheckSummary
from backdate.checking.compare import compare_runs
from backdate.checking.recipe_run import DatedProject, dated_project, request_for
from backdate.checking.result import CheckResult, Comparison, Side
from backdate.checking.verdict import decide
from backdate.environments.inputs import EnvironmentRequest
from backdate.projects.project import Origin, Project


@dataclass(frozen=True, kw_only=True)
class AtHand:
    """A project's two sides, and the trees that they were made from, which have to stay where they are."""

    origin: Origin
    old: Side
    """Its environment, where it has one, has to be there; nothing is built for it again."""
    new: Side
    old_ground: DatedProject
    new_ground: DatedProject
    """Of the unpinned copy."""
    notes: tuple[str, ...] = ()

    @cached_property
    def comparison(self) -> Comparison | None:
        """The tests of the two sides; None unless both ran."""
        if self.old.run is None or self.new.run is None:
            return None
        return compare_runs(self.old.run, self.new.run)

    @property
    def old_request(self) -> EnvironmentRequest:
        """What the old side's environment was asked for with."""
        return _request(self.old, self.old_ground)

    @property
    def new_request(self) -> EnvironmentRequest:
        """What the new side's environment was asked for with."""
        return _request(self.new, self.new_ground)

    @property
    def summary(self) -> CheckSummary:
        """What a check of the two says."""
        verdict, reason = decide(self.old, self.new, self.comparison)
        return CheckSummary(
            project=self.old_ground.name,
            origin=self.origin,
            verdict=verdict,
            reason=reason,
            old_instant=self.old.instant,
            new_instant=self.new.instant,
            old_python=self.old.choice.interpreter.version,
            new_python=self.new.choice.interpreter.version,
            broke=len(self.comparison.broke) if self.comparison else 0,
        )


def of_check(checked: CheckResult, trees: Path) -> AtHand:
    """The sides of a check that kept its trees in ``trees``."""

    def ground(name: str, side: Side) -> DatedProject:
        root = trees / name / "tree"
        return dated_project(Project(name=checked.project, root=root, origin=checked.origin), side.instant)

    return AtHand(
        origin=checked.origin,
        old=checked.old,
        new=checked.new,
        old_ground=ground("old", checked.old),
        new_ground=ground("new", checked.new),
        notes=checked.notes,
    )


def _request(side: Side, ground: DatedProject) -> EnvironmentRequest:
    base = side.environment.base if side.environment is not None else None
    return replace(request_for(side.recipe, ground, side.choice), base=base)
