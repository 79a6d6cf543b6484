"""Logs as CI services store them, back to what the programs printed.

GitHub Actions, Azure Pipelines and GitLab put a timestamp before each line; ``gh run view --log`` also the
names of the job and the step. GitHub and Azure mark groups and errors with ``##[…]``, GitLab and Travis with
lines of their own that a terminal does not show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.escapes import without_escapes

_STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z"
_PREFIX = re.compile(rf"(?:[^\t\n]*\t[^\t\n]*\t)?\ufeff?{_STAMP}(?: \d\d[OE][+ ]?)? ?")
_MARK = re.compile(r"##\[(?:group|endgroup|section|command|debug|warning|notice|error)\]|::(?:end)?group::")
_HIDDEN = re.compile(r"(?:section_(?:start|end):\d+:|travis_(?:fold|time):(?:start|end):)[^\r\n]*\r?")
_GITHUB_ROOT = re.compile(r"(/home/runner/work/[^/\s]+/[^/\s:'\"]+)")


def plain_lines(text: str) -> list[str]:
    """The lines of a log without escape sequences, timestamps and marks; as many as the log has.

    A timestamp is taken off only when most lines have one: programs print some themselves.
    """
    lines = without_escapes(text.removeprefix("\ufeff").replace("\r\n", "\n")).split("\n")
    if _mostly_stamped(lines):
        lines = [_PREFIX.sub("", line, count=1) for line in lines]
    return [_last_overwrite(_MARK.sub("", _HIDDEN.sub("", line), count=1)) for line in lines]


def workspace_of(lines: Sequence[str]) -> str | None:
    """The folder into which GitHub's runner checked the project out, where a log of it names one."""
    for line in lines:
        match = _GITHUB_ROOT.search(line)
        if match is not None:
            return match.group(1)
    return None


def _mostly_stamped(lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    return sum(_PREFIX.match(line) is not None for line in filled) * 2 > len(filled)


def _last_overwrite(line: str) -> str:
    """What a terminal shows in the end of a line that was written over, as progress bars do."""
    return line.rstrip("\r").rpartition("\r")[2]
