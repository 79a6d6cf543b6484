"""Reading answers in words: JSON, between whatever stands around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from backdate.snippets.questions.answer import AnswerLabel, ExplainAnswer, ExplainedName, LocateAnswer
from backdate.snippets.snippet import ApiChangeKind

LONGEST_REPLY = 200_000
"""Characters; a longer reply is not read."""
_MOST_STARTS = 200
_MOST_ITEMS = 500
_LONGEST_TEXT = 2_000
_NAMES = ("names", "apis", "functions", "incompatible", "answer")
_CHANGES = ("changes", "apis", "answer", "functions")
_NAME = ("name", "api", "function", "signature", "api_name")
_KIND = ("change", "type", "update_type", "kind", "change_type")
_VERSION = ("version", "since", "changed_in")
_REPLACEMENT = ("replacement", "replaced_by", "instead", "new_name", "alternative")
_KINDS = (
    # The first that fits: "deprecated and moved to …" is a move.
    (re.compile(r"mov|locat|renam|replac|relocat", re.IGNORECASE), ApiChangeKind.MOVED),
    (re.compile(r"remov|deprecat|delet|drop|gone|obsolete", re.IGNORECASE), ApiChangeKind.REMOVED),
    (re.compile(r"signature|argument|parameter", re.IGNORECASE), ApiChangeKind.SIGNATURE),
    (re.compile(r"behavio", re.IGNORECASE), ApiChangeKind.BEHAVIOUR),
    (re.compile(r"add|new|introduc|appear", re.IGNORECASE), ApiChangeKind.ADDED),
)
_NOTHING = frozenset({"", "none", "null", "n/a", "-", "no replacement", "not applicable", "unknown"})


def read_locate(reply: str) -> LocateAnswer:
    """The names of a reply to "locate": a list of texts, or an object that holds one."""
    value, labels = _json_of(reply)
    if labels and labels[-1].unusable:
        return LocateAnswer(labels=labels)
    items = _items(value, _NAMES)
    names = tuple(filter(None, (_name_of(item) for item in items))) if items is not None else ()
    if items is None or len(names) < len(items):
        labels = (*labels, AnswerLabel.WRONG_SHAPE)
    return LocateAnswer(names=names, labels=labels)


def read_explain(reply: str) -> ExplainAnswer:
    """What a reply to "explain" says: a list of objects, an object that holds one, or one alone."""
    value, labels = _json_of(reply)
    if labels and labels[-1].unusable:
        return ExplainAnswer(labels=labels)
    if isinstance(value, dict) and not any(isinstance(value.get(key), list) for key in _CHANGES):
        value = [value]
    items = _items(value, _CHANGES)
    if items is None or not all(isinstance(item, dict) for item in items):
        return ExplainAnswer(labels=(*labels, AnswerLabel.WRONG_SHAPE))
    return ExplainAnswer(changes=tuple(_explained(item) for item in items), labels=labels)


def change_kind(text: str) -> ApiChangeKind:
    """The kind that a text names: "Location Change", "Deprecated", "Added", "renamed in 2.0"."""
    for kind in ApiChangeKind:
        if text.strip().lower() == kind.value:
            return kind
    return next((kind for pattern, kind in _KINDS if pattern.search(text)), ApiChangeKind.UNKNOWN)


def json_in(text: str) -> Any:
    """The first JSON object or list in a text, numbers with a point as they are written.

    Raises ValueError where there is none.
    """
    # A version written as a number: 3.10 is not 3.1.
    decoder = json.JSONDecoder(parse_float=str, parse_constant=str)
    for start in _starts(text):
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return value
    raise ValueError("no JSON")


def _json_of(reply: str) -> tuple[Any, tuple[AnswerLabel, ...]]:
    text = reply.strip()
    if not text:
        return None, (AnswerLabel.EMPTY,)
    if len(text) > LONGEST_REPLY:
        return None, (AnswerLabel.TOO_LARGE,)
    around = () if text[0] in "[{" and text[-1] in "]}" else (AnswerLabel.FENCED,)
    try:
        return json_in(text), around
    except ValueError:
        return None, (*around, AnswerLabel.NOT_JSON)


def _starts(text: str) -> Iterator[int]:
    found = re.finditer(r"[\[{]", text)
    for _, match in zip(range(_MOST_STARTS), found, strict=False):
        yield match.start()


def _items(value: Any, keys: tuple[str, ...]) -> list[Any] | None:
    if isinstance(value, dict):
        value = next((value[key] for key in keys if isinstance(value.get(key), list)), None)
    return value[:_MOST_ITEMS] if isinstance(value, list) else None


def _name_of(item: Any) -> str:
    if isinstance(item, dict):
        item = next((item[key] for key in _NAME if key in item), "")
    return item.strip()[:_LONGEST_TEXT] if isinstance(item, str) else ""


def _explained(item: dict[str, Any]) -> ExplainedName:
    replacement = _text(item, _REPLACEMENT)
    return ExplainedName(
        name=_text(item, _NAME),
        change=change_kind(_text(item, _KIND)),
        version=_text(item, _VERSION),
        replacement="" if replacement.lower().rstrip(".") in _NOTHING else replacement,
    )


def _text(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    value = next((item[key] for key in keys if key in item), "")
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip()[:_LONGEST_TEXT]
