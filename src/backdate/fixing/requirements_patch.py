"""A patch that adds missing requirements to what a project declares, for a person to look at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backdate.editing.diff import diff_files
from backdate.editing.encodings import decode_configuration
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes

_LARGEST = 1024 * 1024
_FILE = "requirements.txt"


def requirements_patch(tree: Path, missing: Sequence[str]) -> str:
    """The patch of the tree's ``requirements.txt``; "" where nothing is missing or there is no such file."""
    if not missing:
        return ""
    try:
        data = read_bytes(tree, _FILE, limit=_LARGEST)
    except ConfigurationError:
        return ""
    if data is None:
        return ""
    text = decode_configuration(data)
    end = text.newline
    content = text.content
    if content and not content.endswith(("\n", "\r")):
        content += end
    content += "".join(f"{name}{end}" for name in missing)
    return diff_files({_FILE: data}, {_FILE: text.encode(content)})
