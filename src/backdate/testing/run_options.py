"""What a suite's run is given besides its plan: one value, and the keywords that make it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypedDict

from backdate.progress import NO_PROGRESS, ONLY, Reporter
from backdate.sandboxes.interface import Network
from backdate.sandboxes.services.plan import NO_SERVICES, ServicePlan
from backdate.testing.moved_clock import MovedClock


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How every process of a suite is run and watched, and who hears of it."""

    python_warnings: bool = False
    """Whether the log shows every Python warning, also those that the project ignores or makes errors."""
    witness: bool = False
    """Whether it is looked at whether the body of each passed test ran."""
    case_wall_s: float | None = None
    """A process is killed when a test runs and nothing was heard of any for so many seconds; that test is
    TIMED_OUT. None for no such limit."""
    progress: Reporter = NO_PROGRESS
    """Called from a thread of its own."""
    subject: str = ONLY
    """Of what the progress tells."""
    at: str = "/work/project"
    """Where the tree is seen inside the sandbox."""
    services: ServicePlan = NO_SERVICES
    """Started anew for each process."""
    clock: MovedClock | None = None
    """What the processes take for the time; None for the machine's."""
    network: Network = "off"
    """For users who give it to the tests, which have none by default; so are ``host_variables``."""
    host_variables: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Names and values; the values are written nowhere."""


class RunKeywords(TypedDict, total=False):
    """The fields of ``RunOptions``, as keywords (PEP 692)."""

    python_warnings: bool
    witness: bool
    case_wall_s: float | None
    progress: Reporter
    subject: str
    at: str
    services: ServicePlan
    clock: MovedClock | None
    network: Network
    host_variables: tuple[tuple[str, str], ...]
