"""A migration task: a repository whose own tests pass at one instant and fail at another.

The task of TimeMachine-bench (arXiv 2601.22597, section 3), with the outcome of every test where the
published one has the suite's exit status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backdate.environments.environment import LockedDistribution
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import Outcome
from backdate.timeline.instants import Instant

SideName = Literal["old", "new"]
Difficulty = Literal["easy", "medium", "hard"]
Role = Literal["fail-to-pass", "pass-to-pass", "excluded"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSource:
    """Where a task's files came from."""

    kind: Literal["git", "sdist"]
    name: str
    """``owner/name`` of a repository; the normalised name of a distribution."""
    url: str
    """Of the repository, or of the sdist's file; empty when nobody but the data set has the files."""
    revision: str
    """The full commit hash; for an sdist its version."""
    sha256: str = ""
    """Of the sdist's file; empty for git."""
    version: str | None = None
    """The version (PEP 440) that the tree's history gives it, for builds that ask git; None when unknown."""
    license: str | None = None
    """An SPDX expression, or None when nothing says."""
    stars: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """Published shell scripts that set a task up and run its tests; they lie in the tree by these names."""

    setup: str
    """File name of the set-up script, relative to the root."""
    test: str
    """File name of the test script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSide:
    """One of the two environments."""

    instant: Instant
    python: str
    """The release the task names: "3.6.8". A newer patch release may stand in, with a note."""
    distributions: tuple[LockedDistribution, ...] = ()
    """The lock, sorted by name; empty when it is not known (the old side of published rows)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTest:
    """One test of a task on both sides."""

    id: str
    role: Role
    why: str = ""
    """For an excluded one: "flaky", "failed before", "needs what the sandbox does not give", …"""
    old: Outcome | None
    """None: not there."""
    new: Outcome | None
    gold: Outcome | None = None
    """With the gold patch, in the new environment; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The statistics of the paper's Table 1 for one task."""

    python_files: int
    python_lines: int
    test_files: int
    tests: int
    gold_files: int = 0
    gold_lines: int = 0
    """Changed lines (added and removed) of the gold patch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was run to show that the task is sound."""

    backdate: str
    """The version that proved it."""
    proven: Instant
    repeats: int
    """How often each side was run, each in a fresh sandbox."""
    old: Literal["pass", "fail", "unknown"]
    """"pass": every test that counts passed in every repeat."""
    new: Literal["pass", "fail", "unknown"]
    """"fail": at least one fail-to-pass test failed in every repeat."""
    gold: Literal["pass", "fail", "none"]
    solvable: Literal["gold patch", "later commit", "given patch", "unproven"]
    notes: tuple[str, ...] = ()
    """Stand-ins, cutoff_overrides, the road taken, flaky tests: what a reader has to know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCulprit:
    """The release that breaks the task, where bisection found it."""

    distribution: str
    version: str
    released: Instant
    confirmed: bool
    """Both ways: the old set with it fails, the new set without it passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationTask:
    """One task. Patches are texts that ``patch -p0 -t -E`` applies, in the order unpinning, test, gold."""

    instance_id: str
    """``owner__name-`` and the first twelve digits of the revision; for an sdist ``name-version``."""
    source: TaskSource
    old: TaskSide
    new: TaskSide
    recipe: Recipe | None
    """How it is set up and tested; None when published scripts do that."""
    scripts: Scripts | None = None
    unpinning_patch: str = ""
    test_patch: str = ""
    gold_patch: str = ""
    """Empty when none is known."""
    test_files: tuple[str, ...] = ()
    """Files that hold tests, relative to the root: what a solver must not change."""
    tests: tuple[TaskTest, ...] = ()
    """Empty until the task was run."""
    causes: tuple[str, ...] = ()
    """One line for each cluster of failures on the new side, as diagnosis words it."""
    related_libraries: tuple[str, ...] = ()
    """As the paper's Figure 4 counts them, standard library included."""
    culprits: tuple[KnownCulprit, ...] = ()
    difficulty: Difficulty | None = None
    statistics: Statistics | None = None
    proof: Proof | None = None
    published: dict[str, str] | None = None
    """Fields of an imported row without a place above, as they were, to be exported again."""
