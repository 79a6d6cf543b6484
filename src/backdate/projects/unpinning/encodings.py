"""Configuration files as text, and back to the very same bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose little-endian mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_NEWLINE = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A decoded file; ``encode(content)`` are the bytes that were read."""

    content: str
    encoding: str
    mark: bytes
    """The byte order mark, which is not part of ``content``."""

    def encode(self, content: str) -> bytes:
        """``content`` in this file's encoding, behind its byte order mark."""
        return self.mark + content.encode(self.encoding)


def decode(data: bytes) -> DecodedText:
    """``data`` as text: by its byte order mark, else UTF-8, else Latin-1, which any bytes are.

    The order is pip's (``auto_decode``), as ``pip freeze > requirements.txt`` in PowerShell writes
    UTF-16. What is edited is ASCII, so a wrong guess between ASCII's supersets does no harm.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = DecodedText(content=data[len(mark) :].decode(encoding), encoding=encoding, mark=mark)
            except UnicodeDecodeError:
                break
            if text.encode(text.content) == data:
                return text
            break
    for encoding in ("utf-8", "latin-1"):
        try:
            return DecodedText(content=data.decode(encoding), encoding=encoding, mark=b"")
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 decodes any bytes")


def line_starts(content: str) -> list[int]:
    """The offset at which each line begins; lines end at LF, CR LF or CR."""
    return [0, *(match.end() for match in _NEWLINE.finditer(content))]


def lines_with_offsets(content: str) -> Iterator[tuple[int, str]]:
    """Each line without its end, behind the offset at which it begins; ends as in :func:`line_starts`."""
    start = 0
    for match in _NEWLINE.finditer(content):
        yield start, content[start : match.start()]
        start = match.end()
    if start < len(content):
        yield start, content[start:]
