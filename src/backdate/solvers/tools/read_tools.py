"""Tools that look at the tree: list_dir, search_dir, search_file, view_file."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from backdate.editing.encodings import split_lines
from backdate.solvers.tools.files import Tree, numbered, read_bytes
from backdate.solvers.tools.interface import Parameter, Tool, ToolRefusal
from backdate.solvers.tools.searching import (
    MOST_MATCHES,
    Pattern,
    compile_pattern,
    matching_lines,
    render_matches,
)

LINES_AROUND = 50
_MOST_ENTRIES = 500
_SEARCH_S = 20.0

QUERY = Parameter(
    name="query", kind="string", description="What to look for: a regular expression, matched line by line."
)


def looking_tools(tree: Tree) -> tuple[Tool, ...]:
    """The four tools over one tree."""
    return (
        Tool(
            name="list_dir",
            description="List the files and folders in a folder of the project (hidden ones are left out).",
            parameters=(
                Parameter(
                    name="path", kind="string", description="The folder, relative to the root.", default="."
                ),
            ),
            run=lambda arguments: _list_dir(tree, arguments["path"]),
        ),
        Tool(
            name="search_dir",
            description=f"Search all Python files below a folder. At most {MOST_MATCHES} matches are shown.",
            parameters=(
                QUERY,
                Parameter(
                    name="path", kind="string", description="The folder, relative to the root.", default="."
                ),
            ),
            run=lambda arguments: _search_dir(tree, arguments),
        ),
        Tool(
            name="search_file",
            description=f"Search one file. At most {MOST_MATCHES} matches are shown, with line numbers.",
            parameters=(QUERY, Parameter(name="path", kind="string", description="The file.")),
            run=lambda arguments: _search_file(tree, arguments),
        ),
        Tool(
            name="view_file",
            description=f"Show a file with line numbers: a line and {LINES_AROUND} before and after it.",
            parameters=(
                Parameter(name="path", kind="string", description="The file, relative to the root."),
                Parameter(
                    name="line", kind="integer", description="The line in the middle, from 1.", default=1
                ),
            ),
            run=lambda arguments: view(tree, arguments["path"], arguments["line"]),
        ),
    )


def _list_dir(tree: Tree, path: str) -> str:
    folder = tree.locate(path)
    if not folder.is_dir():
        raise ToolRefusal(f"{path!r} is a file; view_file shows it.")
    names = []
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith(".") or tree.rules.is_hidden(tree.name(entry)):
            continue
        names.append(f"{entry.name}{'@' if entry.is_symlink() else '/' if entry.is_dir() else ''}")
    if not names:
        return f"{path} is empty."
    more = len(names) - _MOST_ENTRIES
    return "\n".join([*names[:_MOST_ENTRIES], *([f"… and {more} more"] if more > 0 else [])])


def _search_dir(tree: Tree, arguments: Mapping[str, Any]) -> str:
    folder = tree.locate(arguments["path"])
    if not folder.is_dir():
        raise ToolRefusal(f"{arguments['path']!r} is a file; use search_file for it.")
    pattern = compile_pattern(arguments["query"])
    matches, note = _search_below(tree, folder, pattern)
    return render_matches(
        matches,
        " ".join(part for part in (pattern.note, note) if part),
        nothing=f"No match in the Python files below {arguments['path']}.",
    )


def _search_below(tree: Tree, folder: Any, pattern: Pattern) -> tuple[list[str], str]:
    matches: list[str] = []
    started = time.monotonic()
    skipped = 0
    for path in tree.walk(folder, ".py"):
        if tree.rules.is_hidden(tree.name(path)):
            continue
        if time.monotonic() - started > _SEARCH_S:
            return matches, f"(stopped after {_SEARCH_S:.0f} seconds; search a smaller folder.)"
        try:
            data = read_bytes(path)
        except ToolRefusal:
            skipped += 1
            continue
        for number, text in matching_lines(pattern, data):
            matches.append(f"{tree.name(path)}:{number}: {text}")
            if len(matches) > MOST_MATCHES:
                return matches, ""
    return matches, f"({skipped} files were too large to search.)" if skipped else ""


def _search_file(tree: Tree, arguments: Mapping[str, Any]) -> str:
    path = tree.file(arguments["path"])
    pattern = compile_pattern(arguments["query"])
    matches = []
    for number, text in matching_lines(pattern, read_bytes(path)):
        matches.append(f"{number}: {text}")
        if len(matches) > MOST_MATCHES:
            break
    return render_matches(matches, pattern.note, nothing=f"No match in {tree.name(path)}.")


def view(tree: Tree, path: str, line: int) -> str:
    """The file's lines around ``line``. Raises ToolRefusal."""
    file = tree.file(path)
    text = tree.read(file)
    return window(split_lines(text.content), line, what=tree.name(file))


def window(lines: tuple[str, ...], line: int, *, what: str) -> str:
    """The lines around ``line``, with their numbers and the total. Raises ToolRefusal."""
    total = len(lines)
    if total == 0:
        return f"{what} is empty."
    if not 1 <= line <= total:
        raise ToolRefusal(f"{what} has the lines 1 to {total}; there is no line {line}.")
    first, last = max(1, line - LINES_AROUND), min(total, line + LINES_AROUND)
    return f"{what}, lines {first} to {last} of {total}:\n{numbered(lines, first, last)}"
