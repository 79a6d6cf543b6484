"""The entries of a changelog on one release. A changelog is text that anybody may have written: it is quoted.

Where a project keeps it differs: one file with a heading for each version (``CHANGES.rst``), or a file
for each version (``doc/source/whatsnew/v2.0.0.rst``). Headings are known by the version that they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

MOST_LINES = 8
"""Lines of a changelog that are quoted."""
LONGEST_LINE = 240
_LONGEST_HEADING = 120
_STEMS = frozenset(
    {
        *("changes", "change", "changelog", "change-log", "changelogs", "history", "news", "release"),
        *("releases", "release-notes", "releasenotes", "relnotes", "whatsnew", "whats-new", "migration"),
        *("upgrading", "upgrade"),
    }
)
_FOLDERS = frozenset(
    {
        *("changelog", "changelogs", "changes", "history", "news", "release", "releases", "release-notes"),
        *("releasenotes", "relnotes", "whatsnew", "whats-new", "migration", "upgrading"),
    }
)
_SUFFIXES = ("", ".md", ".rst", ".txt")
_NOT_ITS_OWN = frozenset(
    {"vendor", "_vendor", "vendored", "third_party", "extern", "tests", "test", "fixtures"}
)
_DEEPEST = 6
_VERSION = re.compile(
    r"(?<![\w.])v?(\d{1,5}(?:\.\d{1,5}){1,3}(?:\.?(?:a|b|rc|dev|post)\d{0,4})?)(?![\w])(?!\.\d)"
)
_UNDERLINE = re.compile(r"([=\-~^#*\"'+`_])\1{2,}\s*")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_BREAKING = re.compile(
    r"\b(?:remov(?:e[sd]?|al)|drop(?:s|ped)?|deprecat\w*|backwards?[- ]incompatible|breaking|renamed?|"
    r"no longer|incompatib\w*|expired?)\b",
    re.IGNORECASE,
)
_FOLDED = re.compile(r"(?m)^(?: {8}| {7}\|)")
"""What stands before the further lines of a description in a header (core metadata before 2.1)."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")


