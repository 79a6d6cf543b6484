"""Where the characters of a Python string literal stand in the source.

``ast`` gives the place of a literal, in UTF-8 bytes and lines; between its ends there may be several
concatenated tokens, comments and escapes. Only what is needed to edit requirements is understood:
a literal with an escape that is not listed here is left alone.
"""

from __future__ import annotations

import ast
import re

from backdate.editing.encodings import line_starts
from backdate.editing.spans import Fragment

_BETWEEN = re.compile(r"(?:[ \t\f\r\n]+|\\\r?\n|\\\r|#[^\r\n]*|[()])*")
_OPENING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>'''|\"\"\"|'|\")")
_ESCAPES = {"'": "'", '"': '"', "\\": "\\", "n": "\n", "t": "\t"}


class SourceText:
    """The text of a Python file, in which ``ast`` positions can be looked up."""

    def __init__(self, content: str) -> None:
        self.content = content
        self._starts = line_starts(content)
        self._mapped_line = 0
        self._mapped: list[int] = []

    def offset(self, line: int, column: int) -> int:
        """The character at a position of ``ast``: lines from 1, columns in UTF-8 bytes."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.content)
        if self._mapped_line != line:  # one line may hold all literals of a file: it is mapped once
            text = self.content[start:end]
            self._mapped_line = line
            self._mapped = [] if text.isascii() else [i for i, c in enumerate(text) for _ in c.encode()]
            self._mapped += [len(text)] if self._mapped else []
        return start + (self._mapped[column] if self._mapped else column)

    def start(self, node: ast.expr) -> int:
        """The offset at which ``node`` begins."""
        return self.offset(node.lineno, node.col_offset)

    def literal(self, node: ast.Constant) -> Fragment | None:
        """The value of a string literal and the place of each character; None when it has odd escapes."""
        if node.end_lineno is None or node.end_col_offset is None or not isinstance(node.value, str):
            return None
        position, end = self.start(node), self.offset(node.end_lineno, node.end_col_offset)
        text: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        while position < end:
            opening = _OPENING.match(self.content, position, end)
            if opening is None:
                return None
            stop = self._token(opening, end, text, starts, ends)
            if stop is None:
                return None
            between = _BETWEEN.match(self.content, stop, end)
            position = between.end() if between else stop
        value = "".join(text)
        return Fragment(value, tuple(starts), tuple(ends)) if value == node.value else None

    def _token(
        self, opening: re.Match[str], end: int, text: list[str], starts: list[int], ends: list[int]
    ) -> int | None:
        """Read one token from its opening quotes; where it stops, or None when it cannot be followed."""
        quote, raw = opening["quote"], "r" in opening["prefix"].lower()
        content = self.content
        position = opening.end()
        while not content.startswith(quote, position):
            if position >= end:
                return None
            length, value = 1, content[position]
            if value == "\r":
                length, value = (2 if content.startswith("\n", position + 1) else 1), "\n"
            elif value == "\\" and raw:
                length, value = 1, "\\"
                if content[position + 1] in "'\"\\":  # a quote behind a backslash does not close a raw string
                    text.append(value)
                    starts.append(position)
                    position += 1
                    ends.append(position)
                    value = content[position]
            elif value == "\\":
                follower = content[position + 1]
                if follower in "\r\n":
                    length, value = (3 if content.startswith("\r\n", position + 1) else 2), ""
                elif follower in _ESCAPES:
                    length, value = 2, _ESCAPES[follower]
                else:
                    return None
            if value:
                text.append(value)
                starts.append(position)
                ends.append(position + length)
            position += length
        return position + len(quote)
