"""Handing a command a secret that is in no path, argument or environment variable.

The command inherits the end of a pipe that holds the secret, once; whoever reads it first has it, and
afterwards nobody. The number of the descriptor is no secret: an environment variable tells it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import termios
from collections.abc import Iterator
from dataclasses import dataclass, replace

from backdate.sandboxes.interface import Command, SecretUse

VARIABLE = "BACKDATE_SECRET_DESCRIPTOR"
_LOWEST = 100
"""Shells redirect the descriptors below 10, and keep some above for themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretPipe:
    """The end of a pipe that a command inherits."""

    descriptor: int | None
    """None for a command without a secret."""

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the started program inherits for it."""
        return () if self.descriptor is None else (self.descriptor,)

    def shown_to(self, command: Command) -> Command:
        """``command``, told where to read."""
        if self.descriptor is None:
            return command
        return replace(command, env={**command.env, VARIABLE: str(self.descriptor)})

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
