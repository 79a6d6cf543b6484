"""An environment: an interpreter, a lock, and a folder that holds what the lock names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from backdate.environments.incidents import BuildIncident
from backdate.sandboxes.interface import BaseSystem, Mount, Network
from backdate.timeline.instants import Instant

LEFT_BEHIND = ".backdate-left-behind.tar"
"""In the folder of an environment that a script set up: what the script made or changed in the source
tree.
"""

_MOST_NAMED = 5
"""Distributions in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """A CPython that can be run on this machine."""

    version: str
    """Three numbers: "3.8.18"."""
    executable: Path
    """Its own path, links resolved."""
    prefix: Path
    """The folder of the installation (``sys.base_prefix``), which a sandbox has to show."""
    source: Literal["uv", "path", "pyenv", "conda", "download"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterChoice:
    """Which interpreter an instant asks for and which one was taken."""

    wanted: str
    """The release that the rule names: "3.8.7"."""
    reason: str
    """Why: "python_requires >=3.6 in setup.py: latest release in range before 2021-03-01"."""
    interpreter: Interpreter
    note: str | None = None
    """What to know when the interpreter is not the wanted release; None when it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedDistribution:
    """One distribution of a lock."""

    name: str
    """Normalised (PEP 503)."""
    version: str
    hashes: tuple[str, ...] = ()
    """"sha256:…" of every file that may be installed; empty for what does not come from the index."""
    source: str | None = None
    """Where it comes from when that is not the index: "." for the project, a folder in it, a URL."""
    uploaded: Instant | None = None
    """When the release appeared: the first upload time of its files that may be installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutoffOverride:
    """A distribution whose cut was moved, and why (see ``environments/cutoff_overrides.py``)."""

    name: str
    until: Instant
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """What a resolution at an instant gave."""

    instant: Instant
    python: str
    distributions: tuple[LockedDistribution, ...]
    """Sorted by name."""
    cutoff_overrides: tuple[CutoffOverride, ...] = ()
    """Those that were in force and mattered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyLayer:
    """The lower layer of an environment: everything but the project, in a virtual environment of its own.

    Any number of environments share one. The environment on top holds links to what lies here.
    """

    key: str
    """SHA-256 over all its inputs; nothing of the project's tree is among them."""
    root: Path
    reused: bool
    """Whether it was found in the cache when the environment on top was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """A virtual environment that was built whole. Shared between runs: never write into it.

    It behaves as one environment: one ``site-packages``, one ``bin``. On disk it may be two layers, and then
    whoever shows it in a sandbox has to show every folder of ``folders``.
    """

    key: str
    """SHA-256 over all its inputs."""
    root: Path
    choice: InterpreterChoice
    lock: Lock
    build_s: float
    """Seconds that building took, when it was built."""
    reused: bool
    """Whether it was found in the cache this time."""
    log: Path
    installer: str = ""
    """Empty when uv installed it; else who did, and why uv could not: "pip 18.1: …"."""
    base: BaseSystem | None = None
    """The system that it was built in, and has to be used in; None for the sandbox's own."""
    dependencies: DependencyLayer | None = None
    """The layer that ``root`` holds links to; None where everything lies in ``root``."""
    network: Network = "gateway"
    """What the code that ran while it was built reached: "gateway" is the index alone, "on" everything."""

    replaced: tuple[Path, ...] = ()
    """Folders that were kept, had been changed since they were made, and are built again this time."""
    incidents: tuple[BuildIncident, ...] = ()
    """What was seen of its build that came to nothing; also of the builds of what it holds."""
    unconfirmed: tuple[str, ...] | None = None
    """None where its lock names the files that the index lists. Else those of which it does not
    ("pip 23.0"); none of these where the index could not be asked. It is then shared with no other
    project."""

    @property
    def network_note(self) -> str:
        """What to say of the network that its build had; empty when it reached the index alone."""
        return "the code that ran while it was built had the whole network" if self.network == "on" else ""

    @property
    def replacement_note(self) -> str:
        """What to say of the environment that it replaces; empty where that was as it was made."""
        if not self.replaced:
            return ""
        folders = ", ".join(map(str, self.replaced))
        return f"an environment that was kept had been changed since it was made; built again: {folders}"

    @property
    def incident_notes(self) -> tuple[str, ...]:
        """What to say of what its build did that came to nothing."""
        return tuple(incident.text for incident in self.incidents)

    @property
    def lock_note(self) -> str:
        """What to say of a lock that does not agree with the index; empty where it does."""
        return "" if self.unconfirmed is None else unconfirmed_text(self.unconfirmed)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that hold its files: its own, then that of the layer below."""
        return (self.root,) if self.dependencies is None else (self.root, self.dependencies.root)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Every folder that has to be seen, at its own path, where its interpreter runs."""
        return (self.choice.interpreter.prefix, *self.roots)

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What shows every folder of ``folders``, read-only."""
        prefix = self.choice.interpreter.prefix
        own = (Mount(source=one, target=str(one), own=True) for one in self.roots)
        return (Mount(source=prefix, target=str(prefix)), *own)

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.root / "bin" / "python"


def unconfirmed_text(distributions: tuple[str, ...]) -> str:
    """What to say of a lock of whose ``distributions`` the index does not list the files."""
    listed = ", ".join(distributions[:_MOST_NAMED]) + (", …" if len(distributions) > _MOST_NAMED else "")
    why = (
        f"names files that the index does not list ({listed})"
        if listed
        else ("could not be compared with the index")
    )
    return f"the lock {why}: it is installed apart, and what is made of it is shared with no other project"


BuildPhase = Literal["resolve", "install", "timeout", "oom", "disk"]
"""The step in which a build failed, or the limit that it met."""
LimitEvidence = Literal["measured", "told"]
"""Whether backdate measured that a limit was met, or only the build says so, by its output or by how it ends:
that explains a failure, and decides nothing about the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFailure:
    """An environment that could not be built: a value, not an exception."""

    phase: BuildPhase
    message: str
    """The lines of the log that say why."""
    choice: InterpreterChoice
    log: Path
    tried_pip: bool = False
    """Whether a pip released before the instant was tried as well, after uv; ``message`` has both reasons."""
    certain: bool = False
    """Whether another installer would fail alike: a required name is not on the index at the instant, or no
    releases there fit together."""
    refused: tuple[str, ...] = ()
    """Hosts and ports that the build wanted and was not let through to."""
    limit_evidence: LimitEvidence | None = None
    """How it is known that a limit was met; None where ``phase`` names none, and in older results."""
    incidents: tuple[BuildIncident, ...] = ()
    """What was seen of the build that came to nothing."""

    @property
    def incident_notes(self) -> tuple[str, ...]:
        """What to say of what the build did that came to nothing."""
        return tuple(incident.text for incident in self.incidents)


AnswerT = TypeVar("AnswerT", bound=Environment | BuildFailure)


def with_incidents(answer: AnswerT, incidents: Iterable[BuildIncident]) -> AnswerT:
    """``answer`` with these besides its own."""
    return replace(answer, incidents=tuple(dict.fromkeys((*answer.incidents, *incidents))))
