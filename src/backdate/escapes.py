"""Escape sequences: what programs write between their words to colour them or to move about a terminal.

They stand in the output of builds, package managers and test runners, which is read here by rules that know
the words alone.
"""

from __future__ import annotations

import re

_ESCAPE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # control sequences: colours, movements
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # operating system commands: titles, links
    r"|[()][A-Z0-9]"  # character sets
    r")"
)


def without_escapes(text: str) -> str:
    """``text`` without escape sequences (ECMA-48: CSI and OSC, and the choice of a character set)."""
    return _ESCAPE.sub("", text) if "\x1b" in text else text
