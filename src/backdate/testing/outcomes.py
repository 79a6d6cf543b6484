"""What is known after a suite was run: the outcome of every single test, and how the run ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from backdate.sandboxes.interface import Enforced
from backdate.sandboxes.services.wanted import ServiceRecord
from backdate.testing.integrity import UNKNOWN_INTEGRITY, Integrity


class Outcome(StrEnum):
    """What became of one test."""

    PASSED = "passed"
    FAILED = "failed"
    """The test's own code raised."""
    ERROR = "error"
    """Its set-up or tear-down raised."""
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    """Failed as it said it would."""
    XPASSED = "xpassed"
    """Passed though it said it would fail (and that is not an error for its runner)."""
    CRASHED = "crashed"
    """Started, and the process died before it ended."""
    TIMED_OUT = "timed-out"
    """Started, and the time limit struck before it ended."""
    NOT_COLLECTED = "not-collected"
    """Its file or class could not be collected (the id is the file's or class's)."""

    @property
    def good(self) -> bool:
        """Whether the outcome speaks for the code: it ran and did what was expected."""
        return self in (Outcome.PASSED, Outcome.XFAILED, Outcome.XPASSED)

    @property
    def bad(self) -> bool:
        """Whether the outcome speaks against the code (skipped is neither)."""
        return not self.good and self is not Outcome.SKIPPED


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One entry of a traceback."""

    file: str
    """Relative to the project's root where it lies in it, else absolute as seen in the sandbox."""
    line: int
    function: str
    source: str = ""
    """The line's text, stripped; empty when it could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """One exception of a chain."""

    type: str
    """Qualified name, ``builtins.`` left out: "AttributeError", "numpy.exceptions.AxisError"."""
    message: str
    """``str(exception)``, cut to 4,000 characters."""
    frames: tuple[Frame, ...]
    """Outermost first, without the runner's own before the first one of other code. Of a traceback
    longer than 60 frames the two ends; a frame without a file stands for those left out."""
    link: Literal["", "cause", "context", "member"] = ""
    """How the exception *before* this one in the chain led to it; empty for the first. ``member``: this
    one is an ExceptionGroup (PEP 654) that holds it, and those before it since the last empty link each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The outcome of one test."""

    __test__ = False

    id: str
    """The exact node id (pytest) or dotted id (unittest, Django), with ``#2``, ``#3``, … where ids repeat."""
    outcome: Outcome
    duration_s: float
    raised: tuple[Raised, ...] = ()
    """The chain of exceptions, the first raised first; the last one is what the runner saw."""
    reason: str = ""
    """Why it was skipped or expected to fail, or how it crashed."""
    file: str | None = None
    """The file that defines it, relative to the project's root."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteRun:
    """One run of a suite."""

    __test__ = False

    status: Literal["completed", "no-tests", "crashed", "timeout", "oom", "disk-limit", "broken"]
    """``completed``: the runner said that it was done, whatever the outcomes. ``no-tests``: it was done
    and found none. ``crashed``: the process died. ``broken``: it ended without reaching the tests
    (a bad option, a conftest that does not import, …). The rest name the limit that struck."""
    exit_code: int | None
    signal: int | None
    results: tuple[CaseResult, ...]
    """In the order in which they ran; what could not be collected comes first."""
    trouble: str = ""
    """One paragraph that says why the status is not ``completed``, for people."""
    log_end: str = ""
    """The last lines of the log, where ``trouble`` quotes them."""
    raised: tuple[Raised, ...] = ()
    """For ``broken``: the exception that stopped the runner, when it is known."""
    suspicions: tuple[str, ...] = ()
    """Signs that the report cannot be trusted: "exit status 0 but 3 tests failed", …"""
    runner: str
    """"pytest 7.4.4", "unittest", "django 3.2"."""
    duration_s: float
    peak_memory_bytes: int | None = None
    attempts: int = 1
    """How many processes it took: after a crash the rest of the suite is run without the crasher."""
    enforced: Enforced
    log: Path
    integrity: Integrity = UNKNOWN_INTEGRITY
    """Whether the outcomes came about as they say."""
    services: tuple[ServiceRecord, ...] = ()
    """What its recipe expects to be running, and what became of each."""

    def count(self, outcome: Outcome) -> int:
        """How many tests ended so."""
        return sum(result.outcome is outcome for result in self.results)
