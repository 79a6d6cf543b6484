"""GitHub's expressions (``${{ … }}``), as far as they can be evaluated without GitHub.

After "Evaluate expressions in workflows and actions" of GitHub's documentation. What is not known has the
value None, and so has everything that depends on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

Value: TypeAlias = str | bool | None

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>-?\d+(?:\.\d+)?)|(?P<operator>&&|\|\||==|!=|[<>]=?|[!(),\[\]])"
    r"|(?P<name>[A-Za-z_][\w.*-]*))"
)
_TEMPLATE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_LONGEST = 2_000
_DEEPEST = 30


class _Odd(ValueError):
    """Not an expression that is understood."""


def fill(text: str, names: Mapping[str, str]) -> str:
    """``text`` with every expression in it that is known replaced; the others stay as they are."""

    def value(match: re.Match[str]) -> str:
        known = evaluate(match[1], names)
        return match[0] if known is None else _as_text(known)

    return _TEMPLATE.sub(value, text) if "${{" in text else text


def holds(condition: str, names: Mapping[str, str]) -> bool | None:
    """Whether an ``if:`` holds; None when that cannot be known. An empty one holds."""
    inner = _TEMPLATE.sub(lambda match: f"({match[1]})", condition).strip()
    if not inner:
        return True
    value = evaluate(inner, names)
    return None if value is None else _true(value)


def evaluate(expression: str, names: Mapping[str, str]) -> Value:
    """The value of an expression over ``names`` (``matrix.os``, ``env.X``); None when it is not known."""
    if len(expression) > _LONGEST:
        return None
    try:
        reader = _ExpressionReader(_tokens(expression), names)
        value = reader.either(0)
    except _Odd:
        return None
    return value if reader.ended else None


def _tokens(text: str) -> list[tuple[str, str]]:
    read: list[tuple[str, str]] = []
    position = 0
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise _Odd
        read.append((match.lastgroup, match[match.lastgroup]))
        position = match.end()
    return read


def _true(value: str | bool) -> bool:
    return value if isinstance(value, bool) else value not in ("", "0", "false")


def _as_text(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


class _ExpressionReader:
    def __init__(self, tokens: list[tuple[str, str]], names: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._names = names
        self._place = 0

    @property
    def ended(self) -> bool:
        return self._place >= len(self._tokens)

    def _next(self) -> tuple[str, str]:
        return ("", "") if self.ended else self._tokens[self._place]

    def _take(self, operator: str) -> bool:
        if self._next() == ("operator", operator):
            self._place += 1
            return True
        return False

    def either(self, depth: int) -> Value:
        if depth > _DEEPEST:
            raise _Odd
        value = self._both(depth)
        while self._take("||"):
            right = self._both(depth)
            if value is None:
                value = right if right is not None and _true(right) and isinstance(right, bool) else None
            elif not _true(value):
                value = right
        return value

    def _both(self, depth: int) -> Value:
        value = self._compared(depth)
        while self._take("&&"):
            right = self._compared(depth)
            if value is None:
                value = False if right is not None and not _true(right) else None
            elif _true(value):
                value = right
        return value

    def _compared(self, depth: int) -> Value:
        left = self._single(depth)
        for operator in ("==", "!="):
            if self._take(operator):
                right = self._single(depth)
                if left is None or right is None:
                    return None
                return (_as_text(left).lower() == _as_text(right).lower()) is (operator == "==")
        if self._next()[1] in ("<", ">", "<=", ">="):
            self._place += 1
            self._single(depth)
            return None
        return left

    def _single(self, depth: int) -> Value:
        if self._take("!"):
            if depth > _DEEPEST:
                raise _Odd
            value = self._single(depth + 1)
            return None if value is None else not _true(value)
        if self._take("("):
            value = self.either(depth + 1)
            if not self._take(")"):
                raise _Odd
            return value
        kind, text = self._next()
        self._place += 1
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return text
        if kind != "name":
            raise _Odd
        if self._take("("):
            return self._call(text.lower(), depth)
        if text in ("true", "false"):
            return text == "true"
        if self._take("["):  # job.services.redis.ports[6379] is job.services.redis.ports.6379
            index = self.either(depth + 1)
            return None if index is None or not self._take("]") else self._names.get(f"{text}.{index}")
        return self._names.get(text)

    def _call(self, name: str, depth: int) -> Value:
        values: list[Value] = []
        while not self._take(")"):
            values.append(self.either(depth + 1))
            if not self._take(",") and self._next() != ("operator", ")"):
                raise _Odd
        if name in ("always", "success"):
            return True
        if name in ("failure", "cancelled"):
            return False
        if len(values) == 2 and values[0] is not None and values[1] is not None:
            left, right = _as_text(values[0]).lower(), _as_text(values[1]).lower()
            if name == "contains":
                return right in left
            if name == "startswith":
                return left.startswith(right)
            if name == "endswith":
                return left.endswith(right)
        return None
