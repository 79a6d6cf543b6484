"""Reading an exception's message: by patterns, never by evaluating it.

A message without a known pattern gives the kind that the exception's type alone allows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from backdate.diagnosis.message_patterns import (
    ATTRIBUTE,
    BINARY,
    FIXTURE,
    GONE,
    HINT,
    HINT_AT_START,
    IMPORT,
    NAME,
    NEEDED_NO_MORE,
    TYPE,
    OwnerIs,
    Pattern,
)
from backdate.diagnosis.result import CauseKind
from backdate.testing.traceback_text import FATAL

MOST_READ = 4000
"""Characters of a message that are read: as many as a ``Raised`` holds."""
_LONGEST_HINT = 600
_MISSING_ARGUMENTS = re.compile(
    r"(?P<function>\w+)\(\) missing \d{1,3} required (?P<kind>positional|keyword-only) arguments?: "
    r"(?P<names>[^\n]{1,300})"
)
_QUOTED_NAME = re.compile(r"'(\w+)'")
_OF_RUNNER = re.compile(r"\bUse -v+ to get (?:more|the full) diff\b|@py_(?:assert|format)\d")
"""What pytest says of two values that differ, which a test of such texts may compare with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedMessage:
    """What a message names."""

    kind: CauseKind
    name: str = ""
    owner: str = ""
    owner_is: OwnerIs = ""
    path: str = ""
    """The file that the message names, for ImportError."""
    hint: str = ""


