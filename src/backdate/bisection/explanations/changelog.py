"""What changelogs say of a change: the entries of every release on the way that name what an error is about.

A changelog is text that anybody may have written: it is read within bounds, and quoted without control
characters. Where nothing names the cause, nothing is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from packaging.version import Version

from backdate.advising.wording import replacement_in
from backdate.bisection.explanations.changelog_files import is_guide, is_within, release_of_file
from backdate.bisection.explanations.changelog_sections import (
    LONGEST_ABOVE,
    ChangelogEntry,
    Section,
    entries_of,
    sections_between,
)
from backdate.diagnosis.messages import read_hint
from backdate.text import UNREADABLE

MOST_LINES = 8
"""Lines of one quotation."""
LONGEST_LINE = 240
MOST_QUOTED = 3
"""Quotations of one culprit."""
_MOST_BELOW = 4
_LONGEST_ENTRY = 4_000
_MOST_WEIGHED = 200
"""Entries that name what is asked for: of more of them no further one is read."""
_MOST_TEXT = 8 * 1024 * 1024
"""Bytes of changelogs that are read in all."""
_MOST_LINES_OF_FILE = 100_000
_REMOVAL = re.compile(
    r"\b(?:remov(?:e[sd]?|al|ing)|drop(?:s|ped)?|delet(?:e[sd]?|ing)|backwards?[- ]incompatible|breaking|"
    r"renam\w*|no longer|incompatib\w*|expired?|replac\w*|moved|gone|must now|now (?:raises?|requires?"
    r"|returns?))\b",
    re.IGNORECASE,
)
_DEPRECATION = re.compile(r"\bdeprecat\w*", re.IGNORECASE)
_INTRODUCTION = re.compile(
    r"\W{0,8}(?:add(?:s|ed|ing)?|new|introduc\w{1,6}|support\w{0,4}|implement\w{0,4}|allow\w{0,3}|features?"
    r"|enhancements?|improve\w*)\b",
    re.IGNORECASE,
)
_FOLDED = re.compile(r"(?m)^(?: {8}| {7}\|)")
"""What stands before the further lines of a description in a header (core metadata before 2.1)."""
_BEFORE_ALL = "0"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_UNUSUAL = re.compile(r"[_\d.]|[a-z][A-Z]|[A-Z]{2}")
"""In a name that no prose holds by chance."""
_CODE_BEFORE = frozenset("`'\".:~*@")
_CODE_AFTER = frozenset("`'\"(=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """Lines of one changelog about one release."""

    file: str
    version: str
    lines: tuple[str, ...]
    about: str
    """The name that they hold."""
    replacement: str = ""
    """What they say takes the place of that name; "" when they do not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An entry that names the cause, and how much it says of it (less is better)."""

    rank: tuple[int, ...]
    quoted: Quoted


def quote(files: Mapping[str, bytes], old: str | None, new: str, terms: Sequence[str]) -> tuple[Quoted, ...]:
    """What ``files`` (changelogs by name) say of ``terms`` about the releases in (``old``, ``new``].

    The likeliest of ``terms`` come first. Entries that say what to use instead come before those that speak
    of removals, then deprecations, and introductions last. Empty when nothing names any of them.
    """
    found: dict[tuple[str, ...], _Found] = {}
    left, most = _MOST_TEXT, _MOST_WEIGHED
    for name, data in sorted(files.items(), key=lambda item: (item[0].count("/"), len(item[0]), item[0])):
        read = data[:left]
        left -= len(read)
        if not any(term.encode("utf-8", "replace") in read for term in terms):
            continue
        lines = _lines(read)
        for section in _sections(name, lines, old, new):
            weighed = _found(name, section, terms, most=most)
            most -= len(weighed)
            for one in weighed:
                found.setdefault(one.quoted.lines, one)
    ranked = sorted(found.values(), key=lambda one: one.rank)
    best = [one.quoted for one in ranked if one.rank[:2] == ranked[0].rank[:2]]
    return tuple(best[:MOST_QUOTED])


def announced_before(files: Mapping[str, bytes], old: str | None, term: str) -> tuple[Quoted, ...]:
    """What ``files`` said up to the release ``old`` of a name that was to go, where they say what to do.

    A release that drops a name often says only that; what takes its place stood where it was deprecated.
    """
    if old is None:
        return ()
    said = quote(files, _BEFORE_ALL, old, [term])
    return tuple(one for one in said if _goes_and_is_replaced(" ".join(one.lines), one))


def _goes_and_is_replaced(text: str, quoted: Quoted) -> bool:
    goes = _DEPRECATION.search(text) is not None or _REMOVAL.search(text) is not None
    return goes and bool(quoted.replacement or read_hint(text))


def description_of(metadata: bytes) -> bytes:
    """The long description that a distribution's core metadata hold, as it was written; empty without one."""
    from backdate.index.core_metadata import read_core_metadata  # with every licence that there is

    read = read_core_metadata(metadata)
    return b"" if read is None else _FOLDED.sub("", read[0].get("description", "")).encode("utf-8", "replace")


