"""Files as text that can be written back: what an edit leaves alone stays byte by byte as it was."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
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
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class NotText(ValueError):
    """The file is no text, or none that an edit would preserve; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A decoded file; ``encode(content)`` are the bytes that were read."""

    content: str
    encoding: str
    mark: bytes = b""
    """The byte order mark, which is not part of ``content``."""
    errors: str = "strict"
    """How bytes that are not of the encoding are kept, as ``bytes.decode`` names it."""

    def encode(self, content: str) -> bytes:
        """``content`` in this file's encoding, behind its byte order mark. Raises UnicodeEncodeError."""
        return self.mark + content.encode(self.encoding, self.errors)

    @property
    def newline(self) -> str:
        """The line end that most lines have."""
        ends = _NEWLINE.findall(self.content)
        return max(("\n", "\r\n", "\r"), key=ends.count)


def decode_configuration(data: bytes) -> DecodedText:
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
            return DecodedText(content=data.decode(encoding), encoding=encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("Latin-1 decodes any bytes")


def decode_source(data: bytes, *, is_python: bool) -> DecodedText:
    """``data`` as text: Python source as its first lines declare (PEP 263), all else as UTF-8.

    Bytes that are not of that encoding become surrogate escapes in UTF-8. Raises NotText for binary data and
    for text that its encoding would not write back as it is.
    """
    if b"\0" in data:
        raise NotText("not a text")
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    encoding = "utf-8"
    if is_python and not mark:
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        except (SyntaxError, UnicodeError):
            encoding = "utf-8"
    body = data[len(mark) :]
    try:
        text = DecodedText(content=body.decode(encoding), encoding=encoding, mark=mark)
        if text.encode(text.content) != data:
            raise NotText(f"written in {encoding} in a way that an edit would not preserve")
    except (UnicodeError, LookupError):
        content = body.decode("utf-8", "surrogateescape")
        return DecodedText(content=content, encoding="utf-8", mark=mark, errors="surrogateescape")
    return text


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


def split_lines(content: str) -> tuple[str, ...]:
    """Each line with its end, as Python counts lines: a form feed or a Unicode separator is content."""
    return tuple(_LINE.findall(content))
