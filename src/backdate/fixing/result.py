"""The result of a fix: made by ``fix.py``, printed by the command line, kept as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from backdate.checking.asked_command import AskedCommand
from backdate.checking.result import FORMAT, MIGRATIONS, Breakage, CheckResult
from backdate.errors import NewerFormat, StoredDataError
from backdate.migrations import StoredFormat, migrate, read_result_bytes
from backdate.serial import from_json, to_json
from backdate.solvers.reasons import CaughtError, HunkReason
from backdate.solvers.records import SolverUsage

FIX_FORMAT = 1
BUILD = "the project's own build"
"""What stands in the place of a test's name where a line was changed so that the project builds."""


class FixOutcome(StrEnum):
    """What came of a fix."""

    FIXED = "fixed"
    """Every test that broke passes again, and none that passed fails."""
    PARTLY = "partly"
    """The patch makes tests pass again, or takes errors away, and others remain."""
    NOT_FIXED = "not-fixed"
    """Something broke, and there is no patch for it."""
    NOTHING_BROKE = "nothing-broke"
    CANNOT_TELL = "cannot-tell"
    """There is nothing to work on: the check itself has no answer, or the new side does not build. Also where
    all that passed still passes and tests fail that did not fail so before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanwhileLimit:
    """What a person can write for now where a breakage remains."""

    requirement: str
    """"numpy<2"."""
    because: str
    """What it rests on, in a sentence. Nobody tried it: ``backdate bisect`` does."""
    tests: int
    """Tests that the breakage is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFile:
    """A file that the patch changes."""

    path: str
    before: str
    """SHA-256 of its bytes as they were read."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    """What ``backdate fix`` found."""

    format: int = FIX_FORMAT
    kind: Literal["fix"] = "fix"
    """What tells this result from those of other commands (``output/stored.py``)."""
    backdate: str
    check: CheckResult
    """What broke, before anything was changed."""
    solver: str
    outcome: FixOutcome
    reason: str
    """One sentence for the outcome."""
    patch: str = ""
    """Of the project's own files (``patch -p0``); "" for none."""
    reasons: tuple[HunkReason, ...] = ()
    """Why each line of it is changed, in its order; none for what a model wrote."""
    undo: str = ""
    """The patch that takes it back."""
    files: tuple[ChangedFile, ...] = ()
    passing: int = 0
    """Of the tests that broke those that pass in the end."""
    lost: int = 0
    """Tests that were good without the patch alone."""
    elsewhere: str = ""
    """With the scope ``thorough``: after the patch, the same names where no failing test ran them."""
    requirements: str = ""
    """A patch that declares missing requirements, for people; no part of ``patch``."""
    missing: tuple[str, ...] = ()
    """These requirements: "six"."""
    given: tuple[str, ...] = ()
    """Those of them with which the tests ran in the end."""
    remaining: tuple[Breakage, ...] = ()
    """What is still broken with the patch, by error."""
    caught: tuple[CaughtError, ...] = ()
    """What those tests meet on the way that something catches, and the old environment does not raise."""
    held_back: tuple[MeanwhileLimit, ...] = ()
    """What to write for it meanwhile."""
    detail: str = ""
    """What the solver said of its end."""
    runs: int = 0
    """Of the new side's tests, the check's and the last one included."""
    side_runs: int = 0
    """Of the old side's tests, beside the check's."""
    usage: SolverUsage = field(default_factory=SolverUsage)
    """Of a model."""
    duration_s: float = 0.0
    own_s: float = 0.0
    """Of the solver's time, what was neither a model nor a test run nor a build."""
    asked: AskedCommand | None = None
    """What the command line said; None for what the library was asked."""


def read_fix_result(path: Path) -> FixResult:
    """The fix's result in the file at ``path``; its check may be of an older format.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    data = read_result_bytes(path)
    document = from_json(dict[str, Any], data, what=str(path))
    check = document.get("check")
    written_as = from_json(StoredFormat, data, what=str(path)).format
    of_check = from_json(StoredFormat, to_json(check), what=f"the check in {path}").format
    if written_as > FIX_FORMAT or of_check > FORMAT:
        raise NewerFormat(f"{path} was written by a newer version: update backdate")
    if isinstance(check, dict) and of_check < FORMAT:
        try:
            changed = migrate(check, MIGRATIONS, from_format=of_check)
            data = to_json({**document, "check": {**changed, "format": FORMAT}})
        except RecursionError as error:
            raise StoredDataError(f"{path} cannot be read: it is nested too deep") from error
    return from_json(FixResult, data, what=str(path))
