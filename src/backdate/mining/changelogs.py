"""What changelogs announce: names and arguments of which an entry says what takes their place.

A changelog is text that anybody may have written: it is read within bounds. An entry counts for the names
that the release before it had, and an argument for the functions of the entry that took it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.version import Version

from backdate.advising.changelog_archives import archive_of, read_changelogs
from backdate.advising.changelog_sections import ChangelogEntry, entries_of, lines_of, sections_of_file
from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.mining.announcements import AnnouncedBy, Announcement
from backdate.mining.candidates import MinedRelease, is_without_effect, said_replacement
from backdate.mining.documents import LONGEST_WORDS
from backdate.mining.mentions import MeantName, MentionedNames, names_mentioned
from backdate.projects.sources.download import download, new_client
from backdate.projects.sources.listing import fetch_listing
from backdate.text import UNREADABLE

_LARGEST_ARCHIVE = 96 * 1024 * 1024
_MOST_FILES = 400
_MOST_ENTRIES = 20_000
_BULLET = re.compile(r"\A(?:[-*+•]|\d{1,3}[.)])\s+")
_GOES = re.compile(
    r"\b(?:remov\w*|renam\w*|deprecat\w*|drop(?:s|ped)?|delet\w*|moved?|moving|replac\w*|superseded|obsolet\w*"
    r"|no longer|instead|in favou?r|backwards?[- ]incompatible|breaking|gone|expired?)\b|->|=>|\u2192",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadChangelogs:
    """What the changelogs of a distribution say of what goes."""

    entries: tuple[ToldEntry, ...]
    unread: tuple[str, ...]
    """Archives that are damaged or too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldEntry:
    """An entry of a changelog that speaks of something that goes."""

    version: Version
    """The release under which it stands."""
    text: str
    above: tuple[str, ...]
    """The headings and bullets that it stands under."""


def entries_of_changelogs(
    client: IndexClient, distribution: str, releases: Sequence[MinedRelease], cache: Path
) -> ReadChangelogs:
    """What the changelogs of ``releases``, from the oldest, say of what goes after the first of them.

    The sdist of the last release of each major version is read, or a wheel; a changelog mostly holds all
    that was before. Raises SourceError and IndexUnavailable.
    """
    if len(releases) < 2:
        return ReadChangelogs(entries=(), unread=())
    lasts = {release.version.major: str(release.version) for release in releases[1:]}
    first, found, unread = str(releases[0].version), dict[ToldEntry, None](), list[str]()
    listing = fetch_listing(client, distribution)
    for version in reversed(lasts.values()):
        file = archive_of(listing, version)
        if file is None:
            continue
        try:
            with new_client() as downloading:
                path = download(downloading, file, cache, most_bytes=_LARGEST_ARCHIVE)
            read = read_changelogs(path, first, version, what=file.filename, most_files=_MOST_FILES)
        except SourceError:
            unread.append(file.filename)
            continue
        for name, data in ({**read.files, **read.described} if read else {}).items():
            found |= dict.fromkeys(entries_in(name, data, first, version))
    return ReadChangelogs(entries=tuple(found)[:_MOST_ENTRIES], unread=tuple(unread))


def entries_in(name: str, data: bytes, old: str, new: str) -> Iterator[ToldEntry]:
    """What one changelog says of what goes in the releases after ``old`` up to ``new``."""
    for section in sections_of_file(name, lines_of(data), old, new):
        try:
            version = Version(section.version)
        except UNREADABLE:
            continue
        for entry in entries_of(section.lines):
            if _GOES.search(entry.text) or any(map(_GOES.search, entry.headings)):
                yield _told(version, entry)


def _told(version: Version, entry: ChangelogEntry) -> ToldEntry:
    text = _BULLET.sub("", " ".join(entry.text.split()), count=1)
    return ToldEntry(version=version, text=text[: 2 * LONGEST_WORDS], above=entry.headings)


def told_by_changelogs(
    releases: Sequence[MinedRelease], entries: Iterable[ToldEntry]
) -> tuple[MinedRelease, ...]:
    """``releases``, from the oldest, with what ``entries`` announce, and nothing else, as announcements.

    An entry stands at the first release that is not before its version, and is about names of that one and
    of the one before it.
    """
    known: dict[int, MentionedNames] = {}
    announced: list[dict[Announcement, None]] = [{} for _ in releases]
    for entry in entries:
        position = next((at for at, one in enumerate(releases) if one.version >= entry.version), None)
        if position is None:
            continue
        for at in (position, position - 1) if position else (position,):
            if at not in known:
                known[at] = MentionedNames(releases[at].names)
            announced[position] |= dict.fromkeys(announcements_of(entry, known[at]))
    return tuple(
        replace(release, announcements=tuple(found))
        for release, found in zip(releases, announced, strict=True)
    )


def announcements_of(entry: ToldEntry, names: MentionedNames) -> Iterator[Announcement]:
    """The names and arguments of a release that an entry says what takes the place of."""
    mentions = names_mentioned(entry.text)
    above = names_mentioned(". ".join(entry.above))
    context = (*above, *mentions)
    meant = {mention: names.meant(mention, context) for mention in dict.fromkeys(context)}
    functions = {one.home: one for found in meant.values() for one in found}
    found = [
        one
        for mention in mentions
        if not _is_called_argument(entry.text, mention)
        for item in meant[mention]
        for one in _said(entry, item)
    ]
    found += [
        one
        for mention in mentions
        if "." not in mention
        for function in functions.values()
        if names.names.takes(function.home, mention)
        for one in _said(entry, function, mention)
    ]
    # What takes another one's place in these words does not go by them.
    stays = {said_replacement(one, _subject(one)).rpartition(".")[2] for one in found}
    yield from (one for one in found if _subject(one) not in stays)


def _is_called_argument(text: str, mention: str) -> bool:
    """Whether ``text`` says next to it that ``mention`` is an argument, and so no name or member."""
    written = rf"[`'\"~.]{{0,3}}{re.escape(mention)}(?:=\w{{0,40}})?[`'\"]{{0,2}}"
    kinds = r"(?:keyword|kwarg|argument|parameter|param)s?\b"
    return re.search(rf"\b{kinds} {written}(?!\w)|{written} (?:\w{{1,20}} )?{kinds}", text) is not None


def _subject(announcement: Announcement) -> str:
    return announcement.argument or announcement.name.rpartition(".")[2]


def _said(entry: ToldEntry, meant: MeantName, argument: str = "") -> Iterator[Announcement]:
    """The announcement, where the entry's own words, or those with its headings, say what to do."""
    for words in (entry.text, ". ".join((*entry.above[-2:], entry.text))):
        announcement = Announcement(
            name=meant.home,
            argument=argument,
            words=words[:LONGEST_WORDS],
            by=AnnouncedBy.CHANGELOG,
            line=0,
            version=str(entry.version),
        )
        if said_replacement(announcement, _subject(announcement)) or (
            argument and is_without_effect(announcement)
        ):
            yield announcement
            return
