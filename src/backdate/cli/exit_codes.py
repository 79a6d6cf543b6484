"""What the process says when it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backdate.checking.result import Verdict

OK = 0
"""Nothing broke; or the command did what it was asked."""
BROKE = 1
"""Something broke."""
CANNOT_TELL = 2
"""There is no full answer, and the output says why."""
MISUSE = 3
"""The command line, a date or a source is wrong."""
MACHINE = 4
"""This machine lacks something (a sandbox, an interpreter, the index, disk space)."""
STORED = 5
"""A file that backdate wrote is damaged or too new."""
BUG = 70
"""backdate itself went wrong, in a way that nobody foresaw (EX_SOFTWARE of sysexits.h)."""
INTERRUPTED = 130
"""Ctrl-C."""
PIPE = 141
"""Whoever read the output went away."""
TERMINATED = 143
"""SIGTERM; it ends a command as Ctrl-C does."""


def of_verdict(verdict: Verdict) -> int:
    """The exit status for a check's verdict."""
    # Results are imported where there is one, not at every start of the program.
    from backdate.checking.result import Verdict

    return {
        Verdict.NOTHING_BROKE: OK,
        Verdict.BROKE: BROKE,
        Verdict.FAILS_DIFFERENTLY: CANNOT_TELL,
        Verdict.CANNOT_TELL: CANNOT_TELL,
    }[verdict]
