"""Shell text as tokens, after the grammar of POSIX.1-2017 "Shell Command Language". Nothing is evaluated.

Quotes, escapes, comments, continued lines and here-documents are understood; variables are replaced
where they are known. What only a shell could tell (command substitution, unknown variables, template
expressions) leaves a word that is marked with the reason.

The standard library's ``shlex`` is not used: it forgets which part of a word was quoted, and takes the ``#``
in ``git+https://…#egg=name`` for a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MOST_TOKENS = 20_000
"""Longer texts are cut here: nobody writes that by hand."""
_LONGEST_WORD = 20_000
_OPERATORS = (
    "&&",
    "||",
    ";;",
    "<<<",
    "<<-",
    "<<",
    ">>",
    "&>",
    ">&",
    "<&",
    ";",
    "&",
    "|",
    "(",
    ")",
    "<",
    ">",
    "\n",
)
_OPERATOR = re.compile("|".join(map(re.escape, _OPERATORS)))
_BLANK = re.compile(r"(?:[^\S\n]|\\\n)+")
_PLAIN = re.compile(r"[^\s\\'\"$`;&|()<>]+")
_TEMPLATE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BRACED = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-=+?])([^${}`\"']*))?\}")
_HERE = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_]*)\1")
_ESCAPED_IN_QUOTES = ('"', "\\", "$", "`", "\n")
"""What a backslash between double quotes escapes."""
_PWD = re.compile(r"\(\s*pwd(?:\s+-P)?\s*\)|`\s*pwd\s*`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a command line, or one operator."""

    text: str
    """After removal of quotes and replacement of known variables."""
    line: int
    """Counted from 1 within the text."""
    operator: bool = False
    quoted: bool = False
    """Some part of it was quoted: it is a word even when it is empty, and never a reserved one."""
    unknown: str | None = None
    """Why ``text`` is not what a shell would make of it; None when it is."""


def tokens(text: str, variables: Mapping[str, str]) -> Iterator[Word]:
    """The words and operators of ``text``.

    ``variables`` is looked up when a word is reached, so a caller may change it between two words.
    ``$(pwd)`` is what ``PWD`` is. An unfinished quotation ends with the text.
    """
    return _ShellReader(text, variables).read()


