"""Reading predictions in SWE-bench's format, from anybody: JSON Lines, a JSON list or an object by id."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from backdate.errors import UsageError

MOST_BYTES = 2 * 1024 * 1024 * 1024
"""Of one file of predictions."""
_LONGEST_NAME = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """One answer."""

    instance_id: str
    model: str
    """``model_name_or_path``; empty when it does not say."""
    patch: str | None
    """``model_patch`` as it is. None: null, or no text; that is no answer."""
    where: str
    """Where it stood: "line 3", "entry 2"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """What a file holds."""

    found: tuple[Prediction, ...]
    problems: tuple[str, ...] = ()
    """Entries that are no predictions, each with its place."""

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order of the file."""
        return tuple(dict.fromkeys(prediction.model for prediction in self.found))


def read_predictions(path: Path) -> Predictions:
    """The predictions in ``path``. Raises UsageError for a file that is not there or holds none at all."""
    try:
        if not path.is_file():
            raise UsageError(f"there is no file of predictions at {path}")
        if path.stat().st_size > MOST_BYTES:
            raise UsageError(f"{path} is larger than {MOST_BYTES:,} bytes; split it")
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    found: list[Prediction] = []
    problems: list[str] = []
    for where, entry in _entries(data.removeprefix(b"\xef\xbb\xbf")):
        if isinstance(entry, Prediction):
            found.append(entry)
        else:
            problems.append(f"{where}: {entry}")
    if not found and not problems:
        raise UsageError(f"{path} holds no predictions: it is empty")
    if not found:
        more = f" (and {len(problems) - 1} more such entries)" if len(problems) > 1 else ""
        raise UsageError(f"{path} holds no predictions: {problems[0]}{more}")
    return Predictions(found=tuple(found), problems=tuple(problems))


def _entries(data: bytes) -> Iterator[tuple[str, Prediction | str]]:
    """Each entry with its place: a prediction, or what is wrong with it."""
    whole = _decoded(data) if data.lstrip()[:1] in (b"[", b"{") else None
    if isinstance(whole, list):
        for number, value in enumerate(whole, start=1):
            yield f"entry {number}", _entry(value, f"entry {number}")
        return
    if isinstance(whole, dict) and "instance_id" not in whole:
        for name, value in whole.items():
            where = f"entry {name[:_LONGEST_NAME]!r}"
            named = {"instance_id": name, **value} if isinstance(value, dict) else value
            yield where, _entry(named, where)
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            where = f"line {number}"
            value = _decoded(line)
            yield where, "it is not JSON" if value is _GARBAGE else _entry(value, where)


_GARBAGE = object()
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_HALF = re.compile("[\ud800-\udfff]")


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if not _SURROGATE.search(data):
            return _GARBAGE
    try:
        return json.loads(data)  # which reads halves of surrogate pairs, so that their entry can be named
    except (ValueError, RecursionError):
        return _GARBAGE


def _entry(value: Any, where: str) -> Prediction | str:
    if not isinstance(value, dict):
        return "it is not a JSON object"
    instance, model = value.get("instance_id"), value.get("model_name_or_path")
    if not isinstance(instance, str) or not instance:
        return "it has no instance_id"
    if len(instance) > _LONGEST_NAME:
        return f"its instance_id has {len(instance):,} characters"
    patch = value.get("model_patch", value.get("patch"))
    for name, text in (("instance_id", instance), ("model", model), ("patch", patch)):
        half = _HALF.search(text) if isinstance(text, str) else None
        if half is not None:
            return (
                f"its {name} holds U+{ord(half.group()):04X}, half of a surrogate pair, which is no character"
            )
    return Prediction(
        instance_id=instance,
        model=model[:_LONGEST_NAME] if isinstance(model, str) else "",
        patch=patch if isinstance(patch, str) else None,
        where=where,
    )
