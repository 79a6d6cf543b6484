"""A changelog's sections by release, and the entries of a section with the headings that they stand under.

Headings are known by the version that they hold: underlined or with ``#``, a line of its own, or the
``:version:`` of Sphinx' changelog directive. Everything is read line by line, in time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from packaging.version import Version

from backdate.advising.changelog_files import is_guide, is_within, release_of_file
from backdate.text import UNREADABLE

_LONGEST_HEADING = 120
_MOST_LINES_OF_FILE = 100_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_MOST_ENTRIES = 20_000
_DEEPEST = 6
"""Headings, and bullets, one below the other that are remembered."""
LONGEST_ABOVE = 600
"""Characters of a bullet, or of what introduces bullets, that are remembered for those below."""
_VERSION = re.compile(
    r"(?<![\w.])v?(\d{1,5}(?:\.\d{1,5}){1,3}(?:\.?(?:a|b|rc|dev|post)\d{0,4})?)(?![\w])(?!\.\d)"
)
_OF_ANOTHER = re.compile(r"\b(?:python|cpython|pypy|with|than|on|for|from)\s*$", re.IGNORECASE)
"""Words before a version that is not the release's own."""
_UNDERLINE = re.compile(r"([=\-~^#*\"'+`_.:])\1{2,}\s*")
_HASHES = re.compile(r"#{1,6}(?=\s|\[)")
_BULLET = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)]|\.\. change::)(?:\s+|$)")
_ROLE = re.compile(r"\s*:version:\s*(\S{1,40})\s*$")
_FIELD = re.compile(r"\s*:[a-z]{1,20}:(?:\s|$)")
"""An option of a directive: ``:tags: bug, sql``."""
_DIRECTIVE = re.compile(r"\s*\.\. [a-z-]{1,30}::")
_CODE = re.compile(
    r"\s*\.\. (?:code|code-block|sourcecode|ipython|doctest|testcode|literalinclude|highlight)::"
)
_BOLD = re.compile(r"\*\*[^*]{1,100}\*\*:?|[A-Z][\w /-]{2,60}:")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogEntry:
    """A bullet with its further lines, or a paragraph."""

    lines: tuple[str, ...]
    headings: tuple[str, ...] = ()
    """The headings below the release's own under which it stands, the outer one first, and the bullets and
    paragraphs ("these were removed:") that introduce it."""

    @property
    def text(self) -> str:
        """Its lines in one."""
        return " ".join(line.strip() for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a changelog says of one release."""

    version: str
    lines: tuple[str, ...]


@dataclass(slots=True)
class _OpenHeading:
    """A heading, or a bullet, that further lines stand under."""

    depth: int
    text: str


@dataclass(slots=True)
class _StandsAbove:
    """What is open while a section is read."""

    headings: list[_OpenHeading] = field(default_factory=list)
    bullets: list[_OpenHeading] = field(default_factory=list)
    intro: str = ""
    """The paragraph before, when it introduces what follows: it ends with a colon."""
    styles: list[str] = field(default_factory=list)
    """Underlines in the order in which they are met: each is one level deeper."""

    def above(self, indent: int) -> tuple[str, ...]:
        """What an entry at ``indent`` stands under."""
        self.bullets = [bullet for bullet in self.bullets if bullet.depth < indent][-_DEEPEST:]
        intro = (self.intro,) if self.intro else ()
        return (
            *(heading.text for heading in self.headings),
            *intro,
            *(bullet.text for bullet in self.bullets),
        )

    def open_heading(self, text: str, style: str) -> None:
        """A heading: it closes those of its level and below."""
        if style not in self.styles:
            self.styles.append(style)
        depth = len(style) if style.startswith("#") else self.styles.index(style)
        self.headings = [heading for heading in self.headings if heading.depth < depth]
        self.headings = [*self.headings[1 - _DEEPEST :], _OpenHeading(depth, text)]
        self.bullets, self.intro = [], ""


def lines_of(data: bytes) -> list[str]:
    """The lines of a changelog without control characters; of an enormous one the first."""
    text = data.decode("utf-8", "replace").expandtabs(4)
    return [
        _CONTROL.sub("", line).rstrip()
        for line in text.split("\n", _MOST_LINES_OF_FILE)[:_MOST_LINES_OF_FILE]
    ]


def sections_of_file(name: str, lines: Sequence[str], old: str | None, new: str) -> list[Section]:
    """The sections of a changelog about the releases in (``old``, ``new``], by their headings.

    A file about one release without such headings is one section.
    """
    sections = sections_between(lines, old, new)
    about = release_of_file(name)
    if about is not None and about.count(".") > 1:  # what it names of other series is another library's
        sections = [section for section in sections if _is_of_series(section.version, about)]
    if not sections and about is not None and is_within(about, old, new):
        return [Section(version=about, lines=tuple(lines))]
    if not sections and about is None and is_guide(name) and _is_major(old, new):
        return [Section(version=new, lines=tuple(lines))]
    if about is not None and is_within(about, old, new) and not any(":version:" in line for line in lines):
        return [Section(version=about, lines=tuple(lines))]  # its headings may name what was before
    return sections


def _is_of_series(version: str, release: str) -> bool:
    return version.split(".")[:2] == release.split(".")[:2]


def _is_major(old: str | None, new: str) -> bool:
    try:
        return old is not None and Version(old).major < Version(new).major
    except UNREADABLE:
        return False


def sections_between(lines: Sequence[str], old: str | None, new: str) -> list[Section]:
    """The sections of the releases in (``old``, ``new``], in the order of the file."""
    sections: list[Section] = []
    version: str | None = None
    taken: list[str] = []
    for number, line in enumerate(lines):
        heading = heading_of(lines, number)
        if heading is None:
            if version is not None and not (not taken and _UNDERLINE.fullmatch(line)):
                taken.append(line)
            continue
        if version is not None:
            sections.append(Section(version=version, lines=tuple(taken)))
        version, taken = (heading, []) if is_within(heading, old, new) else (None, [])
    if version is not None:
        sections.append(Section(version=version, lines=tuple(taken)))
    return [section for section in sections if any(line.strip() for line in section.lines)]


def heading_of(lines: Sequence[str], number: int) -> str | None:
    """The version that a line is the heading of; None when it is no heading of a release."""
    role = _ROLE.fullmatch(lines[number][:200])
    if role is not None:
        match = _VERSION.search(role[1])
        return match[1] if match else None
    line = lines[number].strip()
    if not line or len(line) > _LONGEST_HEADING or lines[number].startswith((" ", "\t")):
        return None
    matches = list(_VERSION.finditer(line))
    if not matches:
        return None
    match = matches[-1] if re.search(r"\bto\s+v?$", line[: matches[-1].start()]) else matches[0]
    before = line[: match.start()]
    if match is matches[0] and _OF_ANOTHER.search(before):
        return None
    following = lines[number + 1] if number + 1 < len(lines) else ""
    marked = line.startswith(("#", "=", "[", "**")) or _UNDERLINE.fullmatch(following) is not None
    # "2.0.0 (2024-01-01)", "Version 2.0", "pyyaml 6.0, released …": nothing but a word or two stands before
    short = len(before.split()) <= 2 and not _BULLET.match(line) and not line.endswith((".", ","))
    if marked:
        return match[1] if len(before.split()) <= 5 else None
    return match[1] if short and len(line) < 60 else None


def entries_of(lines: Sequence[str]) -> list[ChangelogEntry]:
    """The entries of a section, each with what it stands under."""
    reader, entries = _StandsAbove(), list[ChangelogEntry]()
    lines = _without_code(lines)
    number = 0
    while number < len(lines) and len(entries) < _MOST_ENTRIES:
        line = lines[number]
        style = _style(lines, number)
        if style:
            reader.open_heading(line.strip().strip("#* ").rstrip(":"), style)
            number += 2 if not style.startswith(("#", "bold")) else 1
            continue
        if not line.strip() or _UNDERLINE.fullmatch(line) or _FIELD.match(line):
            number += 1
            continue
        number = _entry(lines, number, reader, entries)
    return entries


def _without_code(lines: Sequence[str]) -> list[str]:
    """The lines with blocks of code left empty: what a program prints is not what the changelog says."""
    prose: list[str] = []
    fence, block = "", -1  # the indentation of what introduces a block; -1 outside of one
    for line in lines:
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if fence or stripped.startswith(("```", "~~~ ", "~~~p")):
            opens = not fence
            fence = stripped[:3] if opens else "" if stripped.startswith(fence) else fence
            prose.append("")
            continue
        if block >= 0 and stripped and indent <= block:
            block = -1
        prose.append("" if block >= 0 else line)
        if block < 0 and (_CODE.match(line) or (stripped.endswith("::") and not stripped.startswith(".."))):
            block = indent
            prose[-1] = (
                "" if stripped.startswith("..") or stripped == "::" else line.rstrip().removesuffix(":")
            )
    return prose


def _entry(lines: Sequence[str], number: int, reader: _StandsAbove, entries: list[ChangelogEntry]) -> int:
    """Read the entry that begins at a line; the number of the first line behind it."""
    line = lines[number]
    bullet = _BULLET.match(line)
    indent = len(line) - len(line.lstrip())
    above = reader.above(indent)
    if bullet is None and not any(opened.depth < indent for opened in reader.bullets):
        above = tuple(text for text in above if text != reader.intro)
        reader.intro = ""
    taken = [line]
    number += 1
    while number < len(lines):
        further = lines[number]
        if not further.strip() or _BULLET.match(further) or _style(lines, number):
            break
        if not _FIELD.match(further) and not _DIRECTIVE.match(further):
            taken.append(further)
        number += 1
    if _DIRECTIVE.match(taken[0]):
        del taken[0]
    entry = ChangelogEntry(lines=tuple(taken), headings=above)
    if taken and entry.text.strip():
        entries.append(entry)
    if bullet is not None:
        reader.bullets.append(_OpenHeading(indent, entry.text[:LONGEST_ABOVE]))
    elif entry.text.endswith(":"):
        reader.intro = entry.text[:LONGEST_ABOVE]
    return number


def _style(lines: Sequence[str], number: int) -> str:
    """How a line is marked as a heading: its hashes or underline; "" when it is none."""
    line = lines[number]
    hashes = _HASHES.match(line)
    if hashes is not None:
        return hashes[0]
    if (
        not line.strip()
        or line.startswith((" ", "\t"))
        or _BULLET.match(line)
        or len(line) > _LONGEST_HEADING
    ):
        return ""
    following = lines[number + 1] if number + 1 < len(lines) else ""
    underline = _UNDERLINE.fullmatch(following.rstrip())
    if underline is not None and not _UNDERLINE.fullmatch(line):
        return underline[1]
    alone = (number == 0 or not lines[number - 1].strip()) and _BOLD.fullmatch(line.strip())
    return "bold" if alone and line.strip().startswith("**") else ""