def names_it(text: str, term: str) -> bool:
    """Whether ``text`` speaks of the name ``term``; a word of prose counts only where it is code."""
    text = text[:_LONGEST_ENTRY]
    for match in re.finditer(rf"(?<!\w){re.escape(term)}(?!\w)", text):
        if _UNUSUAL.search(term):
            return True
        before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 2]
        if before in _CODE_BEFORE or after[:1] in _CODE_AFTER:
            return True
        if len(after) > 1 and after[0] == "." and after[1].isalpha():
            return True
    return False


def _sections(name: str, lines: Sequence[str], old: str | None, new: str) -> list[Section]:
    """By the headings of releases; a file about one release without them is one section."""
    sections = sections_between(lines, old, new)
    about = release_of_file(name)
    if not sections and about is not None and is_within(about, old, new):
        return [Section(version=about, lines=tuple(lines))]
    if not sections and about is None and is_guide(name) and _is_major(old, new):
        return [Section(version=new, lines=tuple(lines))]
    if about is not None and is_within(about, old, new) and not any(":version:" in line for line in lines):
        return [Section(version=about, lines=tuple(lines))]  # its headings may name what was before
    return sections


def _is_major(old: str | None, new: str) -> bool:
    try:
        return old is not None and Version(old).major < Version(new).major
    except UNREADABLE:
        return False


def _found(name: str, section: Section, terms: Sequence[str], *, most: int) -> list[_Found]:
    """The entries of the section that name one of ``terms``, ``most`` at the most."""
    entries = entries_of(section.lines)
    found: list[_Found] = []
    for number, entry in enumerate(entries):
        if len(found) >= most:
            break
        for place, term in enumerate(terms):
            in_heading = any(names_it(heading, term) for heading in entry.headings)
            if not names_it(entry.text, term) and not in_heading:
                continue
            whole = " ".join((*entry.headings, entry.text))[:_LONGEST_ENTRY]
            below = _below(entries, number)
            said = replacement_in(" ".join((whole, *(other.text for other in below))), term)
            others = sum(names_it(whole, other) for other in terms)
            rank = (
                place,
                0 if said else 1,
                _kind(entry),
                -others,
                int(in_heading),
                -_numbers(section.version),
            )
            quoted = _quoted(name, section.version, entry, below, term, said.replacement if said else "")
            found.append(_Found(rank=rank, quoted=quoted))
            break
    return found


def _below(entries: Sequence[ChangelogEntry], number: int) -> list[ChangelogEntry]:
    """The entries that stand under the one at ``number``."""
    text = entries[number].text[:LONGEST_ABOVE]
    below = []
    for entry in entries[number + 1 : number + 1 + _MOST_BELOW]:
        if not text or text not in entry.headings:
            break
        below.append(entry)
    return below


def _kind(entry: ChangelogEntry) -> int:
    """0 for what was removed, 1 for what is deprecated, 2 for anything else, 3 for what is new."""
    for text in (entry.text[:_LONGEST_ENTRY], *reversed(entry.headings)):
        if _REMOVAL.search(text):
            return 0
        if _DEPRECATION.search(text):
            return 1
        if _INTRODUCTION.match(text):
            return 3
    return 2


def _numbers(version: str) -> int:
    """A number that is larger for later releases."""
    parts = [int(part) for part in re.findall(r"\d{1,5}", version)[:3]]
    return sum(part * 100_000 ** (2 - place) for place, part in enumerate(parts))


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace").expandtabs(4)
    return [
        _CONTROL.sub("", line).rstrip()
        for line in text.split("\n", _MOST_LINES_OF_FILE)[:_MOST_LINES_OF_FILE]
    ]


def _quoted(
    name: str,
    version: str,
    entry: ChangelogEntry,
    below: Iterable[ChangelogEntry],
    about: str,
    replacement: str,
) -> Quoted:
    above = [heading for heading in entry.headings if version not in heading][-2:]
    lines = [*above, *entry.lines, *(line for other in below for line in other.lines)]
    shown = [line.strip()[:LONGEST_LINE] for line in lines if line.strip()]
    return Quoted(
        file=name.partition("/")[2] or name,
        version=version,
        lines=tuple(shown[:MOST_LINES]),
        about=about,
        replacement=replacement,
    )
