"""Small helpers for text that is shown or read: lines, counts, ends of files, numbers of versions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

UNREADABLE = (ValueError, RecursionError)
"""What the readers of ``packaging`` raise for text of strangers: their own errors are ValueErrors, as is that
of a number of thousands of digits; parentheses that nest deep end in a RecursionError."""
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


def version_numbers(version: str) -> tuple[int, ...]:
    """The dotted numbers that ``version`` begins with: (3, 8, 10) of "3.8.10"; () when there are none."""
    match = _NUMBERS.match(version)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def minor_version(version: str) -> str:
    """The first two parts of a version: "3.8" of "3.8.10"."""
    return ".".join(version.split(".")[:2])
