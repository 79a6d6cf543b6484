"""What dotted names are in two environments: present, gone, moved, or with another signature.

The interpreter of each environment runs a small script, in the sandbox and without network, because importing
a library runs its code. The script's output is trusted as little as that code.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import msgspec

from backdate.sandboxes.interface import MIB, Command, Limits, Mount, RunStatus, Sandbox, Workspace
from backdate.serial import decoder_of, to_json

LIMITS = Limits(wall_s=120.0, memory_bytes=4096 * MIB, disk_bytes=256 * MIB)
MOST_NAMES = 200
_LARGEST_ANSWER = 16 * MIB
PROBES = Path(__file__).parent / "probe"
"""The folder of the scripts."""
PROGRAM = PROBES / "backdate_api_probe.py"
"""What runs in an environment that is asked."""
_AT = "/backdate/probe"
_ASKED = "/backdate/asked.json"
_ANSWERS = "/backdate/answers.jsonl"
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_OF_THE_MACHINE = re.compile(
    r"^MemoryError\b|^TimeoutError\b|can't start new thread|\[Errno (?:11|12|23|24|28)\]"
)
"""Lookups that found no memory, no thread, no file handle or no room: they say nothing of the name."""
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")

ProbeRequest = Mapping[str, Sequence[str]]
"""What a script is asked: dotted names, by what is wanted of them."""


class AskedPython(Protocol):
    """What runs the script: an environment, or an interpreter as it is installed."""

    @property
    def python(self) -> Path:
        """Its interpreter."""
        ...

    @property
    def root(self) -> Path:
        """The folder whose ``bin`` comes first."""
        ...

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What shows its files in a sandbox."""
        ...


class ProbeRun(Protocol):
    """Runs a script of ``probe/`` in an environment, as ``run_probe`` does in a process of its own."""

    def __call__(
        self, environment: AskedPython, script: str, request: ProbeRequest, *, limits: Limits
    ) -> tuple[str, bytes]:
        """How it ended, and the lines that it wrote. Raises SandboxUnavailable."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessWarning:
    """A warning that the lookup of a name gave."""

    category: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """What a dotted name is in one environment."""

    name: str
    present: bool
    why: str = ""
    """Why it is not there: the error of the lookup."""
    reached: bool = True
    """Whether attributes lead to it from its top-level package on: not into modules that can be imported and
    that the package does not show ("tensorflow.python" of TensorFlow 2)."""
    kind: str = ""
    """"module", "class", "function" (anything callable) or "value"."""
    module: str = ""
    """Its ``__module__``; for a module its own name."""
    qualified: str = ""
    """Its ``__qualname__`` there."""
    signature: str = ""
    """As ``inspect.signature`` gives it, without annotations; empty when it has none or it cannot be read."""
    parameters: tuple[str, ...] = ()
    """The names of its parameters, with their stars."""
    keywords: tuple[str, ...] = ()
    """The names of keyword arguments that a call takes; of a class also what its base classes take."""
    takes_any: bool = True
    """Whether others are taken as well (``**kwargs``), or it cannot be told."""
    bases: tuple[str, ...] = ()
    """Of a class: those that it is made from, the nearest first, dotted; of builtin ones the names alone."""
    code: tuple[int, ...] = ()
    """The smallest checksums of the names that its code uses; empty for what has none in Python."""
    document: str = ""
    """The first line of its documentation."""
    candidates: tuple[str, ...] = ()
    """Where a missing name was searched: dotted names in the same distribution with the same last part."""
    warnings: tuple[AccessWarning, ...] = ()

    @property
    def home(self) -> str:
        """The dotted name of its definition; empty when it does not name one."""
        return f"{self.module}.{self.qualified}" if self.module and self.qualified else self.module


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiProbe:
    """The answers of one environment."""

    members: tuple[Member, ...]
    """In the order of the question; after a crash or a time-out those that were answered."""
    trouble: str = ""
    """Why not all were answered."""


class NameChange(StrEnum):
    """What changed about a name."""

    SAME = "same"
    GONE = "gone"
    MOVED = "moved"
    """Gone, and probably defined elsewhere: ``moved_to`` says where."""
    SIGNATURE = "signature-changed"
    APPEARED = "appeared"
    NEVER = "in-neither"
    UNKNOWN = "unknown"
    """One of the environments did not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDifference:
    """One name in the old and the new environment."""

    name: str
    change: NameChange
    old: Member | None
    new: Member | None
    moved_to: tuple[str, ...] = ()
    """Where it probably is now, the likeliest first: the name of the old object's definition, then names with
    the same last part. Not proven to behave the same."""
    removed_parameters: tuple[str, ...] = ()
    added_parameters: tuple[str, ...] = ()


def probe(
    sandbox: Sandbox,
    environment: AskedPython,
    names: Sequence[str],
    *,
    also: Sequence[str] = (),
    searched: Collection[str] | None = None,
    limits: Limits = LIMITS,
    by: ProbeRun | None = None,
) -> ApiProbe:
    """What each of ``names`` (dotted, with their module; at most ``MOST_NAMES``) is in ``environment``.

    Candidates for a missing name are searched below its top-level package and those of ``also``, which takes
    minutes in a large library: for all of ``names``, or only for those that ``searched`` holds. Text that is
    no dotted name is reported as not present, and a name whose lookup found no room on the machine is not
    answered. ``by``: what runs the script, else ``run_probe``. Raises SandboxUnavailable.
    """
    asked_names = tuple(dict.fromkeys(names))[:MOST_NAMES]
    valid = [name for name in asked_names if is_dotted(name)]
    wanted = valid if searched is None else [name for name in valid if name in searched]
    request = {"names": valid, "also": list(also), "searched": wanted}
    status, data = (by or partial(run_probe, sandbox))(environment, PROGRAM.name, request, limits=limits)
    members = _read(data)
    trouble = ""
    if any(name not in members for name in valid):
        status = "the process ended early" if status == RunStatus.EXITED.value else status
        trouble = f"the environment did not answer for every name: {status}"
    for name in asked_names:
        if name not in valid:
            members[name] = Member(name=name, present=False, why="no name")
    return ApiProbe(members=tuple(members[name] for name in asked_names if name in members), trouble=trouble)


