"""The known change behind a cause: which release dropped or added a name, and what to use now."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from backdate.diagnosis.result import Cause, Cluster
from backdate.index.names import normalise
from backdate.knowledge import load
from backdate.knowledge.changes import (
    PYTHON,
    ChangePattern,
    build_tool_changes,
    library_changes,
    library_changes_for,
    library_changes_of,
)
from backdate.text import first_line

_LONGEST_MESSAGE = 2_000
_NAMES_ITS_MODULE = ("name", "module")
"""Kinds of rows whose pattern holds the module that changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownChange:
    """One row of the knowledge tables, for the name that an error is about."""

    distribution: str
    """ "python" for the language and its standard library."""
    since: str
    """The first release that is different."""
    added: bool
    """Whether the release added what an older one lacks; else it dropped it."""
    name: str = ""
    """What was dropped or added, dotted; "" when the row is about behaviour or syntax."""
    replacement: str = ""
    """What takes its place; "" when nothing does by another name."""
    pin: str = ""
    """The requirement with which the code works as it is; for Python, the range of releases."""
    of_builds: bool = False
    """Whether ``pin`` is for isolated builds and not for the environment."""
    note: str = ""
    source: str = ""
    """Where the library says so."""


def known_change(cluster: Cluster) -> KnownChange | None:
    """The first row that fits what was raised; of several, one about the library that the cause names."""
    return change_behind(cluster.cause, cluster.messages)


def change_behind(cause: Cause, messages: Iterable[str] = (), *, culprit: str = "") -> KnownChange | None:
    """As ``known_change``, of a cause and the other messages of its cluster.

    ``culprit`` is the distribution whose release is known to be behind it, whatever the error names.
    """
    lines = [f"{cause.type}: {cause.message[:_LONGEST_MESSAGE]}", *messages]
    owners = {normalise(name) for name in (*cause.related, cause.distribution or "", culprit) if name}
    owners |= {PYTHON} if "builtin" in owners else set()
    of_owners = tuple(_changes_of(owners))
    best = next((pair for line in lines for pair in _matches(line, of_owners)), None)
    best = best or next((pair for line in lines for pair in _matches(line, _others(line, owners))), None)
    return None if best is None else _of_row(*best)


def _changes_of(distributions: Collection[str]) -> Iterator[ChangePattern]:
    """The rows of these alone, in the order that they have among all."""
    for distribution in sorted(distributions):
        yield from library_changes_of(distribution)
    if PYTHON in distributions:
        yield from _changes_of_python()


def _others(line: str, owners: Collection[str]) -> Iterator[ChangePattern]:
    """The rows that come into question besides those of ``owners``; a table is read when it is reached."""
    for change in itertools.chain(library_changes_for(line), _changes_of_python()):
        # Where the cause names another library, a method or a keyword of the same name is a coincidence.
        if not owners or change.row.kind in _NAMES_ITS_MODULE:
            yield change


def change_behind_build(message: str) -> KnownChange | None:
    """The first row about build tools, libraries or Python that fits how a build ended."""
    changes = (*build_tool_changes(), *library_changes(), *_changes_of_python())
    known = next(_matches(message, changes), None)
    return None if known is None else _of_row(*known)


def _matches(line: str, changes: Iterable[ChangePattern]) -> Iterator[tuple[ChangePattern, re.Match[str]]]:
    for change in changes:
        pattern = change.pattern_for(line)
        match = None if pattern is None else pattern.search(line)
        if match is not None:
            yield change, match


@functools.cache
def _changes_of_python() -> tuple[ChangePattern, ...]:
    """All rows about Python: also those that a repair does not need, such as of Python 3.0."""
    return tuple(ChangePattern(distribution=PYTHON, row=row) for row in load.python_changes())


def _of_row(change: ChangePattern, match: re.Match[str]) -> KnownChange:
    row, text = change.row, match.string
    name = next((name for name in row.names if _has_word(match.group(), name)), "") or next(
        (name for name in row.names if _has_word(text, name)), ""
    )
    owner = row.module if row.kind == "name" else next((one for one in row.owners if one in text), "")
    return KnownChange(
        distribution=change.distribution,
        since=row.since,
        added=row.added,
        name=f"{owner}.{name}" if owner and name else name,
        replacement=row.names.get(name, ""),
        pin=str(change.releases) if change.distribution == PYTHON else change.pin,
        of_builds=row.of_builds,
        note=row.note,
        source=row.source,
    )


def _has_word(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", first_line(text, most=_LONGEST_MESSAGE)) is not None
