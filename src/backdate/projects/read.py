"""Reading a project's files: bounded, and never through a link that leads out of the tree.

A source tree is hostile. A configuration file may be a terabyte, a device, a named pipe that never
answers, or a link to a file of this machine. All code that reads one uses this module.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from backdate.editing.encodings import decode_configuration
from backdate.errors import ConfigurationError

CONFIGURATION_BYTES = 2 * 1024 * 1024
"""No configuration file that people write is larger."""


def read_bytes(root: Path, relative: str, *, limit: int = CONFIGURATION_BYTES) -> bytes | None:
    """The content of the file ``relative`` (forward slashes) of the tree ``root``; None when there is none.

    Raises ConfigurationError when it is not a regular file, holds more than ``limit`` bytes, or is
    reached through a link that leads out of the tree.
    """
    path = _inside(root, relative)
    if path is None:
        return None
    try:
        # Non-blocking: opening a named pipe must not wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigurationError(f"{relative} cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ConfigurationError(f"{relative} is not a regular file; it is not read")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ConfigurationError(
            f"{relative} holds more than {limit:,} bytes; no configuration file is that large"
        )
    return data


def read_text(root: Path, relative: str, *, limit: int = CONFIGURATION_BYTES) -> str | None:
    """The text of a file, with line ends as ``\\n``; None when there is none.

    Decoded by ``decode_configuration``, which never fails and keeps every ASCII character. Raises
    ConfigurationError as ``read_bytes`` does.
    """
    data = read_bytes(root, relative, limit=limit)
    return None if data is None else decode(data)


def decode(data: bytes) -> str:
    """The text that ``data`` holds, as ``read_text`` reads it."""
    text = decode_configuration(data).content
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _inside(root: Path, relative: str) -> Path | None:
    """Where ``relative`` really lies, which is inside ``root``; None when there is nothing there."""
    if "\0" in relative or relative.startswith("/") or ".." in relative.split("/"):
        raise ConfigurationError(f"{relative!r} does not name a file inside the project")
    try:
        if _has_no_link(root, relative):
            return root / relative
        top = root.resolve()
        path = (top / relative).resolve(strict=True)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError) as error:  # a loop of links, a name that is too long
        raise ConfigurationError(f"{relative} cannot be read: {error}") from error
    if not path.is_relative_to(top):
        raise ConfigurationError(f"{relative} is a link that leads out of the project; it is not read")
    return path


def _has_no_link(root: Path, relative: str) -> bool:
    """Whether ``relative`` is there and no part of it is a link: then it need not be resolved."""
    path = os.fspath(root)
    for part in relative.split("/"):
        if part in ("", "."):
            return False
        path = f"{path}/{part}"
        if stat.S_ISLNK(os.lstat(path).st_mode):
            return False
    return True
