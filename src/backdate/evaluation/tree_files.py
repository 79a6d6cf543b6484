"""Files of a task's tree, with an answer or without: a data set or an answer may have made links of them."""

from __future__ import annotations

from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes

_LARGEST_FILE = 64 * 1024 * 1024


def bytes_in(tree: Path, file: str) -> bytes | None:
    """What a file of a tree holds; None for none, and for one that a link has outside of the tree."""
    try:
        return read_bytes(tree, file, limit=_LARGEST_FILE)
    except ConfigurationError:
        return None


def text_of(tree: Path, file: str) -> str:
    """A file of a tree as text, whatever its bytes; empty for none."""
    return (bytes_in(tree, file) or b"").decode("utf-8", "replace")
