"""Files of a tree that are no Python and that edits may be made of: templates of pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from backdate.editing.encodings import NotText, decode_source
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes
from backdate.projects.tree import walk_tree

TEMPLATE_SUFFIXES = (".html", ".htm", ".djhtml")
_MOST_FILES = 2_000
_LARGEST_FILE = 256 * 1024


def template_texts(tree: Path) -> Iterator[tuple[str, str]]:
    """The templates of a tree with tags in them, and their texts; without what is large or no text."""
    names = (path.relative_to(tree).as_posix() for path, _ in walk_tree(tree))
    templates = (name for name in names if name.endswith(TEMPLATE_SUFFIXES))
    for _, name in zip(range(_MOST_FILES), templates, strict=False):
        try:
            data = read_bytes(tree, name, limit=_LARGEST_FILE) or b""
            text = decode_source(data, is_python=False).content if b"{%" in data else ""
        except (ConfigurationError, NotText):
            continue
        if text:
            yield name, text
