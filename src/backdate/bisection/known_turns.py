"""What the knowledge tables and an error itself say of the release with which it came. Pure functions."""

from __future__ import annotations

from packaging.version import Version

from backdate.bisection.probes import Target
from backdate.bisection.version_moves import version_of
from backdate.diagnosis.known_changes import change_behind
from backdate.diagnosis.owners import BUILTIN
from backdate.knowledge.changes import PYTHON


def known_turn(target: Target, name: str) -> Version | None:
    """The release of ``name`` with which the knowledge tables say that the error of ``target`` comes."""
    change = None if target.cause is None else change_behind(target.cause)
    if change is None or change.added or change.distribution != name:
        return None
    return version_of(change.since)


def is_of_python(target: Target) -> bool:
    """Whether the error lacks something that comes with the interpreter: of a module, or a known one."""
    cause = target.cause
    if cause is None:
        return False
    of_module = cause.distribution == BUILTIN and cause.owner_is == "module"
    return of_module or known_turn(target, PYTHON) is not None
