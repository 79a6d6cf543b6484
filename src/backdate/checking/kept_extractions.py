"""What the files of a tree said about recipes before: importing what reads them, and reading, takes long.

It is a function of the tree, the kinds of files that are read, and the program. Where extensions read files
too, nothing is kept: what they say is theirs to decide each time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

from backdate.checking.dated_project import DatedProject
from backdate.environments.cache import Cache
from backdate.recipes.extraction import Extraction
from backdate.recipes.sources.kinds import SourceKind
from backdate.serial import digest
from backdate.version import __version__

_FORMAT = 1
"""Part of every key: raise it when the form of what is kept changes."""
_ROOM = "extractions"
_HOLDS_METADATA = ("-info", ".egg", ".egg-link")
_READERS = ("editing", "knowledge", "projects", "recipes", "sandboxes/services")
"""The rooms of backdate whose code and tables decide what is read."""


def extraction_of(dated: DatedProject, sources: Collection[SourceKind], cache: Cache) -> Extraction:
    """What ``extract_recipes`` says of the tree, from ``cache`` where it said so before."""
    tree = (dated.digest, dated.tree.name)  # a text may say how a folder of that name is installed
    key = digest("extraction", _FORMAT, tree, sorted(sources), __version__, program_state())
    kept = cache.read(Extraction, _ROOM, key)
    if kept is not None:
        return kept
    from backdate.extensions import ExtensionGroup, all_extensions
    from backdate.recipes.extract import extract_recipes

    found = extract_recipes(dated.tree, sources)
    if not all_extensions(ExtensionGroup.RECIPE_SOURCES):
        cache.write(_ROOM, key, found)
    return found


def program_state(root: Path = Path(__file__).parents[1]) -> tuple[object, ...]:
    """What changes whenever other code would read the files: what is installed, and what somebody edits."""
    installed = [found for entry in dict.fromkeys(sys.path) for found in sorted(_distributions(entry))]
    return (sys.version, installed, [state for room in _READERS for state in sorted(_files(root / room))])


def _distributions(entry: str) -> Iterator[tuple[str, int]]:
    """The distributions at an entry of ``sys.path``, of which one may bring an extension."""
    try:
        with os.scandir(entry or ".") as found:
            for one in found:
                if one.name.endswith(_HOLDS_METADATA):
                    yield one.path, one.stat().st_mtime_ns
    except NotADirectoryError:  # an archive
        yield entry, Path(entry).stat().st_mtime_ns
    except OSError:
        return  # nothing is imported from there


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".toml")):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _files(Path(entry.path))