def is_changelog(name: str, version: str) -> bool:
    """Whether a member of an archive may describe what changed in ``version``."""
    parts = [part for part in name.casefold().split("/") if part not in ("", ".")]
    if not parts or len(parts) > _DEEPEST or _NOT_ITS_OWN.intersection(parts[:-1]):
        return False
    stem, suffix = _split(parts[-1])
    if suffix not in _SUFFIXES:
        return False
    if stem.replace("_", "-") in _STEMS:
        return True
    in_folder = any(part.replace("_", "-") in _FOLDERS for part in parts[1:-1])
    named = any(
        word in stem.replace("_", "-") for word in ("changelog", "whatsnew", "release-notes", "-notes")
    )
    return (in_folder or named) and _file_is_about(stem, version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """Lines of one changelog."""

    file: str
    lines: tuple[str, ...]
    about: str


def quote(files: Mapping[str, bytes], version: str, terms: Sequence[str]) -> Quoted | None:
    """What ``files`` (changelogs by name) say of ``version``; None when nothing is about it.

    What holds one of ``terms``, the first that is found; else what speaks of removals; else how the section
    begins.
    """
    sections: dict[str, list[str]] = {}
    for name, data in sorted(files.items(), key=lambda item: (item[0].count("/"), len(item[0]), item[0])):
        lines = _lines(data)
        about_it = _file_is_about(_split(name.rpartition("/")[2].casefold())[0], version)
        section = lines if about_it else section_of(lines, version)
        if any(line.strip() for line in section):
            sections[name] = section
    patterns = [(term, re.compile(rf"(?<!\w){re.escape(term)}(?!\w)")) for term in terms]
    for about, pattern in (*patterns, ("removals", _BREAKING)):
        for name, section in sections.items():
            entries = _entries(section, pattern)
            if entries:
                return _quoted(name, entries, about)
    for name, section in sections.items():
        begins = [line for line in section if not _UNDERLINE.fullmatch(line)]
        if any(line.strip() for line in begins):
            return _quoted(name, begins, "beginning")
    return None


def description_of(metadata: bytes) -> bytes:
    """The long description that a distribution's core metadata hold, as it was written; empty without one."""
    from packaging.metadata import parse_email  # with every licence that there is

    raw, _ = parse_email(metadata)
    return _FOLDED.sub("", raw.get("description", "")).encode("utf-8", "replace")


def section_of(lines: Sequence[str], version: str) -> list[str]:
    """The lines below the heading of ``version``, up to the heading of another; empty when it has none."""
    section: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        heading = _heading(lines, number)
        if heading is not None:
            if inside and not _same(heading, version):
                break
            inside = inside or _same(heading, version)
            continue
        if inside and not (not section and _UNDERLINE.fullmatch(line)):
            section.append(line)
    return section


def _heading(lines: Sequence[str], number: int) -> str | None:
    """The version that a line is the heading of; None when it is no heading."""
    line = lines[number].strip()
    if not line or len(line) > _LONGEST_HEADING or lines[number].startswith((" ", "\t")):
        return None
    match = _VERSION.search(line)
    if match is None:
        return None
    before = line[: match.start()]
    following = lines[number + 1] if number + 1 < len(lines) else ""
    marked = line.startswith(("#", "=", "[", "**")) or _UNDERLINE.fullmatch(following) is not None
    # "2.0.0 (2024-01-01)", "Version 2.0", "pyyaml 6.0, released …": nothing but a word or two stands before
    short = len(before.split()) <= 2 and not _BULLET.match(line) and not line.endswith((".", ","))
    return match.group(1) if marked or (short and len(line) < 60) else None


def _same(written: str, version: str) -> bool:
    """Whether a heading's version is ``version``: "2.0" and "2.0.0" are one, "2.0rc1" is of it as well."""
    try:
        written_version, wanted_version = Version(written), Version(version)
    except InvalidVersion:
        return written == version
    return written_version == wanted_version or Version(written_version.base_version) == wanted_version


def _file_is_about(stem: str, version: str) -> bool:
    match = _VERSION.search(stem.replace("_", "."))
    if match is None:
        return False
    heading_version = match.group(1)
    return _same(heading_version, version) or (
        heading_version.count(".") == 1 and f"{version}.".startswith(f"{heading_version}.0.")
    )


def _split(name: str) -> tuple[str, str]:
    for suffix in _SUFFIXES[1:]:
        if name.endswith(suffix):
            return name.removesuffix(suffix), suffix
    stem, dot, rest = name.rpartition(".")
    return (name, "") if not dot or rest.isdigit() else (stem, f".{rest}")


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").expandtabs(4)
    return [_CONTROL.sub("", line).rstrip() for line in text.split("\n")]


def _entries(section: Sequence[str], pattern: re.Pattern[str]) -> list[str]:
    """The entries (a bullet with its further lines, or a line) that hold ``pattern``."""
    quoted: list[str] = []
    taken = False
    for number, line in enumerate(section):
        begins = _BULLET.match(line) is not None or not line.startswith((" ", "\t")) or not line.strip()
        if begins:
            entry = [line]
            for further in section[number + 1 : number + 6]:
                if not further.strip() or _BULLET.match(further) or not further.startswith((" ", "\t")):
                    break
                entry.append(further)
            taken = pattern.search(" ".join(text.strip() for text in entry)) is not None
        elif not taken and pattern.search(line):
            quoted.append(line)
            continue
        if taken and line.strip():
            quoted.append(line)
    return quoted


def _quoted(name: str, lines: Iterable[str], about: str) -> Quoted:
    shown = [line.strip()[:LONGEST_LINE] for line in lines if line.strip()]
    return Quoted(file=name.partition("/")[2] or name, lines=tuple(shown[:MOST_LINES]), about=about)
