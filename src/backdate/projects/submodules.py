"""Submodules of which a tree holds nothing but the folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.projects.sources.published_address import published_address

_SECTION = re.compile(r"(?m)^[ \t]*\[")
_SETTING = re.compile(r"(?m)^[ \t]*(path|url)[ \t]*=[ \t]*(\S.{0,500}?)[ \t]*$")
_MOST = 50


def empty_submodules(root: Path) -> tuple[tuple[str, str], ...]:
    """(folder, address) of each submodule that ``.gitmodules`` names and of which no file is in the tree."""
    try:
        text = read_text(root, ".gitmodules") or ""
    except ConfigurationError:
        return ()
    found = []
    for section in _SECTION.split(text)[1 : _MOST + 1]:
        settings = dict(_SETTING.findall(section))
        path = settings.get("path", "")
        if path and ".." not in path.split("/") and not path.startswith("/") and _is_empty(root / path):
            found.append((path, published_address(settings.get("url", ""))))
    return tuple(found)


def _is_empty(folder: Path) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return not folder.exists()
    with os.scandir(folder) as entries:
        return not any(entry.name != ".git" for entry in entries)
