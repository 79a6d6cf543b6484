"""Handing a command a secret that is in no path, argument or environment variable.

The command inherits the end of a pipe that holds the secret, once; whoever reads it first has it, and
afterwards nobody. The number of the descriptor is no secret: an environment variable tells it. A container
inherits nothing, so it is shown a named pipe, which its first program opens.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import termios
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.sandboxes.interface import Command, SecretUse

VARIABLE = "BACKDATE_SECRET_DESCRIPTOR"
_LOWEST = 100
"""Shells redirect the descriptors below 10, and keep some above for themselves."""
NAMED_PIPE = "/backdate/secret"
"""Where a container is shown its pipe."""
IN_CONTAINER = 9
"""The descriptor that its first program opens it as: the last one that every shell can name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPipe:
    """The end of a pipe that a command inherits."""

    descriptor: int | None
    """None for a command without a secret."""
    number: int | None = None
    """What the command knows it by, where that is another number."""
    path: Path | None = None
    """Of a pipe that has a name."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the started program inherits for it."""
        return () if self.descriptor is None else (self.descriptor,)

    def shown_to(self, command: Command) -> Command:
        """``command``, told where to read."""
        if self.descriptor is None:
            return command
        return replace(command, env={**command.env, VARIABLE: str(self.number or self.descriptor)})

    def use(self) -> SecretUse:
        """Whether the secret was read by now."""
        if self.descriptor is None:
            return SecretUse.NONE
        left = fcntl.ioctl(self.descriptor, termios.FIONREAD, b"\0\0\0\0")
        return SecretUse.UNREAD if any(left) else SecretUse.READ


@contextlib.contextmanager
def secret_pipe(command: Command) -> Iterator[SecretPipe]:
    """The pipe for the secret of ``command``, open while entered; without one, a pipe that is none."""
    if command.secret is None:
        yield SecretPipe(descriptor=None)
        return
    source, sink = os.pipe()
    try:
        os.write(sink, command.secret)  # less than the pipe holds: it does not block
        high = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, _LOWEST)
    finally:
        os.close(source)
        os.close(sink)
    try:
        yield SecretPipe(descriptor=high)
    finally:
        os.close(high)


@contextlib.contextmanager
def named_secret_pipe(command: Command, folder: Path) -> Iterator[SecretPipe]:
    """The same as a named pipe in ``folder``, for a command that cannot inherit one.

    The command can open it for reading alone. It stays open here, so that opening it never blocks.
    """
    if command.secret is None:
        yield SecretPipe(descriptor=None)
        return
    path = folder / "secret"
    os.mkfifo(path, 0o600)
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fchmod(descriptor, 0o444)
        os.write(descriptor, command.secret)
        yield SecretPipe(descriptor=descriptor, number=IN_CONTAINER, path=path)
    finally:
        os.close(descriptor)
