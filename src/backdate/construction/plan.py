"""What a build is asked to do: everything that its result depends on, and how it is carried out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from backdate.changes.change import TextOrigin
from backdate.changes.github.settings import GITHUB_URL
from backdate.checking.settings import Settings
from backdate.environments import uv
from backdate.environments.build_limits import BUILD_LIMITS
from backdate.errors import InstantError, UsageError
from backdate.sandboxes.interface import Limits
from backdate.serial import from_json
from backdate.tasks.task import KindName
from backdate.timeline.instants import Instant, format_instant

FORMAT = 3
"""Part of every key of a kept stage: raise it when what a stage does with the same inputs changes."""


ChangeSourceName = Literal["history", "github", "given"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuePlan:
    """The parameters that building issue tasks has of its own."""

    origins: tuple[TextOrigin, ...] = ("issue", "pull", "changelog")
    """The kinds of text that are wanted; a change gets one task, of the first of them that it has."""
    source: ChangeSourceName = "history"
    given: Path | None = None
    """For the source "given": the file of texts."""
    github_url: str = GITHUB_URL
    """For the source "github": the address of its API."""
    since: Instant | None = None
    until: Instant | None = None
    """Merged from ``since`` on and before ``until``; None: no bound."""
    most_changes: int = 500
    """How many changes of a repository are read at most."""
    per_repository: int = 10
    """Tasks of one repository at most."""
    most_runs: int = 60
    """Changes of one repository that are set up and run at most, whatever comes of them."""
    failed_setups: int = 5
    """Where so many changes cannot be set up one after the other, the older ones are given up."""
    whole_suite_s: float = 30.0
    """A suite that takes longer on the base is not run whole: only the test files of the change are, as
    SWE-bench does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """The parameters of a build. Of a migration two of them, ``origin`` and ``target``, move the whole
    benchmark."""

    kind: KindName = "migration"
    """Of the tasks that are built: ``kinds.choose.builder_of`` has the builder."""
    issue: IssuePlan = IssuePlan()
    """Of issue tasks; without meaning for others."""
    target: Instant | None = None
    """The new instant of every migration; None for tasks of other kinds, which have an instant each."""
    origin: Instant | None = None
    """The old instant of every task, whose revision is then the last one before it; None: the start of the
    day of each revision's own date."""
    least_stars: int = 1
    repeats: int = 3
    """Runs of the whole suite on each side, each in a fresh sandbox."""
    changed_repeats: int = 10
    """Runs, those of the whole suite included, that a fail-to-pass test has to fail or pass in alike."""
    setup_attempts: int = 8
    """Recipes that are carried out at most to set a candidate up, repairs included."""
    setup_rounds: int = 4
    """Repairs of one recipe (SetupAgent uses as many)."""
    evidence: bool = True
    """Look for a later revision that passes in the new environment."""
    culprits: bool = False
    """Find the release that breaks each task by bisection."""
    test_limits: Limits = field(default_factory=Limits)
    build_limits: Limits = BUILD_LIMITS
    sandbox: str = "bwrap"
    apt: bool = False
    """Apply the Debian packages that recipes ask for."""
    build_network: bool = False
    """Let builds reach the whole network, not only the package index."""
    services: bool = True
    """Start the services that recipes want, where the system of the tests has them."""
    index_url: str = uv.DEFAULT_INDEX

    def __post_init__(self) -> None:
        """Raise InstantError when the origin is not before the target, or a migration has no target."""
        if self.target is None:
            if self.kind == "migration":
                raise InstantError("name the new instant of every task: --to 2025-07-31")
            return
        if self.origin is not None and self.origin >= self.target:
            raise InstantError(
                f"the origin {format_instant(self.origin)} is not before the target "
                f"{format_instant(self.target)}; set them with --from and --to"
            )

    @property
    def new_instant(self) -> Instant:
        """The target of a migration. Raises UsageError for another kind."""
        if self.target is None:
            raise UsageError(f"tasks of the kind {self.kind} have no new instant")
        return self.target

    def settings(self, cache: Path) -> Settings:
        """The plan as settings of checks and set-ups. Proven recipes are not stored: a build must not depend
        on what was built before."""
        return Settings(
            cache=cache,
            sandbox=self.sandbox,
            index_url=self.index_url,
            test_limits=self.test_limits,
            build_limits=self.build_limits,
            store=False,
            apt=self.apt,
            build_network=self.build_network,
            services=self.services,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """Where a worker finds and keeps things: different on every machine, and of no influence on results."""

    cache: Path
    store: str
    """A folder or an fsspec address that all workers reach: kept stages and source trees."""
    repos: Path | None = None
    """Local clones, at OWNER+NAME/repo, OWNER__NAME or NAME; None: clone from where the candidate says."""
    disk_budget_bytes: int | None = None
    """What the environments that this build makes may take on this machine; None: no limit."""
    clones: Path | None = None
    """Where repositories that are cloned are kept until the build is removed; None: they are not kept."""
    crawl: str = ""
    """The name of this build, for sources that keep what they read: see ``GitHubOptions``."""
    tree_bytes: int = 512 * 1024 * 1024
    tree_files: int = 50_000
    clone_timeout_s: float = 600.0


def read_plan(stored: str) -> BuildPlan:
    """The plan that a ledger holds.

    One of an older version lacks newer parameters, whose default is what it did.
    """
    return from_json(BuildPlan, stored.encode(), what="the plan in the ledger")
