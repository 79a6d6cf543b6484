"""Where else an environment knows an object, and what its modules and classes hold.

As in ``api.py`` the environment's own interpreter answers, in the sandbox, and is trusted as little.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec

from backdate.diagnosis.api import LIMITS, ProbeRun, is_dotted, run_probe
from backdate.editing.python_source import parsed_or_none
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.serial import decoder_of

MOST_ASKED = 60
_LONGEST_DEFINITION = 6000
_DELEGATE = re.compile(r"(?:\{self\}|[A-Za-z]\w{0,80})(?:\.[A-Za-z]\w{0,80}(?:\(\))?){1,8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedMember:
    """What a module or a class holds by one name."""

    name: str
    kind: str
    """As in ``Member``."""
    module: str = ""
    qualified: str = ""
    parameters: tuple[str, ...] = ()
    document: str = ""
    """The first line of its documentation."""
    code: tuple[int, ...] = ()
    """As in ``Member``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MovableDefinition:
    """What defines a function, class or constant elsewhere. Of its text only the shape is checked."""

    parts: tuple[tuple[str, str], ...]
    """Each name that is bound and the text that binds it; the function's own last."""
    imports: tuple[tuple[str, str, str], ...] = ()
    """Each statement, the name that it binds, and what that stands for, dotted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    """What one environment says of some names and of some modules and classes."""

    aliases: dict[str, tuple[str, ...]]
    """By name, the public dotted names of the same object in what is imported then."""
    documents: dict[str, str]
    """By name, its documentation."""
    members: dict[str, tuple[OwnedMember, ...]]
    """By module or class, its public members."""
    delegates: dict[str, str] = field(default_factory=dict)
    """By name of a function, what it only calls, with all that it is given: "{self}.tree().stage"."""
    delegate_homes: dict[str, str] = field(default_factory=dict)
    """By the same names, where what is called through another object is defined: "lib.work.Tree.stage"."""
    definitions: dict[str, MovableDefinition] = field(default_factory=dict)
    """By name of a function, class or constant that needs little else, what defines it."""


class _ProbeLine(msgspec.Struct, kw_only=True):
    name: str = ""
    aliases: tuple[str, ...] = ()
    document: str = ""
    delegate: str = ""
    delegate_home: str = ""
    definition: MovableDefinition | None = None
    owner: str = ""
    members: tuple[OwnedMember, ...] = ()


def find_homes(
    sandbox: Sandbox,
    environment: Environment,
    *,
    names: Sequence[str] = (),
    owners: Sequence[str] = (),
    also: Sequence[str] = (),
    limits: Limits = LIMITS,
    by: ProbeRun | None = None,
) -> Homes:
    """The aliases of ``names`` and the members of ``owners`` in ``environment``, once ``also`` is imported.

    What it does not answer is left out. ``by``: as for ``api.probe``. Raises SandboxUnavailable.
    """
    request = {
        key: [name for name in dict.fromkeys(asked) if is_dotted(name)][:MOST_ASKED]
        for key, asked in (("names", names), ("owners", owners), ("also", also))
    }
    run = by or partial(run_probe, sandbox)
    return read_homes(run(environment, "backdate_home_probe.py", request, limits=limits)[1])


def read_homes(data: bytes) -> Homes:
    """The answers in what a probe wrote; of lines about the same the first counts."""
    found = Homes(aliases={}, documents={}, members={})
    decoder = decoder_of(_ProbeLine)
    for raw in data.splitlines():
        try:
            line = decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue  # cut off, or written by code that an import started
        if line.owner:
            found.members.setdefault(line.owner, line.members)
        elif line.name:
            found.aliases.setdefault(line.name, tuple(name for name in line.aliases if is_dotted(name)))
            found.documents.setdefault(line.name, line.document)
            if line.definition is not None and _is_definition(line.definition):
                found.definitions.setdefault(line.name, line.definition)
            if _DELEGATE.fullmatch(line.delegate):
                found.delegates.setdefault(line.name, line.delegate)
                if is_dotted(line.delegate_home):
                    found.delegate_homes.setdefault(line.name, line.delegate_home)
    return found


def _is_definition(definition: MovableDefinition) -> bool:
    """Whether each part is one statement that binds its name, and each import is what it is said to be."""
    if not definition.parts or sum(len(text) for _, text in definition.parts) > _LONGEST_DEFINITION:
        return False
    return all(_binds(text) == name for name, text in definition.parts) and all(
        is_dotted(dotted) and _imports(statement) == (local, dotted)
        for statement, local, dotted in definition.imports
    )


def _binds(text: str) -> str:
    """The one name that the one statement in ``text`` binds; "" for anything else."""
    tree = parsed_or_none(text)
    if tree is None or len(tree.body) != 1:
        return ""
    match tree.body[0]:
        case ast.FunctionDef(name=name, decorator_list=[]) | ast.ClassDef(name=name, decorator_list=[]):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name
        case _:
            return ""


def _imports(text: str) -> tuple[str, str]:
    """The name that the one import in ``text`` binds, and what that stands for; empty for anything else."""
    tree = parsed_or_none(text)
    match tree.body if tree is not None else []:
        case [ast.Import(names=[one])]:
            return one.asname or one.name, one.name
        case [ast.ImportFrom(module=str(module), names=[one], level=0)]:
            return one.asname or one.name, f"{module}.{one.name}"
        case _:
            return "", ""
