"""Finding lines: regular expressions in time that grows with the text alone.

Patterns come from a model and texts from a repository, so Python's own engine could be kept busy for years
by eight characters. RE2 matches in linear time and bounded memory, in this process, without one per search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from backdate.errors import UsageError
from backdate.solvers.tools.interface import ToolRefusal

MOST_MATCHES = 50
_LONGEST_PATTERN = 1000
_MEMORY_BYTES = 8 * 1024 * 1024


_MOST_MISSES = 200
"""How many lines may look like a match across lines, and be none, before lines are looked at one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A compiled search, over bytes so that any file can be searched."""

    is_match: Callable[[bytes], bool]
    """Whether a line matches."""
    find: Callable[[bytes, int], int] | None
    """Where in many lines the next match begins, from a position on, or -1; None for a pattern whose meaning
    depends on where a line begins and ends."""
    note: str = ""
    """What to know about how the pattern was read."""


def compile_pattern(text: str) -> Pattern:
    """A search for the regular expression ``text``; one that RE2 does not take is searched for as it stands.

    Raises ToolRefusal for an empty or endless one, and UsageError when RE2 is not installed.
    """
    if not text.strip():
        raise ToolRefusal("the query is empty.")
    if len(text) > _LONGEST_PATTERN:
        raise ToolRefusal(f"the query is longer than {_LONGEST_PATTERN} characters.")
    try:
        import re2
    except ImportError as error:
        raise UsageError("searching needs RE2: install google-re2") from error
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY_BYTES
    options.encoding = re2.Options.Encoding.LATIN1
    raw = text.encode("utf-8", "replace")
    try:
        line = re2.compile(raw, options)
    except re2.error as error:
        why = error.args[0].decode("utf-8", "replace") if error.args else "not understood"
        note = f"({text!r} is no regular expression here: {why}. It was searched for as plain text.)"
        return Pattern(is_match=lambda data: raw in data, find=lambda data, at: data.find(raw, at), note=note)
    anchored = any(mark in text for mark in ("\\A", "\\z", "^", "$", "(?"))

    def find(data: bytes, at: int) -> int:
        match = line.search(data, at)
        return -1 if match is None else int(match.start())

    return Pattern(is_match=lambda data: line.search(data) is not None, find=None if anchored else find)


def matching_lines(pattern: Pattern, data: bytes) -> Iterator[tuple[int, str]]:
    """The number (from 1) and text of each line that matches."""
    if pattern.find is None or b"\r" in data.replace(b"\r\n", b"\n"):
        yield from _line_by_line(pattern, data, 1)
        return
    at, number, misses = 0, 1, 0
    # What matches within a line matches in the whole too, and begins in that line: jump from one to the next.
    while (at_match := pattern.find(data, at)) >= 0:
        number += data.count(b"\n", at, at_match)
        start = data.rfind(b"\n", at, at_match) + 1 or at
        end = data.find(b"\n", at_match)
        end = len(data) if end < 0 else end
        line = data[start:end].removesuffix(b"\r")
        if pattern.is_match(line):
            yield number, _shown(line)
        else:
            misses += 1
        at, number = end + 1, number + 1
        if at > len(data):
            return
        if misses > _MOST_MISSES:
            yield from _line_by_line(pattern, data[at:], number)
            return


def _line_by_line(pattern: Pattern, data: bytes, first: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(re.split(rb"\r\n|\n|\r", data), start=first):
        if pattern.is_match(line):
            yield number, _shown(line)


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "replace").strip()
    return text if len(text) <= 300 else f"{text[:300]} …"


def render_matches(found: list[str], note: str, *, nothing: str) -> str:
    """The answer of a search: at most ``MOST_MATCHES`` lines, and what to do when there are more."""
    if not found:
        return f"{note}\n{nothing}".strip()
    more = len(found) > MOST_MATCHES
    head = f"{'More than ' if more else ''}{min(len(found), MOST_MATCHES)} matches:"
    tail = "There are more; give a narrower query." if more else ""
    return "\n".join(part for part in (note, head, *found[:MOST_MATCHES], tail) if part)
