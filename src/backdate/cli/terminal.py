"""Text that may be shown on a terminal or in a CI log: whatever hostile code put in, it stays text."""

from __future__ import annotations

import re
import sys

# Control characters (an escape sequence starts with one, or with one of C1), what changes the direction or
# the line without being seen, and lone surrogates, which no encoding can write.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
# What CI services obey in a log: GitHub "::error::…" where a line begins and "##[error]…" anywhere, Azure
# "##vso[…]" and TeamCity "##teamcity[…]".
_COMMAND = re.compile(r"\A(\s*):(?=:)|#(?=#\w*\[)")


def printable(text: str, *, lines: bool = False) -> str:
    r"""``text`` with every character that a terminal or a CI service would obey written out (``\x1b``).

    Tabs stay. With ``lines`` line ends stay as well; without, nobody can make one line look like two.
    """
    if lines:
        return "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    safe = _UNSAFE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)
    return _COMMAND.sub(lambda match: f"{match[1] or ''}\\x{ord(match.group()[-1]):02x}", safe)


def write_anything() -> None:
    """Let the standard streams write out, as an escape, what their encoding does not know."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a stream that a test put there may be without
            reconfigure(errors="backslashreplace")


def tell(text: str) -> None:
    """Print a message, which may quote anything, on standard error."""
    print(printable(text, lines=True), file=sys.stderr, flush=True)  # noqa: T201 - this is the terminal's side
