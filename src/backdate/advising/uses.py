"""What a project's own files use of modules: dotted names with their lines, read from the syntax trees.

Nothing of the project is run. What a name stands for is followed through imports, and through variables that
hold an object of an imported class; a name that the code itself guards (``try: … except ImportError``,
``if hasattr(…)``) is left out, because the project is ready for it to be gone.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from backdate.advising.project_uses import ProjectUses
from backdate.advising.use_visitor import ANY_ERROR, UseVisitor
from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes

MOST_FILES = 3_000
_LARGEST_FILE = 2 * 1024 * 1024
_MOST_BYTES = 64 * 1024 * 1024
_MOST_LINES = 200
"""Of one statement; a longer one is data."""
_LEFT_OUT = frozenset(
    {"node_modules", "build", "dist", "venv", "env", "site-packages", "__pycache__", "_vendor", "vendor"}
)


def uses_in(tree: Path, *, mentioning: Collection[str] = ()) -> ProjectUses:
    """What the Python files of the project at ``tree`` use; what cannot be read or parsed is left out.

    ``mentioning``: only files that hold one of these words are parsed, where any are given.
    """
    uses = ProjectUses()
    words = [word.encode() for word in mentioning]
    files = []
    left = _MOST_BYTES
    for relative in python_files(tree):
        try:
            data = read_bytes(tree, relative, limit=_LARGEST_FILE)
        except ConfigurationError:
            continue
        left -= len(data or b"")
        if left < 0:
            break
        files.append(relative)
        if data and (not words or any(word in data for word in words)):
            read_uses(data, relative, uses)
    uses.files = tuple(files)
    return uses


def python_files(tree: Path) -> Iterator[str]:
    """The project's Python files, its own before those of its tests, at most ``MOST_FILES``.

    Those of outer folders first: in a large tree what is deep down was generated, or is data.
    """
    found: list[str] = []
    level = [tree]
    while level and len(found) < MOST_FILES:
        below: list[Path] = []
        for folder in level:
            folders, files = _entries(folder)
            found += [file.relative_to(tree).as_posix() for file in files if file.suffix == ".py"]
            below += folders
        level = below
    del found[MOST_FILES:]
    yield from (name for name in found if not _is_of_tests(name))
    yield from filter(_is_of_tests, found)


def _is_of_tests(file: str) -> bool:
    return any(part.startswith("test") for part in file.split("/"))


def _entries(folder: Path) -> tuple[list[Path], list[Path]]:
    """The folders that may hold the project's code, and the files, of one folder; links are neither."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return [], []  # as os.walk has it: what cannot be listed holds nothing
    folders = [
        Path(entry)
        for entry in entries
        if entry.is_dir(follow_symlinks=False)
        and not entry.name.startswith(".")
        and entry.name not in _LEFT_OUT
        and not Path(entry, "pyvenv.cfg").exists()
    ]
    return folders, [Path(entry) for entry in entries if not entry.is_dir(follow_symlinks=False)]


def read_uses(data: bytes, file: str, uses: ProjectUses, *, guards: frozenset[str] = ANY_ERROR) -> None:
    """Add what one file uses to ``uses``; nothing of a file that cannot be parsed.

    ``guards``: exceptions whose handlers guard what is tried; a handler of all guards with ``ANY_ERROR``.
    """
    try:
        tree = parse_source(data)
        UseVisitor(file, uses, guards).visit(tree)
        uses.statements[file] = [
            (node.lineno, node.end_lineno)
            for node in ast.walk(tree)
            if isinstance(node, ast.stmt) and not hasattr(node, "body")
            if node.end_lineno is not None and node.lineno < node.end_lineno <= node.lineno + _MOST_LINES
        ]
    except UNPARSABLE:
        return
