"""Where the string values of a TOML document stand.

A scanner, not a parser: it takes a *valid* document (the caller has it read by ``tomllib`` too) and
yields each string value with its key path and the place of each character, so that a value can be
edited without writing anything around it anew. https://toml.io/en/v1.0.0
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.editing.spans import Fragment

Path = tuple[str | int, ...]
"""Keys and, for elements of arrays, indices."""

_DEEPEST = 40
"""Levels of keys, arrays and inline tables; a real file has under ten."""

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_OTHER_VALUE = re.compile(r"[^\s,\]}#]+(?: \d[^\s,\]}#]*)?")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b", '"': '"', "\\": "\\"}
_FIRST_NEWLINE = re.compile(r"\r?\n")
_CONTINUATION = re.compile(r"\\[ \t]*\r?\n[ \t\r\n]*")


class MalformedToml(ValueError):
    """The text is not TOML that the scanner can follow."""


def string_values(content: str) -> Iterator[tuple[Path, Fragment]]:
    """Each string value of the document, in order. Raises MalformedToml where it cannot follow."""
    return _Scanner(content).document()


class _Scanner:
    def __init__(self, content: str) -> None:
        self.content = content
        self.position = 0
        self.tables: dict[Path, int] = {}
        """How many elements each array of tables has so far."""

    def document(self) -> Iterator[tuple[Path, Fragment]]:
        table: Path = ()
        while True:
            self.skip(_BLANK)
            if self.position >= len(self.content):
                return
            if self.peek("[["):
                table = self.header("[[", "]]")
            elif self.peek("["):
                table = self.header("[", "]")
            else:
                key = self.key()
                self.expect("=")
                yield from self.value((*table, *key))

    def header(self, opening: str, closing: str) -> Path:
        self.expect(opening)
        key = self.key()
        self.expect(closing)
        path: Path = ()
        for index, part in enumerate(key):
            path = (*path, part)
            last = index == len(key) - 1
            if last and opening == "[[":
                self.tables[path] = self.tables.get(path, 0) + 1
            if path in self.tables:
                path = (*path, self.tables[path] - 1)
        return path

    def key(self) -> Path:
        parts: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.peek('"') or self.peek("'"):
                parts.append(self.string().text)
            else:
                match = _BARE_KEY.match(self.content, self.position)
                if match is None:
                    raise MalformedToml(f"no key at offset {self.position}")
                parts.append(match.group())
                self.position = match.end()
            if len(parts) > _DEEPEST:
                raise MalformedToml(f"a key of more than {_DEEPEST} parts")
            self.skip(_SPACE)
            if not self.peek("."):
                return tuple(parts)
            self.position += 1

    def value(self, path: Path) -> Iterator[tuple[Path, Fragment]]:
        if len(path) > 2 * _DEEPEST:
            raise MalformedToml(f"values nested more than {2 * _DEEPEST} deep")
        self.skip(_SPACE)
        if self.peek('"') or self.peek("'"):
            yield path, self.string()
        elif self.peek("["):
            yield from self.array(path)
        elif self.peek("{"):
            yield from self.inline_table(path)
        else:
            match = _OTHER_VALUE.match(self.content, self.position)
            if match is None:
                raise MalformedToml(f"no value at offset {self.position}")
            self.position = match.end()

    def array(self, path: Path) -> Iterator[tuple[Path, Fragment]]:
        self.position += 1
        index = 0
        while True:
            self.skip(_BLANK)
            if self.peek("]"):
                self.position += 1
                return
            yield from self.value((*path, index))
            index += 1
            self.skip(_BLANK)
            if self.peek(","):
                self.position += 1
            elif not self.peek("]"):
                raise MalformedToml(f"no comma at offset {self.position}")

    def inline_table(self, path: Path) -> Iterator[tuple[Path, Fragment]]:
        self.position += 1
        while True:
            self.skip(_BLANK)
            if self.peek("}"):
                self.position += 1
                return
            key = self.key()
            self.expect("=")
            yield from self.value((*path, *key))
            self.skip(_BLANK)
            if self.peek(","):
                self.position += 1
            elif not self.peek("}"):
                raise MalformedToml(f"no comma at offset {self.position}")

    def string(self) -> Fragment:
        quote = self.content[self.position]
        multiline = self.content.startswith(quote * 3, self.position)
        closing = quote * 3 if multiline else quote
        start = self.position + len(closing)
        newline = _FIRST_NEWLINE.match(self.content, start) if multiline else None
        if newline is not None:  # right after the opening quotes it is not part of the value
            start = newline.end()
        end = start
        escaped = quote == '"'
        while not self.content.startswith(closing, end):
            if end >= len(self.content) or (not multiline and self.content[end] == "\n"):
                raise MalformedToml(f"a string that is not closed, from offset {self.position}")
            end += 2 if escaped and self.content[end] == "\\" else 1
        while (
            multiline
            and self.content.startswith(quote, end + 3)
            and not self.content.startswith(closing, end + 3)
        ):
            end += 1  # up to two quotes may stand before the closing three
        self.position = end + len(closing)
        raw = self.content[start:end]
        if (escaped and "\\" in raw) or "\r\n" in raw:
            return _unescaped(raw, start, escaped=escaped)
        return Fragment.plain(raw, start)

    def peek(self, text: str) -> bool:
        return self.content.startswith(text, self.position)

    def expect(self, text: str) -> None:
        self.skip(_SPACE)
        if not self.peek(text):
            raise MalformedToml(f"no {text!r} at offset {self.position}")
        self.position += len(text)

    def skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.content, self.position)
        if match is not None:
            self.position = match.end()


def _unescaped(raw: str, offset: int, *, escaped: bool) -> Fragment:
    text: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(raw):
        length, value = 1, raw[position]
        if value == "\r" and raw.startswith("\n", position + 1):
            length, value = 2, "\n"
        elif escaped and value == "\\":
            length, value = _escape(raw, position)
        if value:
            text.append(value)
            spans.append((offset + position, offset + position + length))
        position += length
    return Fragment("".join(text), tuple(a for a, _ in spans), tuple(b for _, b in spans))


def _escape(raw: str, position: int) -> tuple[int, str]:
    continuation = _CONTINUATION.match(raw, position)
    if continuation is not None:
        return len(continuation.group()), ""
    letter = raw[position + 1 : position + 2]
    if letter in _ESCAPES:
        return 2, _ESCAPES[letter]
    digits = {"x": 2, "u": 4, "U": 8}.get(letter)
    if digits is None:
        raise MalformedToml(f"an unknown escape \\{letter}")
    try:
        return 2 + digits, chr(int(raw[position + 2 : position + 2 + digits], 16))
    except (ValueError, OverflowError) as error:
        raise MalformedToml(f"an unknown escape \\{letter}") from error
