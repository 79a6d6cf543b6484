"""Reading a model's answers, which are hostile: whatever they hold, a checked value or a WrongFormat."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from packaging.specifiers import SpecifierSet

from backdate.recipes.repair.error_class import ErrorGroup
from backdate.text import UNREADABLE, minor_version

_LONGEST_ANSWER = 200_000
_LONGEST_TEXT = 20_000
_MOST_ITEMS = 60
_MOST_TRIES = 50
_MINORS = range(5, 40)
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)
_MINOR = re.compile(r"3\.\d{1,2}\Z", re.ASCII)


class WrongFormat(Exception):
    """An answer that is not what was asked for; the message is sent back to the model."""


def find_object(text: str) -> dict[str, object]:
    """The JSON object in an answer, alone, in a fenced block, or after some words. Raises WrongFormat."""
    text = _THOUGHT.sub("", text[:_LONGEST_ANSWER])
    decoder = json.JSONDecoder(strict=False)
    position = -1
    for _ in range(_MOST_TRIES):
        position = text.find("{", position + 1)
        if position < 0:
            break
        try:
            value, _end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            return value
    raise WrongFormat("there is no JSON object in it")


def read_texts(value: Mapping[str, object], key: str, *, most: int = _MOST_ITEMS) -> tuple[str, ...]:
    """The list of texts under ``key``, blank ones left out. Raises WrongFormat."""
    texts = value.get(key)
    if isinstance(texts, str):
        texts = texts.split("\n")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise WrongFormat(f'"{key}" is not a list of strings')
    if len(texts) > most or sum(map(len, texts)) > _LONGEST_TEXT:
        raise WrongFormat(f'"{key}" is far too long')
    return tuple(text.strip() for text in texts if text.strip())


def read_text(value: Mapping[str, object], key: str) -> str:
    """The text under ``key``; "" when there is none. Raises WrongFormat."""
    text = value.get(key, "")
    if text is None:
        return ""
    if not isinstance(text, str) or len(text) > _LONGEST_TEXT:
        raise WrongFormat(f'"{key}" is not a string, or far too long')
    return text.strip()


def read_choice(
    value: Mapping[str, object], key: str, offered: Collection[str], *, most: int
) -> tuple[str, ...]:
    """Those of ``offered`` that are named under ``key``, each once, at most ``most``.

    Raises WrongFormat when something is named and none of it was offered.
    """
    named = dict.fromkeys(name.removeprefix("./") for name in read_texts(value, key, most=1000))
    known = [name for name in named if name in offered]
    if named and not known:
        raise WrongFormat(f'"{key}" names nothing of the list that was given')
    return tuple(known[:most])


def read_group(value: Mapping[str, object]) -> ErrorGroup:
    """The class of an error. Raises WrongFormat."""
    word = read_text(value, "class").upper()
    try:
        return ErrorGroup(word)
    except ValueError:
        raise WrongFormat(f'"class" is not one of {", ".join(ErrorGroup)}') from None


def read_minor(value: Mapping[str, object], key: str, offered: Sequence[str] | None = None) -> str | None:
    """A version such as "3.8" under ``key``, one of ``offered``; None for null. Raises WrongFormat."""
    text = read_text(value, key)
    if not text:
        return None
    minor = minor_version(text)
    if not _MINOR.match(minor):
        raise WrongFormat(f'"{key}" is not a version such as "3.8"')
    if offered is not None and minor not in offered:
        raise WrongFormat(f'"{key}" is not one of {", ".join(offered)}')
    return minor


def read_range(value: Mapping[str, object], key: str) -> tuple[str, ...]:
    """The minors of Python 3 that the specifier (PEP 440) under ``key`` allows; none for null.

    Raises WrongFormat.
    """
    text = read_text(value, key)
    if not text:
        return ()
    try:
        allowed = SpecifierSet(text[:500])
    except UNREADABLE:
        raise WrongFormat(f'"{key}" is not a specifier such as ">=3.6,<3.9"') from None
    # A minor is allowed when its first or a late release is: ">3.6.1" is about 3.6 too.
    minors = [
        f"3.{minor}" for minor in _MINORS if any(allowed.contains(f"3.{minor}.{n}") for n in (0, 1, 5, 99))
    ]
    if not minors:
        raise WrongFormat(f'"{key}" allows no Python 3')
    return tuple(minors)