class _ShellReader:
    def __init__(self, text: str, variables: Mapping[str, str]) -> None:
        self._text = text
        self._variables = variables
        self._position = 0
        self._line = 1

    def read(self) -> Iterator[Word]:
        text = self._text
        for _ in range(MOST_TOKENS):
            blank = _BLANK.match(text, self._position)
            if blank:
                self._move(blank.end())
            if self._position >= len(text):
                return
            if text[self._position] == "#":
                end = text.find("\n", self._position)
                self._move(len(text) if end < 0 else end)
                continue
            operator = _OPERATOR.match(text, self._position)
            if operator is None:
                yield from self._word()
            elif operator[0].startswith("<<") and (here := _HERE.match(text, self._position)):
                self._move(self._after_document(here))
            else:
                line = self._line
                self._move(operator.end())
                yield Word(text=operator[0], line=line, operator=True)

    def _move(self, position: int) -> None:
        self._line += self._text.count("\n", self._position, position)
        self._position = position

    def _after_document(self, here: re.Match[str]) -> int:
        """Where the text goes on after a here-document; the rest of the first line is dropped with it."""
        end = re.compile(rf"^[ \t]*{here[2]}[ \t]*$", re.MULTILINE).search(self._text, here.end())
        return end.end() if end else len(self._text)

    def _word(self) -> Iterator[Word]:
        text, line = self._text, self._line
        pieces: list[tuple[str, bool]] = []  # the text, and whether blanks in it split the word
        unknown: str | None = None
        quoted = False
        while self._position < len(text):
            start = self._position
            plain = _PLAIN.match(text, start)
            if plain:
                pieces.append((plain[0], False))
                self._move(plain.end())
                continue
            character = text[start]
            if character == "\\":
                self._move(min(start + 2, len(text)))
                if text[start + 1 : start + 2] != "\n":
                    pieces.append((text[start + 1 : start + 2], False))
            elif character == "'":
                end = text.find("'", start + 1)
                end = len(text) if end < 0 else end
                pieces.append((text[start + 1 : end], False))
                quoted = True
                self._move(min(end + 1, len(text)))
            elif character == '"':
                inner, problem = self._double()
                pieces.append((inner, False))
                quoted, unknown = True, unknown or problem
            elif character in "$`":
                value, problem = self._expansion()
                pieces.append((value, True))
                unknown = unknown or problem
            else:
                break
        yield from _split(pieces, line, quoted, unknown)

    def _double(self) -> tuple[str, str | None]:
        """What stands between double quotes, and why it is unknown."""
        text = self._text
        self._move(self._position + 1)
        parts: list[str] = []
        unknown: str | None = None
        while self._position < len(text):
            character = text[self._position]
            if character == '"':
                self._move(self._position + 1)
                break
            if character == "\\" and text[self._position + 1 : self._position + 2] in _ESCAPED_IN_QUOTES:
                following = text[self._position + 1]
                parts.append("" if following == "\n" else following)
                self._move(self._position + 2)
            elif character in "$`":
                value, problem = self._expansion()
                parts.append(value)
                unknown = unknown or problem
            else:
                end = self._position + 1
                while end < len(text) and text[end] not in '"\\$`':
                    end += 1
                parts.append(text[self._position : end])
                self._move(end)
        return "".join(parts), unknown

    def _expansion(self) -> tuple[str, str | None]:
        """The value of what starts with ``$`` or a backtick, and why it is unknown."""
        text, start = self._text, self._position
        template = _TEMPLATE.match(text, start)
        if template:
            self._move(template.end())
            return template[0], f"the expression {template[0]} is not known"
        after = start + (text[start] == "$")
        present = _PWD.match(text, after)
        if present and "PWD" in self._variables:
            self._move(present.end())
            return self._variables["PWD"], None
        if text[start] == "`":
            end = text.find("`", start + 1)
            self._move(len(text) if end < 0 else end + 1)
            return text[start : self._position], "command substitution is not evaluated"
        if text.startswith("$(", start):
            self._move(_closing(text, start + 1))
            return text[start : self._position], "command substitution is not evaluated"
        name = _NAME.match(text, start + 1)
        if name:
            self._move(name.end())
            return self._value(name[0], None, "")
        braced = _BRACED.match(text, start + 1)
        if braced:
            self._move(braced.end())
            return self._value(braced[1], braced[2], braced[3] or "")
        if text.startswith("${", start):
            end = text.find("}", start)
            self._move(len(text) if end < 0 else end + 1)
            return text[start : self._position], f"{text[start : self._position][:60]} is not evaluated"
        special = text[start + 1 : start + 2]
        if special and special in "@*#?!$0123456789-":
            self._move(start + 2)
            return f"${special}", f"${special} is not known"
        self._move(start + 1)
        return "$", None

    def _value(self, name: str, operation: str | None, word: str) -> tuple[str, str | None]:
        value = self._variables.get(name)
        if operation is not None and operation.endswith("+"):
            return (word if value else ""), None
        if value is not None and (value or operation is None or not operation.startswith(":")):
            return value, None
        if operation is not None and operation[-1] in "-=":
            return word, None
        return f"${name}", f"the variable {name} is not known"


def _closing(text: str, opening: int) -> int:
    """The position after the parenthesis that closes the one at ``opening``; the end when there is none."""
    depth = 0
    for position in range(opening, len(text)):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def _split(pieces: list[tuple[str, bool]], line: int, quoted: bool, unknown: str | None) -> Iterator[Word]:
    """One word, or several where an unquoted variable held blanks."""
    whole = "".join(text for text, _ in pieces)
    if len(whole) > _LONGEST_WORD:
        yield Word(text=whole[:200], line=line, quoted=True, unknown="a word of that length is not read")
        return
    if unknown or not any(splits and re.search(r"\s", text) for text, splits in pieces):
        if whole or quoted:
            yield Word(text=whole, line=line, quoted=quoted, unknown=unknown)
        return
    marked = "".join(re.sub(r"\s+", "\0", text) if splits else text for text, splits in pieces)
    for part in marked.split("\0"):
        if part:
            yield Word(text=part, line=line, quoted=quoted)