_PLAIN = frozenset(
    {
        "NoneType",
        "bool",
        "bytes",
        "complex",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "set",
        "str",
        "tuple",
    }
)
_ONCE_THERE = frozenset(
    {
        *("has_key", "iteritems", "iterkeys", "itervalues", "viewitems", "viewkeys", "viewvalues", "decode"),
        *("encode", "format", "isdecimal"),
    }
)
"""Attributes that the plain types had in some Python and text or bytes lack in another."""
_CODE_FOLLOWS = re.compile(r"\b(?:use|with|try|to):?\Z", re.IGNORECASE)
_CODE = re.compile(r"(?:[A-Za-z_][\w.]{0,80} ?= ?\S|[A-Za-z_][\w.]{0,80}\(|(?:from|import) [A-Za-z_.])")
"""How an assignment, a call or an import begins."""
_MOST_LINES_OF_CODE = 4
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'\"])|\n+")
_FAMILIES: tuple[tuple[tuple[str, ...], list[Pattern], CauseKind], ...] = (
    (("AttributeError",), ATTRIBUTE, CauseKind.OTHER_ERROR),
    (("ImportError", "ModuleNotFoundError"), IMPORT, CauseKind.OTHER_ERROR),
    (("TypeError",), TYPE, CauseKind.CHANGED_TYPE),
    (("NameError", "UnboundLocalError"), NAME, CauseKind.UNDEFINED_NAME),
    (("FixtureLookupError",), FIXTURE, CauseKind.OTHER_ERROR),
)
_BY_TYPE = {
    **dict.fromkeys(("SyntaxError", "IndentationError", "TabError"), CauseKind.SYNTAX),
    **dict.fromkeys(("AssertionError", "DocTestFailure", "Failed", "MismatchError"), CauseKind.ASSERTION),
    **dict.fromkeys(
        (
            *("ValueError", "KeyError", "IndexError", "LookupError", "ZeroDivisionError", "OverflowError"),
            *("UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "StopIteration"),
            "FloatingPointError",
        ),
        CauseKind.CHANGED_VALUE,
    ),
}


def read_message(kind: str, message: str) -> ParsedMessage:
    """The parsed ``message`` of an exception of type ``kind`` (a qualified name)."""
    text = message[:MOST_READ].strip()
    short = kind.rpartition(".")[2]
    if kind == FATAL:
        return ParsedMessage(kind=CauseKind.CRASH)
    if short == "Failed" and text.startswith("Timeout "):  # of pytest-timeout
        return ParsedMessage(kind=CauseKind.TIMEOUT)
    hint = read_hint(text)
    if short.endswith("Warning"):
        return ParsedMessage(kind=CauseKind.WARNING_AS_ERROR, name=_quoted(text), hint=hint)
    if BINARY.search(text):
        return ParsedMessage(kind=CauseKind.BINARY_INCOMPATIBLE, hint=hint)
    by_type = _BY_TYPE.get(short)
    if by_type in (CauseKind.SYNTAX, CauseKind.ASSERTION):
        return ParsedMessage(kind=by_type)
    for types, patterns, otherwise in _FAMILIES:
        if short in types:
            by_type = otherwise
            parsed = _first_match(patterns, text, hint)
            if parsed is not None:
                return parsed
    if GONE.search(text):
        return ParsedMessage(kind=CauseKind.REMOVED, name=_quoted(text), hint=hint)
    return ParsedMessage(kind=by_type or CauseKind.OTHER_ERROR, hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingArguments:
    """What a call did not give, in Python's own words."""

    function: str
    """Its last name: "create"."""
    positional: bool
    """False for arguments that are given by name alone."""
    names: tuple[str, ...]


def missing_arguments(message: str) -> MissingArguments | None:
    """All arguments that a TypeError says are missing; None where it says nothing of the kind.

    >>> missing_arguments("f() missing 2 required keyword-only arguments: 'a' and 'b'").names
    ('a', 'b')
    """
    match = _MISSING_ARGUMENTS.search(message[:MOST_READ])
    if match is None:
        return None
    return MissingArguments(
        function=match["function"],
        positional=match["kind"] == "positional",
        names=tuple(_QUOTED_NAME.findall(match["names"])),
    )


def _first_match(patterns: list[Pattern], text: str, hint: str) -> ParsedMessage | None:
    for pattern, kind, owner_is in patterns:
        match = pattern.compiled.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        owner = groups.get("owner") or ""
        name = groups.get("name") or ""
        # None or a dict lacks no attribute: a value of another type became one of them
        became = kind is CauseKind.MISSING_ATTRIBUTE and owner in _PLAIN and name not in _ONCE_THERE
        return ParsedMessage(
            kind=CauseKind.CHANGED_TYPE if became else kind,
            name=name,
            owner=owner,
            owner_is=owner_is if owner else "",
            path=groups.get("path") or "",
            hint=hint,
        )
    return None


def read_hint(message: str) -> str:
    """The sentences of a message that say what to do instead, joined; empty when there are none.

    The interpreter's "Did you mean" is no such hint, because it compares the spelling only. A sentence that
    ends at "use" goes on with the lines of code below it.
    """
    sentences = [sentence.strip() for sentence in _SENTENCE.split(message[:MOST_READ])]
    hints: list[str] = []
    told = False  # by code: what is written "instead of" is where it goes on
    for number, sentence in enumerate(sentences):
        shown = _code_below(sentences[number + 1 :]) if _CODE_FOLLOWS.search(sentence) else []
        if shown:
            hints.append(f"{sentence.removesuffix(':')}: {'; '.join(shown)}")
            told = True
        elif not (told and sentence.startswith("instead of")) and _says_what_to_do(sentence):
            hints.append(sentence)
    return " ".join(hints)[:_LONGEST_HINT]


def _says_what_to_do(sentence: str) -> bool:
    if _OF_RUNNER.search(sentence):
        return False
    return any(pattern.search(sentence) for pattern in (HINT, HINT_AT_START, NEEDED_NO_MORE))


def _code_below(lines: Sequence[str]) -> list[str]:
    """The lines of code that a text shows next."""
    shown = takewhile(_CODE.match, lines)
    return list(islice(shown, _MOST_LINES_OF_CODE))


def _quoted(text: str) -> str:
    """The first thing in a message that is quoted and looks like a name, or that looks like a call."""
    match = re.search(r"[`'\"]([A-Za-z_][\w.]*)(?:\(\))?[`'\"]|\b([A-Za-z_][\w.]*)\(\)", text)
    return (match.group(1) or match.group(2)) if match else ""