def is_dotted(name: str) -> bool:
    """Whether a text is a dotted name."""
    return _DOTTED.fullmatch(name) is not None


def run_probe(
    sandbox: Sandbox,
    environment: AskedPython,
    script: str,
    request: ProbeRequest,
    *,
    limits: Limits = LIMITS,
) -> tuple[str, bytes]:
    """How a script of ``probe/`` ended in ``environment``, and the lines that it wrote.

    Whatever it wrote is text of a stranger. Raises SandboxUnavailable.
    """
    with tempfile.TemporaryDirectory(prefix="backdate-probe-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        asked, answers = folder / "asked.json", folder / "answers.jsonl"
        asked.write_bytes(to_json(request))
        asked.chmod(0o644)
        answers.touch(mode=0o600)
        command = _command(environment, script, limits)
        run = sandbox.run(command, _workspace(environment, asked, answers), log=folder / "probe.log")
        with answers.open("rb") as file:
            return run.status.value, file.read(_LARGEST_ANSWER)


def _command(environment: AskedPython, script: str, limits: Limits) -> Command:
    return Command(
        argv=(str(environment.python), f"{_AT}/{script}", _ASKED, _ANSWERS),
        cwd="/tmp",  # noqa: S108 - private to the sandbox
        env={
            "PATH": f"{environment.root / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "MPLBACKEND": "Agg",
        },
        limits=limits,
    )


def _workspace(environment: AskedPython, asked: Path, answers: Path) -> Workspace:
    return Workspace(
        mounts=(
            *(mount for mount in environment.mounts if not mount.source.is_relative_to("/usr")),
            Mount(source=PROBES, target=_AT),
            Mount(source=asked, target=_ASKED),
            Mount(source=answers, target=_ANSWERS, writable=True),
        )
    )


def _read(data: bytes) -> dict[str, Member]:
    members: dict[str, Member] = {}
    decoder = decoder_of(Member)
    for line in data.splitlines():
        try:
            member = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue  # cut off, or written by code that the library's import started
        if member.present or _OF_THE_MACHINE.search(member.why) is None:
            members.setdefault(member.name, member)
    return members


def compare_members(old: ApiProbe, new: ApiProbe) -> tuple[ApiDifference, ...]:
    """What changed about each name, in the order of the question."""
    before = {member.name: member for member in old.members}
    after = {member.name: member for member in new.members}
    return tuple(_difference(name, before, after) for name in dict.fromkeys((*before, *after)))


def _difference(name: str, before: Mapping[str, Member], after: Mapping[str, Member]) -> ApiDifference:
    old, new = before.get(name), after.get(name)
    if old is None or new is None:
        return ApiDifference(name=name, change=NameChange.UNKNOWN, old=old, new=new)
    if not old.present or not new.present:
        targets = _targets(old, new, after)
        if old.present:
            change = NameChange.MOVED if targets else NameChange.GONE
        else:
            change = NameChange.APPEARED if new.present else NameChange.NEVER
        moved = targets if change is NameChange.MOVED else ()
        return ApiDifference(name=name, change=change, old=old, new=new, moved_to=moved)
    removed = tuple(parameter for parameter in old.parameters if parameter not in new.parameters)
    added = tuple(parameter for parameter in new.parameters if parameter not in old.parameters)
    comparable = bool(old.signature and new.signature)
    # also when a parameter lost its default, or got another one
    differs = _ADDRESS.sub("", old.signature) != _ADDRESS.sub("", new.signature)
    change = NameChange.SIGNATURE if comparable and differs else NameChange.SAME
    return ApiDifference(
        name=name,
        change=change,
        old=old,
        new=new,
        removed_parameters=removed if comparable else (),
        added_parameters=added if comparable else (),
    )


def _targets(old: Member, new: Member, after: Mapping[str, Member]) -> tuple[str, ...]:
    """Where a missing object may be: first the name of its definition, if the new environment has it."""
    home = after.get(old.home)
    own = [old.home] if home is not None and home.present and old.home != old.name else []
    return tuple(dict.fromkeys((*own, *new.candidates)))


def ask_both(
    sandbox: Sandbox,
    old: AskedPython,
    new: AskedPython,
    names: Sequence[str],
    *,
    limits: Limits = LIMITS,
    known: Mapping[str, Member] = MappingProxyType({}),
) -> tuple[ApiDifference, ...]:
    """Probe ``names`` in both environments, and in the new one also the names of the old definitions.

    Only what the old one has is searched in the new one: of what it lacks nobody asks where it went.
    ``known``: answers of the old environment from before; it is probed again only when they lack some of
    ``names``. Raises SandboxUnavailable.
    """
    if all(name in known for name in names):
        before = ApiProbe(members=tuple(known[name] for name in dict.fromkeys(names)))
    else:
        before = probe(sandbox, old, names, searched=(), limits=limits)
    there = [member for member in before.members if member.present]
    homes = [member.home for member in there if member.home]
    tops = tuple(dict.fromkeys(home.partition(".")[0] for home in homes))
    searched = {member.name for member in there}
    after = probe(sandbox, new, [*names, *homes], also=tops, searched=searched, limits=limits)
    asked = set(names)
    return tuple(difference for difference in compare_members(before, after) if difference.name in asked)
