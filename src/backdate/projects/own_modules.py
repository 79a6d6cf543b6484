"""By which names the modules of a project may be imported."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

_DEEPEST = 4
_MOST_FOLDERS = 2_000


def top_level_names(tree: Path) -> frozenset[str]:
    """The top-level modules that the folders of ``tree`` hold which are no packages themselves.

    A test's own application lies beside the tests, and a package in ``src``; what a package carries along
    (``pkg/_vendor/six.py``) is imported as a part of it. Links are not followed.
    """
    return frozenset(name for folder in _folders(tree) for name in _names(folder))


def modules_at_root(files: Iterable[str]) -> frozenset[str]:
    """The modules and packages of code that lie in the root of a tree or in ``src``, by the tree's ``files``.

    Tests import these, whatever is installed; of ``top_level_names`` any may be that of a library, too, as a
    folder of tests or documents has it.
    """
    inside = (PurePosixPath(file.removeprefix("src/")).parts for file in files)
    tops = (parts[0] for parts in inside if len(parts) == 1 or parts[1:] == ("__init__.py",))
    return frozenset(top.removesuffix(".py") for top in tops)


def _folders(tree: Path) -> Iterator[Path]:
    """The root, and below it the folders that may stand on the path, at most ``_MOST_FOLDERS``."""
    level, count = [tree], 0
    for _ in range(_DEEPEST):
        below: list[Path] = []
        for folder in level:
            count += 1
            if count > _MOST_FOLDERS:
                return
            yield folder
            with os.scandir(folder) as entries:
                below += [
                    Path(entry.path)
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".")
                ]
        level = sorted(folder for folder in below if not (folder / "__init__.py").is_file())


def _names(folder: Path) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.removesuffix(".py")
            if name.isidentifier() and (name != entry.name or entry.is_dir(follow_symlinks=False)):
                yield name
