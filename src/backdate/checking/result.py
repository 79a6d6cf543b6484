"""The result of a check: everything that is needed to read it, to repeat it, and to print it again.

This is the format of ``--json``, described for its readers in ``docs/reference/result.md``. ``format`` is
raised when a field changes its meaning or goes away; new fields may come at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from backdate.advice import NO_ADVICE, Advice
from backdate.checking.question import Question
from backdate.checking.repeated import NOT_REPEATED, RepeatedTests
from backdate.checking.start_instant import StartInstant
from backdate.environments.environment import BuildFailure, Environment, InterpreterChoice
from backdate.migrations import (
    INSTALLER,
    LOCKS_AND_RECIPES_OF_FORMAT_1,
    Migration,
    from_before_builds_were_closed,
    read_result_file,
)
from backdate.projects.project import Origin
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.changed_tests.audit_result import SuiteAudit
from backdate.testing.outcomes import Frame, SuiteRun
from backdate.text import minor_version
from backdate.timeline.instants import Instant

FORMAT = 7
MIGRATIONS = (
    Migration(to_format=2, renames=LOCKS_AND_RECIPES_OF_FORMAT_1),
    Migration(to_format=3, change=from_before_builds_were_closed),
    Migration(to_format=4),  # a result may hold an audit
    Migration(to_format=5, renames=INSTALLER),
    Migration(to_format=6),  # one verdict more, which no older result has
    Migration(to_format=7),  # a result may hold advice
)


class Verdict(StrEnum):
    """What a check found."""

    NOTHING_BROKE = "nothing-broke"
    BROKE = "broke"
    FAILS_DIFFERENTLY = "fails-differently"
    """All that passed still passes, but tests fail now as they did not before: with another error, or after
    they had been skipped or not been there. A breakage may hide behind an older failure."""
    CANNOT_TELL = "cannot-tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """What stood in the way of a side: it has no environment, no test passes, or its run did not end well."""

    error: ErrorClass
    line: str
    """The error, in one line of the log."""
    help: str
    """What to try, in one sentence."""
    log: Path
    own_build: bool = False
    """Whether the project itself does not build, rather than something that it requires."""
    unbuilt: str = ""
    """The requirement that does not build, with its version, for a reason that may lie in the interpreter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two instants: what was built there and what its tests said."""

    instant: Instant
    choice: InterpreterChoice
    recipe: Recipe
    compromise: str = ""
    """What of the first recipe was given up or repaired, and why; empty when nothing was."""
    environment: Environment | None = None
    failure: BuildFailure | None = None
    """Why there is no environment."""
    run: SuiteRun | None = None
    obstacle: Obstacle | None = None
    """None where tests pass and the run ended well, and in results of before format 6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageChange:
    """One distribution that differs between the two environments."""

    name: str
    old: str | None
    """Its version then; None when it was not there."""
    new: str | None
    released: Instant | None = None
    """When the new version appeared."""

    @property
    def kind(self) -> Literal["added", "removed", "updated"]:
        """What became of it."""
        if self.old is None:
            return "added"
        return "removed" if self.new is None else "updated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakage:
    """Tests that fail in the new environment with one error."""

    type: str
    """The exception's qualified name, or "crashed", "timed out", …"""
    message: str
    """The first line of its message."""
    places: tuple[Frame, ...]
    """Lines of the project at which it surfaced, the most frequent first."""
    tests: tuple[str, ...]
    """The tests of the old side that broke with it; of ``new_failures`` those of the new side."""
    lint: str = ""
    """The linter or type checker that these items run; empty for tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorChange:
    """Tests that fail on both sides, with one error on the old one and another on the new one."""

    old_type: str
    old_message: str
    type: str
    """The error of the new side, as of a ``Breakage``."""
    message: str
    places: tuple[Frame, ...]
    """Where the error of the new side surfaced in the project, the most frequent first."""
    tests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The tests of the old side against those of the new one, by id."""

    broke: tuple[str, ...]
    """Good in the old environment, and bad, not collected or never reached in the new one."""
    fixed: tuple[str, ...]
    """Bad in the old environment, good in the new one."""
    still_good: int
    still_bad: int
    """Bad in both environments; those of ``error_changes`` are among them where the test is known to both."""
    skipped_now: tuple[str, ...]
    """Good in the old environment, skipped in the new one."""
    vanished: tuple[str, ...]
    """Good in the old environment, and unknown to a new side that collected their file without trouble."""
    appeared: int
    """Known to the new side alone."""
    breakages: tuple[Breakage, ...]
    """``broke`` by error, the largest group first."""
    error_changes: tuple[ErrorChange, ...] = ()
    """Bad in both environments with different errors, the largest group first. A test whose file could not be
    collected in the old environment counts with the error of that."""
    new_failures: tuple[Breakage, ...] = ()
    """Bad in the new environment, and skipped or unknown in the old one, by error."""
    flaky: tuple[str, ...] = ()
    """Broke, and changed when they were run again: in none of the other fields but the next."""
    fails_each_time: tuple[str, ...] = ()
    """Those of ``flaky`` that changed in the old environment alone and failed in each run of the new one:
    whether an update broke them is open."""
    time_bound: tuple[str, ...] = ()
    """Bad in both environments, and good in the old one with its clock at the old instant: in none of the
    other fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderPython:
    """The new side with the interpreter of the old one."""

    side: Side
    comparison: Comparison | None
    """With the old side; None where it does not build either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenPlugin:
    """A plugin of pytest with which no test of the new side is good, and that side without it."""

    name: str
    """That of its entry point."""
    distribution: str
    line: str
    """Its error, in one line."""
    side: Side
    comparison: Comparison
    """With the old side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenTools:
    """Test tools of the new instant that break before they reach the project's code; no user gets them."""

    tools: str
    """For people: "setuptools 80.9.0 on Python 3.12"."""
    line: str
    """Their error, in one line."""
    instead: tuple[str, ...] = ()
    """The versions with which the new side was run, as requirements; none where nothing helped."""
    newer: bool = False
    """Whether these are newer than the project's files pin them; else they are those of the old side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAudit:
    """Whether the tests of one side assert something (``check --audit``)."""

    side: Literal["old", "new"] | None = None
    """The side that was audited: the old one where tests pass there. None when none pass on either."""
    suite: SuiteAudit | None = None
    problem: str = ""
    """Why there is no audit, or how a run of changed tests ended other than well."""
    duration_s: float = 0.0
    """Of the runs of changed tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """What ``backdate check`` found."""

    format: int = FORMAT
    kind: Literal["check"] = "check"
    """What tells this result from those of other commands (``output/stored.py``)."""
    backdate: str
    """The version that made this."""
    uv: str
    project: str
    origin: Origin
    question: Question = Question.LIFTED
    """What the new side is. Results of before there were two questions are lifted ones."""
    verdict: Verdict
    reason: str
    """One sentence for the verdict."""
    old: Side
    new: Side
    changes: tuple[PackageChange, ...]
    comparison: Comparison | None
    older_python: OlderPython | None = None
    """Tried where the project itself or a requirement does not build on the new side, and the interpreters
    differ."""
    broken_plugin: BrokenPlugin | None = None
    """Tried where a plugin of pytest hides what the tests of the new side say."""
    broken_tools: BrokenTools | None = None
    """Looked for where the question is what users get. None where tests reach the project's code."""
    repeated: RepeatedTests = NOT_REPEATED
    """What came of running tests again. Results of before did not."""
    unpinning: str
    """The patch that loosened pins and upper bounds for the new side; empty when there were none."""
    set_aside: tuple[str, ...] = ()
    """Lock files that the new side did not see."""
    not_loosened: tuple[str, ...] = ()
    """Requirements that could not be loosened, each with its place and why."""
    notes: tuple[str, ...] = ()
    """What a reader has to know: substitutes, cutoff overrides, suspicions."""
    start: StartInstant | None = None
    """Where the old side lies in time, and why there. None in results of older versions."""
    audit: CheckAudit | None = None
    """None when none was asked for."""
    advice: Advice = NO_ADVICE
    """What to write instead of what is gone, where the errors or the knowledge tables say so. What works for
    now is told by a bisection."""
    started: Instant
    duration_s: float
    folder: Path
    """Where logs, patch and event files are."""

    @property
    def moved_python(self) -> tuple[str, str] | None:
        """The minors of the interpreter then and now, where they differ: ``("3.8", "3.9")``."""
        old, new = (minor_version(side.choice.interpreter.version) for side in (self.old, self.new))
        return None if old == new else (old, new)


def read_result(path: Path) -> CheckResult:
    """The check's result in the file at ``path``, of this version or an older one.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    return read_result_file("check", CheckResult, path, FORMAT, MIGRATIONS)
