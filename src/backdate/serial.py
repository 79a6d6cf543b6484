"""The one serialiser: frozen dataclasses to JSON and back.

Everything that backdate stores or prints as JSON goes through here, so that a value that was
written can be read again as the same value (``from_json(type(v), to_json(v)) == v``).
"""

from __future__ import annotations

import hashlib
import os
import secrets
import threading
from pathlib import Path, PurePath, PurePosixPath
from types import UnionType
from typing import Any, TypeVar, overload

import msgspec

from backdate.errors import ConfigurationError, DiskFull, StoredDataError

T = TypeVar("T")

_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}
_LEARNING = threading.Lock()
"""msgspec 0.22 keeps what it learns of a class at the class before that is complete: a second thread that
decodes meanwhile crashes the interpreter."""


def _encode_other(value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    raise TypeError(f"cannot be written as JSON: {type(value).__name__}")


def _decode_other(kind: type, value: Any) -> Any:
    if kind in (Path, PurePosixPath) and isinstance(value, str):
        return kind(value)
    raise TypeError(f"cannot be read from JSON: {kind}")


def to_json(value: object, *, indent: int = 0) -> bytes:
    """JSON of ``value``, keys in field order; ``indent`` spaces a level, or compact when 0.

    JSON has no lone surrogates, which Python puts for the bytes of a file name that is not UTF-8: they are
    written out, with a backslash.
    """
    try:
        data = msgspec.json.encode(value, enc_hook=_encode_other)
    except UnicodeEncodeError:
        data = msgspec.json.encode(_without_surrogates(msgspec.to_builtins(value, enc_hook=_encode_other)))
    return msgspec.json.format(data, indent=indent) if indent else data


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_without_surrogates(one) for one in value]
    return value


@overload
def decoder_of(kind: type[T]) -> msgspec.json.Decoder[T]: ...
@overload
def decoder_of(kind: UnionType) -> msgspec.json.Decoder[Any]: ...
def decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of ``kind``, for any thread; made at the first call. Every typed decoder is to be had from
    here."""
    decoder = _DECODERS.get(kind)
    if decoder is None:
        with _LEARNING:
            decoder = _DECODERS.setdefault(kind, msgspec.json.Decoder(kind, dec_hook=_decode_other))
    return decoder


def from_builtins(kind: type[T], value: object) -> T:
    """The value of type ``kind`` that dictionaries, lists and plain values hold.

    Raises msgspec.ValidationError, which is a ValueError, when they do not hold one.
    """
    decoder_of(kind)  # so that no other thread learns the same classes meanwhile
    return msgspec.convert(value, kind)


def from_json(kind: type[T], data: bytes, *, what: str = "JSON") -> T:
    """The value of type ``kind`` that ``data`` holds.

    Raises StoredDataError, naming ``what``, when it does not hold one.
    """
    try:
        return decoder_of(kind).decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoredDataError(f"{what} cannot be read as {kind.__name__}: {error}") from error


def digest(*values: object) -> str:
    """SHA-256 (64 hex digits) over the JSON of ``values``: the key of a thing made from those inputs."""
    state = hashlib.sha256()
    for value in values:
        part = to_json(value)
        state.update(b"%d:" % len(part))
        state.update(part)
    return state.hexdigest()


def read_limited(path: Path, *, limit: int, what: str) -> bytes:
    """What a file that a user names holds.

    Raises ConfigurationError, naming ``what``, for one that cannot be read or has more than ``limit`` bytes.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise ConfigurationError(f"{what} {path} cannot be read: {error.strerror}") from error
    if len(data) > limit:
        raise ConfigurationError(f"{what} {path} holds more than {limit:,} bytes")
    return data


def write_whole(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path`` so that a reader sees the old content or the new, never a part.

    Others may read it as far as the umask lets them, and nobody else may write it. Raises DiskFull when there
    is no space; the old content is then still there.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{path.name[:40]}.{secrets.token_hex(8)}"
    descriptor = os.open(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644
    )
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if error.errno == 28:  # ENOSPC
            raise DiskFull(f"no space left to write {path}; free some and run the command again") from error
        raise
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
