"""Build matrices: which entry stands for all of them, and which interpreters they name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from backdate.recipes.sources.newest import newest, ranks_of_entry

_CPYTHON = re.compile(
    r"(?:c?python[-:]?)?v?(\d)\.(\d{1,2})(\.\d{1,3}|\.x)?(?:[-.](?:dev|slim\S*|alpine\S*))?\Z"
)
_PYTHON_KEY = re.compile(r"py|toxenv|tox_env", re.IGNORECASE)
_SHORT = re.compile(r"py(?:thon)?-?(\d)\.?(\d{1,2})\b")
_LARGEST = 1_000


def cpython_versions(written: Iterable[str]) -> tuple[str, ...]:
    """The CPythons that ``written`` names, oldest first; PyPy, "3.x" and "nightly" are left out."""
    versions: set[tuple[int, int, str]] = set()
    for text in written:
        match = _CPYTHON.match(text.strip().strip("'\""))
        if match:
            versions.add((int(match[1]), int(match[2]), (match[3] or "").replace(".x", "")))
    return tuple(f"{major}.{minor}{rest}" for major, minor, rest in sorted(versions))


def is_linux(system: str) -> bool:
    """Whether the name of a runner or image means Linux; unknown names do."""
    return not re.search(r"windows|macos|osx|mac-|vs20|win\d|freebsd", system, re.IGNORECASE)


def choose_entry(
    axes: Mapping[str, Sequence[str]],
    include: Sequence[Mapping[str, str]],
    exclude: Sequence[Mapping[str, str]],
    mappings: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The entry that is followed, and every CPython among the entries on Linux.

    The one on Linux with the newest released CPython, and of those the one with the newest released
    dependencies; among equals the one written first. An ``include`` extends the entries that it agrees with,
    or is an entry of its own, as GitHub has it. ``mappings``: axes whose values are mappings
    (``matrix.config.python``).
    """
    entries = _product(axes, mappings or {})
    entries = [entry for entry in entries if not any(_agrees(entry, out) for out in exclude if out)]
    for more in include:
        extended = [entry for entry in entries if all(entry.get(k, v) == v for k, v in more.items())]
        shared = [entry for entry in extended if any(key in axes for key in more)] or (
            extended if not any(key in axes for key in more) else []
        )
        if shared:
            for entry in shared:
                entry.update(more)
        else:
            entries.append(dict(more))
    usable = [entry for entry in entries if all(is_linux(value) for value in entry.values())] or entries
    versions = cpython_versions(version for entry in usable for version in _versions(entry))
    latest = max(map(_newest, usable), default=(0, 0))
    matching = [entry for entry in usable if _newest(entry) == latest]
    chosen = matching[newest([ranks_of_entry(entry) for entry in matching])] if matching else {}
    return dict(chosen), versions


def _product(
    axes: Mapping[str, Sequence[str]], mappings: Mapping[str, Sequence[Mapping[str, str]]]
) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = [{}]
    for key, values in axes.items():
        grown = ({**entry, key: value} for entry in entries for value in values)
        entries = list(islice(grown, _LARGEST))
    for key, items in mappings.items():
        parts = [{f"{key}.{inner}": value for inner, value in item.items()} for item in items]
        mapped = ({**entry, **part} for entry in entries for part in parts)
        entries = list(islice(mapped, _LARGEST))
    return entries if axes or mappings else []


def _agrees(entry: Mapping[str, str], pattern: Mapping[str, str]) -> bool:
    return all(entry.get(key) == value for key, value in pattern.items())


def _versions(entry: Mapping[str, str]) -> list[str]:
    versions = []
    for key, value in entry.items():
        if _PYTHON_KEY.search(key):
            short = _SHORT.match(value)
            versions.append(f"{short[1]}.{short[2]}" if short else value)
    return versions


def _newest(entry: Mapping[str, str]) -> tuple[int, int]:
    """Sort key: development versions and other interpreters last."""
    versions = cpython_versions(v for v in _versions(entry) if not v.endswith("-dev"))
    if not versions:
        return (0, 0)
    major, minor = versions[-1].split(".")[:2]
    return (int(major), int(minor))
