"""Running snippets: what is run, what came of it, and who runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from backdate.snippets.snippet import Harness, SnippetSide


class ProgramEnd(StrEnum):
    """How a run ended."""

    FINISHED = "finished"
    """All cases were called, or the script ended; what they raised is in the cases."""
    LOAD_ERROR = "load-error"
    """The code did not parse, could not be imported, or has no such entry point."""
    TIMED_OUT = "timed-out"
    MEMORY = "memory"
    OUTPUT = "output"
    """It printed more than is kept."""
    CRASHED = "crashed"
    """The process ended before its end."""
    NO_ENVIRONMENT = "no-environment"
    """There is none with these versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseOutcome:
    """What one case gave; of a script, which is one case, what it raised."""

    printed: str = ""
    """What was printed while it ran."""
    value: str = ""
    """``str`` of what the entry point gave, as the published harnesses print it, without addresses."""
    kind: str = ""
    """The type's name of what it gave."""
    error: str = ""
    """The type's name of what it raised; empty when it raised nothing."""
    message: str = ""
    lines: tuple[int, ...] = ()
    """The lines of the code that the error came through, the innermost last."""
    warnings: tuple[str, ...] = ()
    """"DeprecationWarning: …", each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetProgram:
    """One thing to run."""

    id: str
    code: str
    """A whole module."""
    entry: str
    harness: Harness


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRun:
    """What came of it."""

    id: str
    end: ProgramEnd
    detail: str = ""
    """For a load error the error; else what a person wants to know, in one line."""
    cases: tuple[CaseOutcome, ...] = ()
    """As many as were begun."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """Of one program."""

    wall_s: float = 10.0
    memory_bytes: int = 4096 * 1024 * 1024
    output_bytes: int = 1024 * 1024


DEFAULT_LIMITS = ProgramLimits()


class ProgramRunner(Protocol):
    """Runs programs in environments by version. Safe to share between threads.

    Programs of one call share a warm process, from which each is forked; those of different calls only where
    the runner was made to keep its processes.
    Nothing that a program does reaches another's outcome, nor the host.
    """

    def run(
        self, side: SnippetSide, programs: Sequence[SnippetProgram], limits: ProgramLimits = DEFAULT_LIMITS
    ) -> Iterator[ProgramRun]:
        """Run each in the environment of ``side``, seeds fixed; one answer for each, in their order.

        Raises SandboxUnavailable and IndexUnavailable; an environment that cannot be made is an answer.
        """
        ...
