"""What became of names between a snippet's two versions: by tables of known changes, and by two environments.

The tables tell since when and what takes a name's place; whether it is there, the environments tell, where
both can be had.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from backdate.advising.rule_leads import advice_for
from backdate.diagnosis.api import ApiDifference, NameChange
from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangeRow
from backdate.snippets.direction import direction_of
from backdate.snippets.names import bare_name
from backdate.snippets.snippet import ApiChangeKind, Direction, Snippet
from backdate.text import version_numbers

_GONE = (NameChange.GONE, NameChange.MOVED)
_DEPRECATIONS = ("DeprecationWarning", "FutureWarning", "PendingDeprecationWarning")


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownName:
    """What became of one name, from the older version to the newer."""

    name: str
    change: ApiChangeKind
    version: str = ""
    """Since when; empty where nothing says."""
    replacement: str = ""
    """In the target, dotted; empty where nothing says."""


def known_names(snippet: Snippet, names: Sequence[str]) -> tuple[KnownName, ...]:
    """Those of ``names`` that the tables say do not work with the target, though they do with the origin."""
    wanted = set(names)
    found: dict[str, KnownName] = {}
    for row in _rows_between(snippet):
        for name, replacement in _names_of(row):
            if name in wanted:
                found.setdefault(name, _known(snippet, row, name, replacement))
    return tuple(found[name] for name in names if name in found)


def known_methods(snippet: Snippet) -> tuple[KnownName, ...]:
    """Methods that the tables say are gone and that the code calls, of whatever object: ``x.has_key(…)``.

    Of a method of several classes the first is named.
    """
    found: dict[str, KnownName] = {}
    for row in _rows_between(snippet):
        if row.kind != "method" or not row.owners:
            continue
        for name, replacement in row.names.items():
            if re.search(rf"\.{re.escape(name)}\s*\(", snippet.code):
                dotted = f"{row.owners[0]}.{name}"
                found.setdefault(dotted, _known(snippet, row, dotted, replacement))
    return tuple(found.values())


def _rows_between(snippet: Snippet) -> Iterator[ChangeRow]:
    """Rows of the library that tell of what the origin has and the target has not."""
    if snippet.origin is None or snippet.target is None:
        return
    forward = direction_of(snippet) is not Direction.BACKWARD
    older, newer = _versions(snippet)
    for file in load.changes_of(canonicalize_name(snippet.library)):
        for row in file.change:
            within = version_numbers(older) < version_numbers(row.since) <= version_numbers(newer)
            if within and row.added is not forward:
                yield row


def _versions(snippet: Snippet) -> tuple[str, str]:
    """The older and the newer version."""
    origin, target = (side.version if side else "" for side in (snippet.origin, snippet.target))
    return (target, origin) if direction_of(snippet) is Direction.BACKWARD else (origin, target)


def changed_names(
    snippet: Snippet, differences: Sequence[ApiDifference], told: Sequence[KnownName], *, announced: bool
) -> tuple[KnownName, ...]:
    """What two environments say of names, with what the tables add.

    ``announced``: also names that are there in both, where the tables say that they go.
    """
    tables = {known.name: known for known in told}
    backward = direction_of(snippet) is Direction.BACKWARD
    version = _versions(snippet)[1]
    found: list[KnownName] = []
    for difference in differences:
        known = tables.get(difference.name)
        unasked = difference.change is NameChange.UNKNOWN or "." not in difference.name
        if known is not None and unasked:  # a builtin is in no module that both Pythons call the same
            found.append(known)
        elif difference.change in _GONE:
            moved = difference.moved_to[0] if difference.moved_to else ""
            replacement = known.replacement if known is not None and known.replacement else moved
            lost = ApiChangeKind.ADDED if backward else ApiChangeKind.REMOVED
            change = ApiChangeKind.MOVED if replacement else lost
            since = known.version if known is not None and known.version else version
            found.append(
                KnownName(name=difference.name, change=change, version=since, replacement=replacement)
            )
        elif _is_announced(difference) or (announced and known is not None):
            found.append(
                known or KnownName(name=difference.name, change=ApiChangeKind.REMOVED, version=version)
            )
    return tuple(found)


def _is_announced(difference: ApiDifference) -> bool:
    """Whether looking the name up warns in the target and not in the origin."""
    if difference.old is None or difference.new is None or difference.old.warnings:
        return False
    return any(warning.category in _DEPRECATIONS for warning in difference.new.warnings)


def _known(snippet: Snippet, row: ChangeRow, name: str, replacement: str) -> KnownName:
    if row.added:
        return KnownName(name=name, change=ApiChangeKind.ADDED, version=row.since)
    if not replacement:
        older, newer = _versions(snippet)
        advised = advice_for(canonicalize_name(snippet.library), name, old=older, new=newer)
        written = next((rule.replacement or rule.rewrite for rule in advised), "")
        replacement = bare_name(written.removeprefix("builtins."))
    change = ApiChangeKind.MOVED if replacement else ApiChangeKind.REMOVED
    return KnownName(name=name, change=change, version=row.since, replacement=replacement)


def _names_of(row: ChangeRow) -> Iterator[tuple[str, str]]:
    """The dotted names of a row with what takes their place; none of rows about arguments and behaviour."""
    for name, replacement in row.names.items():
        match row.kind:
            case "module":
                yield name, replacement
            case "name":
                owner = "" if row.module == "builtins" else row.module
                yield (f"{owner}.{name}" if owner else name), replacement.removeprefix("builtins.")
            case "method":
                yield from ((f"{owner}.{name}", replacement) for owner in row.owners)
            case _:
                pass
