"""What changelogs say of a change: the entries of every release on the way that name what an error is about.

A changelog is text that anybody may have written: it is read within bounds, and quoted without control
characters. Where nothing names the cause, nothing is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from backdate.advising.changelog_sections import (
    LONGEST_ABOVE,
    ChangelogEntry,
    Section,
    entries_of,
    lines_of,
    sections_of_file,
)
from backdate.advising.wording import replacement_in
from backdate.diagnosis.messages import read_hint

MOST_LINES = 8
"""Lines of one quotation."""
LONGEST_LINE = 480
MOST_QUOTED = 3
"""Quotations of one culprit."""
_MOST_BELOW = 4
_LONGEST_ENTRY = 4_000
_MOST_WEIGHED = 200
"""Entries that name what is asked for: of more of them no further one is read."""
_MOST_TEXT = 8 * 1024 * 1024
"""Bytes of changelogs that are read in all."""
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
_BEFORE_ALL = "0"
_IS_NEW = 3
"""What ``_kind`` gives for an introduction."""
_UNUSUAL = re.compile(r"[_\d.]|[a-z][A-Z]|[A-Z]{2}")
"""In a name that no prose holds by chance."""
_TURNS = re.compile(r"\b(?:now|instead|no longer|rather than|by default)\b", re.IGNORECASE)
_NO_LETTER = re.compile(r"[\W_]+")
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
    said: tuple[str, str]
    """The version and the entry's words, which are the same in every file that holds it: a changelog is
    often in its own file, in the pages and in the metadata of one archive, each wrapped in its way."""


def quote(
    files: Mapping[str, bytes],
    old: str | None,
    new: str,
    terms: Sequence[str],
    *,
    called: Collection[str] = (),
    together: bool = False,
) -> tuple[Quoted, ...]:
    """What ``files`` (changelogs by name) say of ``terms`` about the releases in (``old``, ``new``].

    The likeliest of ``terms`` come first. Entries that say what to use instead come before those that speak
    of removals, then deprecations, and introductions last. Empty when nothing names any of them.
    ``called``: those of ``terms`` that no error names, as the code that failed only calls them: what is new
    about them broke nothing. ``together``: only entries that name all of them, and say that one is there now,
    or instead of another.
    """
    found: dict[tuple[str, str], _Found] = {}
    left, most = _MOST_TEXT, _MOST_WEIGHED
    for name, data in sorted(files.items(), key=lambda item: (item[0].count("/"), len(item[0]), item[0])):
        read = data[:left]
        left -= len(read)
        if not any(term.encode("utf-8", "replace") in read for term in terms):
            continue
        lines = lines_of(read)
        for section in sections_of_file(name, lines, old, new):
            weighed = _found(name, section, terms, called, most=most, together=together)
            most -= len(weighed)
            for one in weighed:
                found.setdefault(one.said, one)
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
    # What was moved or removed then is not what is there still, where prose has the word for other things.
    gone = _UNUSUAL.search(quoted.about) is not None and _REMOVAL.search(text) is not None
    return (gone or _DEPRECATION.search(text) is not None) and bool(quoted.replacement or read_hint(text))


def tells_of_a_change(text: str) -> bool:
    """Whether an entry says that something goes, or is otherwise now; not of what only came."""
    return any(known.search(text[:_LONGEST_ENTRY]) for known in (_REMOVAL, _DEPRECATION, _TURNS))


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


def _found(
    name: str,
    section: Section,
    terms: Sequence[str],
    called: Collection[str],
    *,
    most: int,
    together: bool,
) -> list[_Found]:
    """The entries of the section that name one of ``terms``, ``most`` at the most."""
    entries = entries_of(section.lines)
    found: list[_Found] = []
    for number, entry in enumerate(entries):
        if len(found) >= most:
            break
        if together and not (_TURNS.search(entry.text) and all(names_it(entry.text, one) for one in terms)):
            continue
        for place, term in enumerate(terms):
            in_heading = any(names_it(heading, term) for heading in entry.headings)
            if not names_it(entry.text, term) and not in_heading:
                continue
            whole = " ".join((*entry.headings, entry.text))[:_LONGEST_ENTRY]
            below = _below(entries, number)
            said = replacement_in(" ".join((whole, *(other.text for other in below))), term)
            if term in called and not said and _kind(entry) == _IS_NEW:
                continue
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
            said_in_words = _NO_LETTER.sub("", f"{term} {entry.text[:_LONGEST_ENTRY]}")
            found.append(_Found(rank=rank, quoted=quoted, said=(section.version, said_in_words)))
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
            return _IS_NEW
    return 2


def _numbers(version: str) -> int:
    """A number that is larger for later releases."""
    parts = [int(part) for part in re.findall(r"\d{1,5}", version)[:3]]
    return sum(part * 100_000 ** (2 - place) for place, part in enumerate(parts))


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
    stripped = (line.strip() for line in lines)
    shown = [
        f"{line[:LONGEST_LINE]}\u2026" if len(line) > LONGEST_LINE else line for line in stripped if line
    ]
    return Quoted(
        file=name.partition("/")[2] or name,
        version=version,
        lines=tuple(shown[:MOST_LINES]),
        about=about,
        replacement=replacement,
    )
