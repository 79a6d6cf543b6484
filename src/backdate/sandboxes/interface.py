"""Running one command in isolation: the types that all sandboxes share.

A command and a workspace go in, a :class:`RunResult` and a log file come out, and no process of the tree
is left. A limit that was hit (time, memory, disk) is a status with a name, never an exception. A
protection that is not available raises ``SandboxUnavailable`` *before* anything runs; there is no fallback.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

MIB = 1024 * 1024
UNSAFE_LOCAL = "unsafe-local"
"""The name of the sandbox that isolates nothing."""


class RunStatus(StrEnum):
    """How a run ended."""

    EXITED = "exited"
    """The command ended by itself, or by a signal that no limit sent (see ``signal``)."""
    TIMEOUT = "timeout"
    """Killed after ``Limits.wall_s``, or when ``Command.stop`` was set."""
    OOM = "oom"
    """Killed by, or died from, the memory limit."""
    DISK_LIMIT = "disk-limit"
    """Killed because it wrote more than ``Limits.disk_bytes``."""
    SANDBOX_ERROR = "sandbox-error"
    """The sandbox itself did not start; the log says why."""


Network = Literal["off", "gateway", "on"]
"""What a command reaches: its own loopback interface; besides that, at a socket among its mounts, what a
:class:`backdate.sandboxes.gateway.Gateway` lets through; or all that this machine reaches."""


class SecretUse(StrEnum):
    """What became of a command's secret."""

    NONE = "none"
    """It was not handed any."""
    UNREAD = "unread"
    READ = "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The resources that one run may use. ``None`` means no limit."""

    wall_s: float = 600.0
    """Seconds of wall time."""
    memory_bytes: int | None = 4096 * MIB
    """Memory of the whole process tree where a cgroup is available, else address space per process."""
    processes: int | None = 512
    """Processes and threads alive at one time."""
    disk_bytes: int | None = 4096 * MIB
    """Bytes in the private copy of the tree, in /tmp, the home, and all writable mounts together."""
    log_bytes: int = 64 * MIB
    """Of standard output and error (merged) the first and last half of this many bytes are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A path of the host, seen inside at ``target`` (absolute)."""

    source: Path
    target: str
    writable: bool = False
    own: bool = False
    """Whether backdate made ``source``, in a place that foreign code may have written to: then it has to be
    readable as it is and no link, or the run is refused. Other sources may be links, and what the command's
    user could not read of them is copied for it.
    """
    changes: Path | None = None
    """A folder of ours for what the command changes below ``target``: ``source`` itself is only read.

    Where the sandbox or the system has no such views the command sees an empty folder at first. Commands with
    the same ``changes`` see what the others changed. Without a sandbox that isolates files ``source`` is
    written.
    """
    counted: bool = True
    """Whether what lies in a writable place counts for ``Limits.disk_bytes``: not for a shared store, to
    which only trusted programs write.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSystem:
    """Programs and libraries that a command sees instead of those it would see by default.

    Made by :class:`backdate.sandboxes.bases.Bases`, for one sandbox.
    """

    sandbox: Literal["bwrap", "docker"]
    """Which sandbox can show it."""
    place: str
    """For bubblewrap the folder that holds it, for Docker the id of an image."""
    key: str
    """Digest of its inputs: part of the key of everything that is built in it."""
    packages: tuple[str, ...]
    """The Debian packages that were asked for, besides the base's own; sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """The files a command sees besides a read-only base system (/usr, /lib, /bin, … and /etc).

    The command gets a private writable copy of ``tree`` at ``at``, which is gone afterwards; the
    tree itself is never written. Links in it are copied as links, never followed. ``/tmp`` and
    ``$HOME`` are private and empty. A mount below another
    mount's target is applied after it.
    """

    tree: Path | None = None
    at: str = "/work/project"
    mounts: tuple[Mount, ...] = ()
    base: BaseSystem | None = None
    """None for the sandbox's own: this machine's system, or Docker's configured image."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command. ``argv[0]`` is looked up on the PATH of ``env`` unless it is absolute.

    ``env`` is the whole environment (nothing is inherited); the sandbox adds HOME and TMPDIR
    unless ``env`` has them. Standard input is empty.
    """

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str] = field(default_factory=dict)
    network: Network = "off"
    limits: Limits = field(default_factory=Limits)
    secret: bytes | None = field(default=None, repr=False)
    """At most 4,096 bytes that the command can read once, from a pipe (``secret.py``)."""
    ends_left_behind: bool = False
    """Whether what builds leave behind is ended when their installer waits for it (``left_behind.py``)."""
    stop: threading.Event | None = field(default=None, repr=False, compare=False)
    """Another thread sets it to end the run, as ``Limits.wall_s`` does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforced:
    """The protections that were in force during a run (reported with every result)."""

    sandbox: str
    """"bwrap", "docker" or "unsafe-local"."""
    memory: Literal["tree", "per-process", "none"]
    processes: Literal["tree", "per-user", "none"]
    disk: Literal["hard", "watched", "none"]
    """"hard": the write fails; "watched": usage is polled and the run killed."""
    network: Network
    files: Literal["isolated", "none"]
    """"isolated": only the workspace is visible and only what is writable in it can be written."""
    seccomp: Literal["on", "off"]
    """"on": the calls of ``seccomp.py`` fail, so no process could trace another or read its memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a run ended and what it cost."""

    status: RunStatus
    exit_code: int | None
    """The command's exit code; None when it was killed (by us or by a signal)."""
    signal: int | None
    """The signal that ended the command by itself, for example 11; None otherwise. SIGXFSZ besides the status
    DISK_LIMIT where one file met the limit, or the command's own processes sent it."""
    duration_s: float
    peak_memory_bytes: int | None
    """Of the whole process tree where a cgroup counts it, else of the largest process; None when unknown."""
    dropped_log_bytes: int
    """How much output was left out of the middle of the log."""
    enforced: Enforced
    secret_use: SecretUse = SecretUse.NONE
    """Whether the command was handed its secret, and whether anything read it."""
    left_behind: int = 0
    """Processes that the command left when it ended, or that held it up, and that were ended; looked for
    where ``Command.ends_left_behind``."""

    @property
    def ok(self) -> bool:
        """Whether the command ended by itself with status 0."""
        return self.status is RunStatus.EXITED and self.exit_code == 0

    @property
    def limit_measured(self) -> bool:
        """Whether a limit ended the run that was measured from outside: no process of it can pretend that."""
        return self.status in (RunStatus.TIMEOUT, RunStatus.OOM, RunStatus.DISK_LIMIT) and self.signal is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capability:
    """One line of ``backdate doctor``."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    """What to run or do to get it; empty when ``ok``."""
    needed: bool = True
    """Whether the machine lacks something when it is not ``ok``; False for what only some projects need."""


class Sandbox(Protocol):
    """One way to run commands isolated."""

    name: str

    def probe(self) -> tuple[Capability, ...]:
        """What this sandbox can provide on this machine, found by running canaries."""
        ...

    def require(self) -> None:
        """Raise SandboxUnavailable, saying what to do, unless this sandbox can provide its protections."""
        ...

    def base_key(self) -> str | None:
        """The system that commands see by default instead of this machine's; part of every build's key.

        None for this machine's own system. Raises SandboxUnavailable.
        """
        ...

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command`` and write its output to ``log``.

        Raises SandboxUnavailable when a protection is not available. An exception in the calling
        thread (KeyboardInterrupt included) ends the whole process tree before it propagates.
        """
        ...
