"""Executors: what carries jobs out, seen by the driver as a place to hand them to and take answers from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedJob:
    """A job that is over."""

    number: int
    """The one that it was handed in with."""
    answer: bytes | None
    """None: the worker was lost with it."""
    lost: str = ""
    """How."""


class Executor(Protocol):
    """Jobs go in as bytes, answers come out in any order. Used by one thread."""

    @property
    def width(self) -> int:
        """How many jobs are worth having under way now."""
        ...

    def submit(self, number: int, job: bytes) -> None:
        """Take a job."""
        ...

    def collect(self, timeout_s: float) -> tuple[FinishedJob, ...]:
        """What finished, waiting up to ``timeout_s`` for the first."""
        ...

    def close(self, *, at_once: bool) -> None:
        """End; ``at_once`` gives up what is running."""
        ...
