"""Text that may be shown on a terminal: whatever hostile code put into a message, it stays text."""

from __future__ import annotations

import re
import sys

# Control characters (an escape sequence starts with one, or with one of C1), what changes the direction or
# the line without being seen, and lone surrogates, which no encoding can write.
_UNSAFE = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def printable(text: str, *, lines: bool = False) -> str:
    r"""``text`` with every character that a terminal would obey written out (``\x1b``); tabs stay.

    With ``lines`` line ends stay as well; without, nobody can make one line look like two.
    """
    if lines:
        return "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return _UNSAFE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)


def write_anything() -> None:
    """Let the standard streams write out, as an escape, what their encoding does not know."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a stream that a test put there may be without
            reconfigure(errors="backslashreplace")


def tell(text: str) -> None:
    """Print a message, which may quote anything, on standard error."""
    print(printable(text, lines=True), file=sys.stderr, flush=True)  # noqa: T201 - this is the terminal's side
