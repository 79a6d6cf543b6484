"""What a project's own files use of modules: dotted names with their lines, read from the syntax trees.

Nothing of the project is run. What a name stands for is followed through imports, and through variables that
hold an object of an imported class; a name that the code itself guards (``try: … except ImportError``,
``if hasattr(…)``) is left out, because the project is ready for it to be gone.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
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


def uses_in(tree: Path) -> ProjectUses:
    """What the Python files of the project at ``tree`` use; what cannot be read or parsed is left out."""
    uses = ProjectUses()
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
        read_uses(data or b"", relative, uses)
    uses.files = tuple(files)
    return uses


def python_files(tree: Path) -> Iterator[str]:
    """The project's Python files, its own before those of its tests, at most ``MOST_FILES``."""
    found: list[str] = []
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _LEFT_OUT
            and not Path(folder, name, "pyvenv.cfg").exists()
        )
        found += [
            Path(folder, name).relative_to(tree).as_posix() for name in sorted(names) if name.endswith(".py")
        ]
        if len(found) >= MOST_FILES:
            break
    tests = [name for name in found if any(part.startswith("test") for part in name.split("/"))]
    yield from [name for name in found if name not in set(tests)][:MOST_FILES]
    yield from tests[: max(0, MOST_FILES - len(found) + len(tests))]


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
