"""The core metadata of a distribution, as anybody may have written them.

The reader of ``packaging`` takes time that grows with the square of the number of different headers: a
megabyte of them is minutes. No honest distribution has fifty.
"""

from __future__ import annotations

import re

from packaging.metadata import RawMetadata, parse_email

_MOST_HEADERS = 100
"""Different ones: the specification has thirty."""
_MOST_LINES = 50_000
_END_OF_HEADERS = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_HEADER = re.compile(rb"(?:\A|(?<=[\r\n]))[!-9;-~]{0,200}")


def read_core_metadata(data: bytes) -> tuple[RawMetadata, dict[str, list[str]]] | None:
    """What ``data`` say, and what of it cannot be understood; None where they are more than is read."""
    names = _HEADER.findall(_END_OF_HEADERS.split(data, maxsplit=1)[0])
    if len(names) > _MOST_LINES or len({name.lower() for name in names}) > _MOST_HEADERS:
        return None
    return parse_email(data)
