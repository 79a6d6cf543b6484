"""Which files of a tree may hold pins, recognised by their names.

Files below a ``tests`` folder and among fixtures are what tests *read*: editing them would change what
the tests say. They are left alone, but for requirements files that lie in the tests folder itself or
in its ``requirements`` folder, and for what another file names with ``-r`` or ``-c``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

Format = Literal[
    "requirements", "constraints", "pyproject", "pipfile", "setup.cfg", "setup.py", "conda", "lock"
]

_REQUIREMENTS = re.compile(
    r"[^/]*(?:requirement|(?<![a-z])reqs?(?![a-z])|(?<![a-z])deps(?![a-z]))[^/]*\.(?:txt|in|pip)",
    re.IGNORECASE,
)
_CONSTRAINTS = re.compile(r"[^/]*constraints?[^/]*\.(?:txt|in|pip)", re.IGNORECASE)
_REQUIREMENTS_FOLDER = re.compile(r"(?:pip[-_])?(?:requirements?|reqs?|deps)", re.IGNORECASE)
_LOCK = re.compile(
    r"(?:poetry|pdm|uv)\.lock|Pipfile\.lock|conda-lock\.ya?ml|pylock(?:\.[^/.]+)?\.toml|requirements[^/]*\.lock"
)
_CONDA = re.compile(r"(?:conda[-_])?env(?:ironment)?(?:[-_.][^/]*)?\.ya?ml", re.IGNORECASE)
_PLAIN: dict[str, Format] = {
    "pyproject.toml": "pyproject",
    "Pipfile": "pipfile",
    "setup.cfg": "setup.cfg",
    "setup.py": "setup.py",
}

_NOT_SOURCE = frozenset(
    {
        *(".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", ".eggs", "__pycache__", "node_modules"),
        *("site-packages", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"),
    }
)
_TESTS = frozenset({"tests", "test", "testing"})

_DEEPEST = 12
_MOST_ENTRIES = 200_000


def file_format(path: str) -> Format | None:
    """What the file at ``path`` (relative, forward slashes) is by its name; None when it holds no pins."""
    *folders, name = path.split("/")
    if name in _PLAIN:
        return _PLAIN[name]
    if _LOCK.fullmatch(name):
        return "lock"
    if _CONSTRAINTS.fullmatch(name):
        return "constraints"
    in_folder = bool(folders) and _REQUIREMENTS_FOLDER.fullmatch(folders[-1]) is not None
    if _REQUIREMENTS.fullmatch(name) or (in_folder and name.lower().endswith((".txt", ".in", ".pip"))):
        return "requirements"
    return "conda" if _CONDA.fullmatch(name) else None


def is_test_data(path: str) -> bool:
    """Whether tests read the file at ``path`` rather than being set up from it."""
    *folders, name = path.split("/")
    below = next((index for index, folder in enumerate(folders) if folder.lower() in _TESTS), None)
    if below is None:
        return any(folder.lower().startswith(("fixture", "testdata", "test_data")) for folder in folders)
    deeper = folders[below + 1 :]
    if file_format(path) not in ("requirements", "constraints") or name.startswith("."):
        return True
    return not all(_REQUIREMENTS_FOLDER.fullmatch(folder) for folder in deeper)


def walk_files(root: Path) -> Iterator[str]:
    """Paths of the tree's files relative to ``root``, in order; folders that are no source are left out.

    Links to folders are not followed. The walk ends after 200,000 entries and 12 levels: an
    adversary's tree then keeps its pins, which shows in the result, instead of keeping us.
    """
    entries = 0
    for folder, folders, files in os.walk(root):
        relative = Path(folder).relative_to(root)
        depth = len(relative.parts)
        folders[:] = sorted(
            name
            for name in folders
            if depth < _DEEPEST and name not in _NOT_SOURCE and not name.endswith((".egg-info", ".dist-info"))
        )
        for name in sorted(files):
            yield (relative / name).as_posix()
        entries += len(folders) + len(files)
        if entries > _MOST_ENTRIES:
            return
