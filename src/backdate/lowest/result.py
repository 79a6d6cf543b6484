"""What ``backdate check --lowest`` found: this is the format of its ``--json``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from backdate.checking.asked_command import AskedCommand
from backdate.checking.result import Breakage, Side
from backdate.migrations import Migration, read_result_file
from backdate.projects.project import Origin
from backdate.timeline.instants import Instant

FORMAT = 1
MIGRATIONS: tuple[Migration, ...] = ()


class LowestVerdict(StrEnum):
    """Whether what a project declares at its lowest passes its tests."""

    TRUE = "true"
    """Every test that is good with the newest versions is good with the lowest that are declared."""
    NOT_TRUE = "not-true"
    """Some are not, or the requirements cannot be met on the lowest interpreter."""
    CANNOT_TELL = "cannot-tell"


class LiftedBy(StrEnum):
    """Why a distribution is newer than the lowest version that is declared."""

    REQUIREMENT = "requirement"
    """Another distribution requires more: ``LiftedBound.by`` and ``LiftedBound.requires``."""
    INTERPRETER = "interpreter"
    """The lowest version is not for this interpreter, by its own word."""
    TEST_REQUIREMENTS = "test-requirements"
    """What the tests are installed with does not go with it."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftedBound:
    """Why a declared lower bound was not what was tested."""

    why: LiftedBy
    by: str = ""
    """The distribution that requires more, with its version: "flask 2.3.0"."""
    requires: str = ""
    """What it requires: "werkzeug>=2.3"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredBound:
    """A requirement of the project with a lower bound, and what it got."""

    distribution: str
    """Normalised (PEP 503)."""
    requirement: str
    """As the project declares it."""
    lowest: str
    """The oldest release that it allows, of those on the index; "" where none is."""
    tested: str
    """The release that the lowest environment has."""
    lifted: LiftedBound | None = None
    """Where ``tested`` is newer than ``lowest``: that one was not tested, whatever the tests say."""
    file: str = ""
    """Where it is declared, relative to the project's root; "" where that was not found."""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseBound:
    """A declared lower bound with which tests fail."""

    distribution: str
    requirement: str
    """As the project declares it."""
    fails: str
    """The newest release with which they were seen to fail, the others at the lowest that goes with it."""
    passes: str
    """The oldest release from which on they were seen to pass: the true bound. "" where none was found."""
    true_requirement: str
    """The requirement with that bound: what to write."""
    tests: tuple[str, ...]
    """Ids of the tests that it mends."""
    error_type: str = ""
    error_message: str = ""
    """The error of the first of them."""
    skipped: tuple[str, ...] = ()
    """Releases between the two that could not be installed, and were passed over."""
    together_with: tuple[str, ...] = ()
    """Distributions that had to be newer at the same time."""
    file: str = ""
    line: int = 0

    @property
    def proven(self) -> bool:
        """Whether a run with ``passes`` passed and one with ``fails`` did not."""
        return bool(self.passes and self.fails)


@dataclass(frozen=True, slots=True, kw_only=True)
class FalsePython:
    """An interpreter that the project allows, and on which what it requires cannot be installed."""

    declared: str
    """The range: ">=3.8"."""
    fails: str
    """The newest minor on which it cannot be: "3.8"."""
    passes: str
    """The oldest on which it can, and tests pass."""
    conflict: str
    """What does not fit, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LowestResult:
    """What ``backdate check --lowest`` found."""

    format: int = FORMAT
    kind: Literal["lowest"] = "lowest"
    """What tells this result from those of other commands (``output/stored.py``)."""
    backdate: str
    uv: str
    project: str
    origin: Origin
    verdict: LowestVerdict
    reason: str
    """One sentence for the verdict."""
    instant: Instant
    """The index is as of then."""
    python: str
    """The interpreter of all runs: the lowest minor that is allowed, can be had and works."""
    newest: Side | None
    """With the newest versions that the project allows; None where it could not be tried."""
    lowest: Side | None = None
    """With the lowest; None where these do not resolve."""
    proof: Side | None = None
    """With the true bounds, all together, where some are not true."""
    bounds: tuple[DeclaredBound, ...] = ()
    unbounded: tuple[str, ...] = ()
    """Requirements without any lower bound: they were left at their newest."""
    false_bounds: tuple[FalseBound, ...] = ()
    false_python: FalsePython | None = None
    broke: tuple[Breakage, ...] = ()
    """What fails in ``lowest`` and not in ``newest``, by error."""
    remaining: tuple[str, ...] = ()
    """Tests of these that no bound that was found mends."""
    failing_newest: tuple[str, ...] = ()
    """Tests that fail with the newest versions already: of bounds they say nothing."""
    asked: AskedCommand | None = None
    """What the command line said; None for what the library was asked."""
    conflict: str = ""
    """Why the lowest versions do not resolve, in one line."""
    runs: int = 0
    """Times that the tests were run, or a build was tried."""
    notes: tuple[str, ...] = ()
    started: Instant
    duration_s: float
    folder: Path

    @property
    def lifted(self) -> tuple[DeclaredBound, ...]:
        """The bounds that were not tested, as something lifted them."""
        return tuple(bound for bound in self.bounds if bound.lifted is not None)


def read_lowest_result(path: Path) -> LowestResult:
    """The result in the file at ``path``.

    Raises SourceError when there is no such file, StoredDataError when it is not such a result, NewerFormat
    when a newer version wrote it.
    """
    return read_result_file("check --lowest", LowestResult, path, FORMAT, MIGRATIONS)
