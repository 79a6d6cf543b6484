"""Small helpers for text that is shown or read: lines, counts, ends of files, numbers of versions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

UNREADABLE = (ValueError, RecursionError)
"""What the readers of ``packaging`` raise for text of strangers: their own errors are ValueErrors, as is that
of a number of thousands of digits; parentheses that nest deep end in a RecursionError."""
_VERSIONS_LISTED = re.compile(r"\(from versions: ([^()]{1,20000})\)")
_MOST_VERSIONS = 6
_LINK = re.compile(r"`([^`<>]{1,200}?)\s{0,3}<[^`<>\s]{1,400}>`__?")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]{1,200})\]\(https?://[^()\s]{1,400}\)")
_NUMBERS = re.compile(r"\d{1,9}(?:\.\d{1,9})*", re.ASCII)


@dataclass(frozen=True)
class LatePattern:
    """A regular expression that is compiled when it is first looked for: of long tables few are."""

    text: str
    flags: int = 0

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression itself."""
        return re.compile(self.text, self.flags)


def first_line(text: str, *, most: int = 300) -> str:
    """The first line of ``text`` that is not blank, stripped, at most ``most`` characters; "" without one."""
    return next((line.strip()[:most] for line in text.splitlines() if line.strip()), "")


def last_lines(text: str, count: int) -> str:
    """The last ``count`` lines of ``text``; "" when there are none."""
    return "\n".join(text.splitlines()[-count:])


def end_of_file(path: Path, most_bytes: int) -> str:
    """The text at the end of a file, at most ``most_bytes`` of it; "" when the file is not there."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - most_bytes))
            return file.read(most_bytes).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def plural(number: int, one: str, many: str = "") -> str:
    """The form of a word that goes with ``number``: ``one``, else ``many`` (the default adds an "s")."""
    return one if number == 1 else many or f"{one}s"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its word: "1 test", "3 tests"."""
    return f"{number} {plural(number, one, many)}"


def without_addresses(text: str) -> str:
    """``text`` with the words of its links alone, of reStructuredText and Markdown.

    >>> without_addresses("see `resources <https://docs.python.org/3/x.html>`_ and [metadata](https://a.b/c)")
    'see resources and metadata'
    """
    return _MARKDOWN_LINK.sub(r"\1", _LINK.sub(r"\1", text))


def as_sentence(text: str) -> str:
    """``text`` with one full stop at its end: what others say, such as a resolver, may have one."""
    return f"{text.rstrip('. ')}."


def with_few_versions(text: str) -> str:
    """``text`` in which pip's lists of all versions that there are name the first two and the newest.

    >>> with_few_versions("no match for x<1 (from versions: 1.0, 1.1, 1.2, 1.3, 1.4, 2.0, 2.1, 2.2, 2.3)")
    'no match for x<1 (from versions: 1.0, 1.1 … 2.3; 9 in all)'
    """
    return _VERSIONS_LISTED.sub(_few_versions, text)


def _few_versions(found: re.Match[str]) -> str:
    versions = found[1].split(", ")
    if len(versions) <= _MOST_VERSIONS:
        return found[0]
    first, second, *_, last = versions
    return f"(from versions: {first}, {second} … {last}; {len(versions)} in all)"


def version_numbers(version: str) -> tuple[int, ...]:
    """The dotted numbers that ``version`` begins with: (3, 8, 10) of "3.8.10"; () when there are none."""
    match = _NUMBERS.match(version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def minor_version(version: str) -> str:
    """The first two parts of a version: "3.8" of "3.8.10"."""
    return ".".join(version.split(".")[:2])
