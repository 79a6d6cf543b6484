"""How patches spell bytes and paths: surrogate escapes for bytes, quotes as in C for odd names."""

from __future__ import annotations

import re

NO_FILE = b"/dev/null"
"""What a header names in the place of a file that does not exist on that side."""

_ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_SIMPLE_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}


def encode_patch(patch: str) -> bytes:
    """The bytes of a patch, to be written to a file or handed to a program.

    Raises UnicodeEncodeError for characters that no bytes stand behind (most lone surrogates).
    """
    return patch.encode("utf-8", "surrogateescape")


def decode_patch(data: bytes) -> str:
    """The text of a patch; bytes that are not UTF-8 become surrogate escapes."""
    return data.decode("utf-8", "surrogateescape")


def header_path(path: str) -> bytes:
    """``path`` as a ``---`` or ``+++`` line names it.

    Quoted as in C where it must be, else ended by a tab where it has spaces.
    """
    raw = encode_patch(path)
    if any(_needs_quotes(byte) for byte in raw):
        return _quoted(raw)
    return raw + b"\t" if b" " in raw else raw


def empty_file_header(path: str, *, created: bool) -> str:
    """git's extended header of an empty file that comes or goes: a plain header would have no hunk."""
    raw = encode_patch(path)
    # Nothing separates the two names but a space, so names with spaces are quoted here.
    name = decode_patch(_quoted(raw) if b" " in raw else header_path(path))
    return f"diff --git {name} {name}\n{'new' if created else 'deleted'} file mode 100644\n"


def unquoted(name: bytes) -> bytes:
    """The bytes that a name in a header stands for; escapes that C does not have stay as they are."""
    if not (len(name) >= 2 and name.startswith(b'"') and name.endswith(b'"')):
        return name

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 255 if code.isdigit() else _SIMPLE_ESCAPES[code]])

    return _ESCAPE.sub(byte, name[1:-1])


def _needs_quotes(byte: int) -> bool:
    return byte < 0x20 or byte == 0x7F or byte in b'"\\'


def _quoted(raw: bytes) -> bytes:
    return b'"' + b"".join(b"\\%03o" % b if _needs_quotes(b) else bytes([b]) for b in raw) + b'"'
