"""Proof of mined rows of the standard library: the interpreters of this machine are asked."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from backdate.checking.resources import Resources
from backdate.diagnosis.api import MOST_NAMES, Member, probe
from backdate.knowledge.change_rows import ChangeRow, ChangesFile
from backdate.mining.prove import HAS_IT, names_to_ask, proven_rows
from backdate.mining.typeshed import Minor
from backdate.sandboxes.interface import Mount
from backdate.text import version_numbers

Ask = Callable[[Minor, Sequence[str]], Mapping[str, Member]]
"""What the interpreter of a minor version says of names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPython:
    """An interpreter as it is installed, without an environment."""

    python: Path
    root: Path

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What shows its files in a sandbox."""
        return (Mount(source=self.root, target=str(self.root)),)


def prove_standard_library(resources: Resources, file: ChangesFile) -> ChangesFile:
    """``file`` with its rows proven as far as interpreters from before and after say so.

    Raises SandboxUnavailable.
    """
    pythons = installed_pythons(resources)

    def ask(minor: Minor, names: Sequence[str]) -> Mapping[str, Member]:
        found: dict[str, Member] = {}
        for start in range(0, len(names), MOST_NAMES):
            asked = probe(resources.sandbox, pythons[minor], names[start : start + MOST_NAMES])
            found.update((member.name, member) for member in asked.members)
        return found

    rows = proven_by_interpreters(file.change, tuple(sorted(pythons)), ask)
    return msgspec.structs.replace(file, change=rows)


def proven_by_interpreters(
    rows: Sequence[ChangeRow], pythons: Sequence[Minor], ask: Ask
) -> tuple[ChangeRow, ...]:
    """``rows`` with those names proven that the Python before has and the one of the row lacks.

    ``pythons``: those that can be asked, from the oldest. Where the row's own is not among them, the next
    later one stands for it. What a Python still has is asked of the next.
    """
    waiting: defaultdict[Minor, list[ChangeRow]] = defaultdict(list)
    for row in rows:
        waiting[version_numbers(row.since)[0], version_numbers(row.since)[1]].append(row)
    proven: list[ChangeRow] = []
    while waiting:
        since = min(waiting)
        of_release = waiting.pop(since)
        older = max((minor for minor in pythons if minor < since), default=None)
        newer = min((minor for minor in pythons if minor >= since), default=None)
        if older is None or newer is None:
            why = f"no interpreter from before and after Python {since[0]}.{since[1]} was at hand"
            proven += [msgspec.structs.replace(row, unproven=why) for row in of_release]
            continue
        following = min((minor for minor in pythons if minor > newer), default=None)
        names = names_to_ask(of_release)
        before, after = dict(ask(older, names.old)), dict(ask(newer, names.new))
        for made in (one for row in of_release for one in proven_rows(row, before, after)):
            if made.unproven == HAS_IT and following:
                since_text = f"{following[0]}.{following[1]}"
                waiting[following].append(msgspec.structs.replace(made, since=since_text, unproven=""))
            else:
                proven.append(made)
    return tuple(sorted(proven, key=lambda row: bool(row.unproven)))


def installed_pythons(resources: Resources) -> dict[Minor, InstalledPython]:
    """The interpreters of this machine by their minor version, with that of Python 2.7 where there is one."""
    found: dict[Minor, InstalledPython] = {}
    for one in resources.interpreters.available:
        major, minor = version_numbers(one.version)[:2]
        found[major, minor] = InstalledPython(python=one.executable, root=one.prefix)
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    on_path = shutil.which("python2.7")
    for python in (*sorted(home.glob("versions/2.7*/bin/python2.7")), *([Path(on_path)] if on_path else [])):
        resolved = python.resolve()
        found.setdefault((2, 7), InstalledPython(python=resolved, root=resolved.parent.parent))
    return found
