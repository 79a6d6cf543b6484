"""A benchmark task of any kind: where its files come from, where an answer has to work, what its tests say.

What every kind has is a field of :class:`Task`; what one kind alone has is in ``facts``, one class a kind.
The rules of a kind (its trees, its stages, what an answer may change) are in ``kinds/``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from backdate.changes.change import TextOrigin
from backdate.environments.environment import LockedDistribution
from backdate.recipes.recipe import Recipe
from backdate.tasks.judge_record import JudgeRecord
from backdate.tasks.quality.record import TaskQuality
from backdate.testing.outcomes import Outcome
from backdate.timeline.instants import Instant

TASK_FORMAT = 8
"""Of a stored task; ``formats.py`` reads the older ones."""

KindName = Literal["migration", "issue", "snippet"]
EnvironmentName = Literal["origin", "target"]
"""``origin``: where the tests pass before anything is changed. ``target``: where an answer has to work."""
StageName = Literal["origin", "start", "reference"]
"""What verifying runs: the origin, the target without an answer, the target with the known solution."""
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
class TaskEnvironment:
    """An environment that a task names."""

    instant: Instant
    python: str
    """The release the task names: "3.6.8". A newer patch release may stand in, with a note. Empty while
    nobody has set the task up (``PendingSetup``)."""
    distributions: tuple[LockedDistribution, ...] = ()
    """The lock, sorted by name; empty when it is not known (the old side of published rows)."""


class RecipeSetup(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="recipe"):
    """A task that a recipe sets up and tests."""

    recipe: Recipe


class ScriptSetup(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="scripts"):
    """A task that published shell scripts set up and test; they lie in the tree by these names."""

    setup: str
    """File name of the set-up script, relative to the root."""
    test: str
    """File name of the test script."""


class PendingSetup(msgspec.Struct, frozen=True, kw_only=True, tag_field="by", tag="pending"):
    """An imported task that nobody has set up here yet: verifying it finds its recipe and its interpreter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patches:
    """Texts that ``patch -p0 -t -E`` applies, in this order; empty where there is none."""

    preparation: str = ""
    """Makes the source what the task is about. Of a migration: loosens what pins dependencies, and adds the
    published scripts."""
    test: str = ""
    """Changes of the tests that the target asks for."""
    reference: str = ""
    """The known solution (the gold patch)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskTest:
    """One test of a task in every stage; None: it is not there, or the stage was not run."""

    id: str
    role: Role
    why: str = ""
    """For an excluded one: "flaky", "failed before", "needs what the sandbox does not give", …"""
    origin: Outcome | None = None
    start: Outcome | None = None
    reference: Outcome | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The statistics of the paper's Table 1 for one task."""

    python_files: int
    python_lines: int
    test_files: int
    tests: int
    gold_files: int = 0
    gold_lines: int = 0
    """Changed lines (added and removed) of the reference patch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was run to show that the task is sound."""

    backdate: str
    """The version that proved it."""
    proven: Instant
    repeats: int
    """How often each stage was run, each in a fresh sandbox."""
    origin: Literal["pass", "fail", "unknown", "none"]
    """"pass": every test that counts passed in every repeat. "none": the kind has no such stage."""
    start: Literal["pass", "fail", "unknown"]
    """"fail": at least one fail-to-pass test failed in every repeat."""
    reference: Literal["pass", "fail", "none"]
    solvable: Literal["gold patch", "later commit", "given patch", "unproven"]
    notes: tuple[str, ...] = ()
    """Substitutes, cutoff overrides, the installer that was used, flaky tests: what a reader has to know."""
    judge: JudgeRecord | None = None
    """Which secret changes of the tests are sound; None when nobody found out."""
    builds: tuple[LockedDistribution, ...] | None = None
    """What building the project takes from the index besides what the environment holds: build requirements,
    with the hashes of the files; None when nobody found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCulprit:
    """The release that breaks the task, where bisection found it."""

    distribution: str
    version: str
    released: Instant
    confirmed: bool
    """Both ways: the old set with it fails, the new set without it passes."""


class MigrationFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="migration"):
    """A repository whose own tests pass at one instant and fail at another (arXiv 2601.22597, section 3)."""

    old: TaskEnvironment
    """Where the published tree passes; the new side is the task's environment."""
    causes: tuple[str, ...] = ()
    """One line for each cluster of failures on the new side, as diagnosis words it."""
    culprits: tuple[KnownCulprit, ...] = ()


class IssueFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="issue"):
    """A change that a project made, asked for in words (SWE-bench, arXiv 2310.06770)."""

    origin: TextOrigin
    """Where the text is from; these are never mixed in one score."""
    title: str
    text: str
    """What a solver is given."""
    hints: str = ""
    """What people wrote to the issue before the change was begun; no solver is given it."""
    urls: tuple[str, ...] = ()
    """Of the issue or pull request."""
    created: Instant | None = None
    """When the pull request was opened; None when nothing tells it."""
    merged: Instant | None = None
    """When the project took the change; None when nothing dates it."""
    quality: TaskQuality | None = None
    """What text and tests leave out, leak or miss; None when nobody looked."""


class SnippetFacts(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="snippet"):
    """A function that works with one version of a library and not with another (CodeMEnv)."""

    origin: TaskEnvironment
    file: str
    """The file that an answer changes, relative to the root."""
    function: str
    """The entry point that the tests call."""
    library: str
    """The distribution whose versions differ, normalised (PEP 503)."""
    origin_version: str
    target_version: str


TaskFacts = MigrationFacts | IssueFacts | SnippetFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One task."""

    format: int = TASK_FORMAT
    instance_id: str
    """``owner__name-`` and the first twelve digits of the revision; for an sdist ``name-version``."""
    facts: TaskFacts
    """What this kind of task alone has; its class is the kind."""
    source: TaskSource
    patches: Patches = Patches()
    environment: TaskEnvironment
    """The target: where an answer has to work."""
    setup: RecipeSetup | ScriptSetup | PendingSetup
    """How it is set up and tested."""
    test_files: tuple[str, ...] = ()
    """Files that hold tests, relative to the root: what a solver must not change."""
    tests: tuple[TaskTest, ...] = ()
    """Empty until the task was run."""
    related_libraries: tuple[str, ...] = ()
    """As the paper's Figure 4 counts them, standard library included."""
    difficulty: Difficulty | None = None
    statistics: Statistics | None = None
    proof: Proof | None = None
    published: dict[str, str] | None = None
    """Fields of an imported row without a place above, as they were, to be exported again."""

    @property
    def kind(self) -> KindName:
        """The kind's name, as it is stored."""
        match self.facts:
            case MigrationFacts():
                return "migration"
            case IssueFacts():
                return "issue"
            case SnippetFacts():
                return "snippet"

    @property
    def recipe(self) -> Recipe | None:
        """The recipe that sets it up; None where scripts do."""
        return self.setup.recipe if isinstance(self.setup, RecipeSetup) else None

    @property
    def scripts(self) -> ScriptSetup | None:
        """The scripts that set it up; None where a recipe does."""
        return self.setup if isinstance(self.setup, ScriptSetup) else None

    @property
    def is_pending(self) -> bool:
        """Whether nobody has set it up yet."""
        return isinstance(self.setup, PendingSetup)

    @property
    def has_reference(self) -> bool:
        """Whether a solution is known."""
        return bool(self.patches.reference.strip())

    def with_reference(self, patch: str) -> Task:
        """The task with ``patch`` as its known solution."""
        return replace(self, patches=replace(self.patches, reference=patch))
