"""Unpack the body of an HTTP response a piece at a time, so that a small body cannot fill the memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

PIECE_BYTES = 64 * 1024
_GZIP = 31  # zlib's number for "gzip with its header, the largest window"


class UnusableEncoding(ValueError):
    """The body is not encoded as it was asked for, or was cut short."""


def unpacked(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The body in pieces of at most PIECE_BYTES where it is packed. Raises UnusableEncoding.

    ``encoding`` is the Content-Encoding; only gzip is asked for and only gzip is unpacked.
    """
    encoding = encoding.strip().lower()
    if encoding in ("", "identity"):
        yield from chunks
    elif encoding in ("gzip", "x-gzip"):
        yield from _gunzipped(chunks)
    else:
        raise UnusableEncoding(f"the content encoding is {encoding[:60]!r}, and gzip was asked for")


def _gunzipped(chunks: Iterable[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(_GZIP)
    began = False
    for chunk in chunks:
        data = chunk
        began = began or bool(chunk)
        while True:
            if member.eof and data:
                member = zlib.decompressobj(_GZIP)  # a gzip body may have several members
            try:
                piece = member.decompress(data, PIECE_BYTES)
            except zlib.error as error:
                raise UnusableEncoding(f"the body is not gzip as it says: {error}") from error
            if piece:
                yield piece
            data = member.unused_data if member.eof else member.unconsumed_tail
            if not data and len(piece) < PIECE_BYTES:
                break
    if began and not member.eof:
        raise UnusableEncoding("the gzip body ends before its end (cut short on the way)")
