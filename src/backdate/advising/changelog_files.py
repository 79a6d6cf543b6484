"""Which members of an archive are changelogs, and which releases one is about by its name alone."""

from __future__ import annotations

import re

from packaging.version import Version

from backdate.text import UNREADABLE

_STEMS = frozenset(
    {
        *("changes", "change", "changelog", "change-log", "changelogs", "history", "news", "release"),
        *("releases", "release-notes", "releasenotes", "relnotes", "whatsnew", "whats-new", "migration"),
        *("upgrading", "upgrade", "migrating", "migration-guide", "upgrade-guide", "deprecations"),
        *("upgrading-guide", "migration-notes", "api-changes", "breaking-changes", "removals"),
    }
)
_FOLDERS = frozenset(
    {
        *("changelog", "changelogs", "changes", "history", "news", "release", "releases", "release-notes"),
        *("releasenotes", "relnotes", "whatsnew", "whats-new", "migration", "upgrading", "upgrade"),
        *("migrating", "migrations-guide", "release-note"),
    }
)
_WORDS = (
    *("changelog", "whatsnew", "whats-new", "release-notes", "-notes", "migration", "upgrad", "migrat"),
    "changes",
)
_GUIDES = frozenset({"migration", "migrating", "migration-guide", "upgrading", "upgrade", "upgrade-guide"})
_SUFFIXES = ("", ".md", ".rst", ".txt")
_NOT_ITS_OWN = ("vendor", "_vendor", "third_party", "third-party", "extern", "tests", "test", "fixtures")
"""How folders begin that hold the code of others, or examples."""
_DEEPEST = 7
_VERSION = re.compile(
    r"(?<![\w.])v?(\d{1,5}(?:\.\d{1,5}){1,3}(?:\.?(?:a|b|rc|dev|post)\d{0,4})?)(?![\w])(?!\.\d)"
)
_SERIES = re.compile(r"(?:^|[a-z-])-?v?(\d)[-.]?(\d{1,2})\Z")
"""``changelog_20``, ``migration-14``, ``whatsnew_1_9``: one figure and one or two."""
_MAJOR = re.compile(r"(?:^|[a-z]-?)v?(\d{1,2})\Z")
_TO = re.compile(r"(?<![a-z0-9])to-v?(\d{1,2})(?:[-.](\d{1,2}))?\Z")


def is_changelog(name: str, old: str | None, new: str) -> bool:
    """Whether a member of an archive may describe what changed after ``old`` up to ``new``."""
    parts = [part for part in name.casefold().split("/") if part not in ("", ".")]
    if not parts or len(parts) > _DEEPEST or any(part.startswith(_NOT_ITS_OWN) for part in parts[:-1]):
        return False
    stem, suffix = _split(parts[-1])
    if suffix not in _SUFFIXES:
        return False
    if stem in _STEMS and _release_of_folder(name) is None:
        return True
    in_folder = any(part.replace("_", "-") in _FOLDERS for part in parts[1:-1])
    named = any(word in stem for word in _WORDS)
    about = release_of_file(name)
    of_release = _release_of_folder(name) is not None
    if not (in_folder or named or of_release) or about is None:
        return False
    return is_within(about, old, new) or (old is not None and _announces_before(about, old))


def _announces_before(written: str, old: str) -> bool:
    """Whether a file is about the first release of a series before ``old``, of its major or the one before:
    there it is announced what goes later."""
    try:
        release, last = Version(written), Version(old)
    except UNREADABLE:
        return False
    return not release.micro and last.major - 1 <= release.major and release <= last


def release_of_file(name: str) -> str | None:
    """The release that a file is about by its name, or by its folder's: "2.0" of ``migration_20.rst``; None
    when it has none."""
    stem, _ = _split(name.rpartition("/")[2].casefold())
    match = _VERSION.search(stem.replace("-", "."))
    if match is not None:
        return match[1]
    to = _TO.search(stem)
    if to is not None:
        return f"{to[1]}.{to[2] or 0}"
    series = _SERIES.search(stem)
    if series is not None:
        return f"{series[1]}.{series[2]}"
    major = _MAJOR.search(stem)
    return f"{major[1]}.0" if major else _release_of_folder(name)


def _release_of_folder(name: str) -> str | None:
    """The release that the folder of a file is about, "3.6.0" of ``api_changes_3.6.0/behaviour.rst``."""
    folder = name.casefold().rpartition("/")[0].rpartition("/")[2].replace("_", "-")
    match = _VERSION.search(folder.replace("-", " ")) if any(map(folder.__contains__, _WORDS)) else None
    return match[1] if match else None


def is_guide(name: str) -> bool:
    """Whether a file is a guide to a major release, which may have no heading for it."""
    stem = _split(name.rpartition("/")[2].casefold())[0]
    return stem in _GUIDES or stem.startswith("migration-")


def is_within(written: str, old: str | None, new: str) -> bool:
    """Whether a release lies in (``old``, ``new``]: "2.0" and "2.0.0" are one, "2.0rc1" is of 2.0.

    With ``old`` unknown, or not before ``new``, only ``new`` itself does.
    """
    try:
        version, last = Version(Version(written).base_version), Version(new)
    except UNREADABLE:
        return written == new
    try:
        first = Version(old) if old is not None else None
    except UNREADABLE:
        first = None
    base = Version(last.base_version)
    if first is None or first >= last:
        return version in (last, base)
    return first < version <= last or (version == base and first < base)


def _split(name: str) -> tuple[str, str]:
    """A file's stem with dashes for underscores, and its suffix."""
    for suffix in _SUFFIXES[1:]:
        if name.endswith(suffix):
            return name.removesuffix(suffix).replace("_", "-"), suffix
    stem, dot, rest = name.rpartition(".")
    return (name, "") if not dot or rest.isdigit() else (stem.replace("_", "-"), f".{rest}")
