"""What a build did that comes to nothing, where something of it is seen: it is named, and decides nothing.

A build works in a sandbox, on a private view of uv's cache, and leaves files that backdate takes over or
makes anew. What it tried against others shows there. An honest build can do each of these, so that nothing
fails for it.
"""

from __future__ import annotations

import stat
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.text import counted, plural

_ARCHIVES = "archive-v"
"""uv's cache keeps what it unpacked in such folders, a folder for each archive, and never changes it."""
_MOST_ENTRIES = 10_000
_MOST_NAMED = 5


class IncidentKind(StrEnum):
    """What can be seen of a build."""

    LEFT_BEHIND = "left-behind"
    """A process that was still there when the build had ended, or that held it up."""
    STORE_ENTRY = "store-entry"
    """A file that others installed is not as it was in the build's own view of the cache."""
    OTHER_WHEEL = "other-wheel"
    """A wheel of another distribution lies where a build of one keeps its own."""
    LOCK_ENTRY = "lock-entry"
    """Something lies where backdate writes the lock."""
    NOT_LOCKED = "not-locked"
    """A distribution was asked for that the build of an answer may not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildIncident:
    """One thing that was seen, and what became of it."""

    kind: IncidentKind
    text: str
    """For people; of foreign making are at most names of projects, normalised."""


def left_behind(processes: int) -> tuple[BuildIncident, ...]:
    """What to say of a step that left so many processes."""
    if not processes:
        return ()
    what = f"{counted(processes, 'process', 'processes')} {plural(processes, 'was', 'were')}"
    return (BuildIncident(kind=IncidentKind.LEFT_BEHIND, text=f"{what} left behind by the build, and ended"),)


def other_wheels(distribution: str, number: int) -> tuple[BuildIncident, ...]:
    """What to say of a build of ``distribution`` that left so many wheels under other names."""
    if not number:
        return ()
    text = f"the build of {distribution} left {counted(number, 'wheel')} of another name; none is taken"
    return (BuildIncident(kind=IncidentKind.OTHER_WHEEL, text=text),)


def lock_entry(status_mode: int | None) -> tuple[BuildIncident, ...]:
    """What to say of what lies where the lock is written; nothing where nothing does."""
    if status_mode is None:
        return ()
    what = "a link" if stat.S_ISLNK(status_mode) else "something"
    text = f"the build left {what} at the name of the lock; it was removed, and the lock made anew"
    return (BuildIncident(kind=IncidentKind.LOCK_ENTRY, text=text),)


def not_locked(names: Sequence[str]) -> tuple[BuildIncident, ...]:
    """What to say of the projects, by normalised names, that a build asked for and may not have."""
    if not names:
        return ()
    listed = ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")
    text = f"the build asked the index for what is not locked, and was shown nothing of it: {listed}"
    return (BuildIncident(kind=IncidentKind.NOT_LOCKED, text=text),)


def changed_entries(changes: Path, uv_cache: Path) -> tuple[BuildIncident, ...]:
    """What to say of files of ``uv_cache`` that differ in the view of which ``changes`` holds the changes."""
    number = 0
    try:
        with Folder.at(changes) as view, Folder.at(uv_cache) as cache:
            for bucket in view.names():
                if bucket.startswith(_ARCHIVES) and view.is_folder(bucket) and cache.is_folder(bucket):
                    with view.folder(bucket) as above, cache.folder(bucket) as below:
                        number += _in_both(above, below)
    except ConfigurationError:
        return ()  # a folder that cannot be entered is gone with the view
    if not number:
        return ()
    what = f"{counted(number, 'file')} of uv's cache {plural(number, 'was', 'were')}"
    text = f"{what} changed in the build's own view of it, which nothing else sees"
    return (BuildIncident(kind=IncidentKind.STORE_ENTRY, text=text),)


def _in_both(above: Folder, below: Folder) -> int:
    """The entries of ``above``, at any depth, that are in ``below`` too and no folders in both."""
    number = seen = 0
    waiting = deque[tuple[str, ...]]([()])
    while waiting and seen < _MOST_ENTRIES:
        parts = waiting.popleft()
        with above.below(parts) as changed, below.below(parts) as kept:
            for name in changed.names():
                seen += 1
                if kept.status(name) is None:
                    continue
                if changed.is_folder(name) and kept.is_folder(name):
                    waiting.append((*parts, name))
                else:
                    number += 1
    return number
