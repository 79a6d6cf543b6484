"""Tools that change files: edit_file, replace_all_in_file, revert_last.

What an edit leaves alone stays byte by byte as it was: encoding, byte order mark, line ends.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from symtable import symtable
from typing import Any

from backdate.editing.diff import diff_files
from backdate.editing.encodings import DecodedText, split_lines
from backdate.serial import write_whole
from backdate.solvers.tools.files import Tree, numbered, read_bytes
from backdate.solvers.tools.interface import Parameter, Tool, ToolRefusal
from backdate.text import counted

EDITS_REMEMBERED = 5
_ONE_AT_A_TIME = threading.Lock()
"""Filters of warnings belong to the process, and tasks are worked on in threads."""
_SHOWN_AROUND = 8
_LARGEST_RESULT = 8 * 1024 * 1024


class Editor:
    """The edits of one solver on one tree: makes them, takes them back, and tells the patch that they are."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._before: dict[Path, bytes] = {}
        """Every file that was ever edited, as it was at first."""
        self._undo: deque[tuple[Path, bytes]] = deque(maxlen=EDITS_REMEMBERED)
        self._valid: dict[str, bytes] = {}
        """Of edited files, bytes that are known to be valid Python."""

    def patch(self) -> str:
        """The diff from the tree as it was at first to the tree as it is."""
        old = {self.tree.name(path): data for path, data in self._before.items()}
        new = {self.tree.name(path): read_bytes(path, limit=_LARGEST_RESULT) for path in self._before}
        return diff_files(old, new)

    def write(self, path: Path, data: bytes) -> None:
        """Replace a file's bytes, remembering the old ones."""
        old = read_bytes(path)
        if len(data) > _LARGEST_RESULT:
            raise ToolRefusal("the file would become larger than 8 MiB.")
        mode = path.stat().st_mode
        self._before.setdefault(path, old)
        self._undo.append((path, old))
        write_whole(path, data)
        path.chmod(mode & 0o777)

    def revert(self) -> str:
        """Take the last edit back. Raises ToolRefusal when none is remembered."""
        if not self._undo:
            raise ToolRefusal(f"there is no edit to take back (the last {EDITS_REMEMBERED} are remembered).")
        path, data = self._undo.pop()
        mode = path.stat().st_mode
        write_whole(path, data)
        path.chmod(mode & 0o777)
        return f"The last edit of {self.tree.name(path)} was taken back."

    def tools(self) -> tuple[Tool, ...]:
        """The three tools."""
        path = Parameter(name="path", kind="string", description="The file, relative to the root.")
        return (
            Tool(
                name="edit_file",
                description=(
                    "Replace lines of a file, first_line to last_line (both included, numbered as view_file "
                    "shows them), with new text. To insert before a line without replacing it, give "
                    "last_line = first_line - 1. Empty new text deletes the lines. Write the indentation out."
                ),
                parameters=(
                    path,
                    Parameter(name="first_line", kind="integer", description="The first line to replace."),
                    Parameter(name="last_line", kind="integer", description="The last line to replace."),
                    Parameter(name="new_text", kind="string", description="The new lines."),
                ),
                run=self._edit,
                repeated=True,
            ),
            Tool(
                name="replace_all_in_file",
                description="Replace every occurrence of a text (no regular expression) in a file.",
                parameters=(
                    path,
                    Parameter(name="old_text", kind="string", description="What is there, exactly."),
                    Parameter(name="new_text", kind="string", description="What to put in its place."),
                ),
                run=self._replace_all,
                repeated=True,
            ),
            Tool(
                name="revert_last",
                description=f"Take the last edit back; the last {EDITS_REMEMBERED} edits can be taken back.",
                parameters=(),
                run=lambda _: self.revert(),
                repeated=True,
            ),
        )

    def _edit(self, arguments: Mapping[str, Any]) -> str:
        path = self.tree.editable(arguments["path"])
        text = self.tree.read(path)
        first, last = arguments["first_line"], arguments["last_line"]
        lines, newline = split_lines(text.content), text.newline
        total = len(lines)
        if not (1 <= first <= total + 1 and first - 1 <= last <= total):
            raise ToolRefusal(
                f"{arguments['path']} has the lines 1 to {total}; {first} to {last} is no range of them. "
                "View the file again: an earlier edit may have moved the lines."
            )
        if "\0" in arguments["new_text"]:
            raise ToolRefusal("new_text holds a NUL character: that is not a text.")
        new = _as_lines(arguments["new_text"], newline)
        before, after = list(lines[: first - 1]), lines[last:]
        if before and new and not before[-1].endswith(("\n", "\r")):
            before[-1] += newline
        elif new and not after and last >= first and not lines[-1].endswith(("\n", "\r")):
            new[-1] = new[-1].removesuffix(newline)
        return self._store(path, text, (*before, *new, *after), at=first, count=len(new))

    def _replace_all(self, arguments: Mapping[str, Any]) -> str:
        path = self.tree.editable(arguments["path"])
        text = self.tree.read(path)
        old, new = arguments["old_text"], arguments["new_text"]
        if not old:
            raise ToolRefusal("old_text is empty.")
        whole, newline = text.content, text.newline
        old, new = _with_ends(old, newline), _with_ends(new, newline)
        count = whole.count(old)
        if not count:
            raise ToolRefusal(
                f"{arguments['path']} does not contain that text; it has to match exactly, blanks included. "
                "search_file finds lines that are alike."
            )
        if len(whole) + count * max(0, len(new) - len(old)) > _LARGEST_RESULT:
            raise ToolRefusal("the file would become larger than 8 MiB.")
        changed = whole.replace(old, new)
        first = whole[: whole.index(old)].count("\n") + 1
        lines = split_lines(changed)
        answer = self._store(path, text, lines, at=first, count=new.count("\n") + 1)
        return f"{counted(count, 'occurrence was', 'occurrences were')} replaced. {answer}"

    def _store(self, path: Path, text: DecodedText, lines: tuple[str, ...], *, at: int, count: int) -> str:
        before = text.encode(text.content)
        try:
            data = text.encode("".join(lines))
        except UnicodeError as error:
            raise ToolRefusal(
                f"the file is written in {text.encoding}, which cannot hold this text ({error}). "
                "Use characters of that encoding, or an escape such as \\u00e9 in a string."
            ) from error
        if data == before:
            raise ToolRefusal("the edit changes nothing: the new text is what is there already.")
        self.write(path, data)
        name = self.tree.name(path)
        first = max(1, min(at, len(lines)) - _SHOWN_AROUND)
        last = min(len(lines), at + min(count, 80) - 1 + _SHOWN_AROUND)
        shown = numbered(lines, first, last) if lines else ""
        parts = [
            f"{name} now has {len(lines)} lines. Around the edit:",
            shown,
            self._syntax_note(name, before, data),
        ]
        return "\n".join(part for part in parts if part)

    def _syntax_note(self, name: str, before: bytes, after: bytes) -> str:
        """Told when a file that was valid Python is none any more: a slip by one line shows at once."""
        if not name.endswith(".py"):
            return ""
        error = syntax_error(after)
        if error is None:
            self._valid[name] = after
            return ""
        if self._valid.get(name) != before and syntax_error(before) is not None:
            return ""
        return f"Note: the file is no longer valid Python: {error}. revert_last takes the edit back."


def _as_lines(text: str, newline: str) -> list[str]:
    """New text as lines with the file's line end, the last one included."""
    if not text:
        return []
    plain = text.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
    return [line + newline for line in plain.split("\n")]


def _with_ends(text: str, newline: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", newline)


def syntax_error(source: bytes) -> str | None:
    """Why ``source`` is no Python of this interpreter; None when it is."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # Half of what ast.parse takes: the tree is never made into Python's objects. Nothing is run.
            symtable(source, "file", "exec")  # type: ignore[arg-type] # bytes, for their encoding
        except SyntaxError as error:
            return f"{error.msg} (line {error.lineno})"
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            return str(error) or type(error).__name__
    return None
