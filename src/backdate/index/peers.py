"""Whose a connection of this machine's loopback is: the kernel's table of sockets says it (``proc(5)``)."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

from backdate.errors import MachineError

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ROOT = 0
"""Root reads every process' memory anyway."""


def require_tables() -> None:
    """Raise MachineError where the kernel does not tell whose a connection is."""
    try:
        _TABLES[0].read_bytes()
    except OSError as error:
        raise MachineError(
            f"{_TABLES[0]} cannot be read ({error.strerror}): without it other users of this machine cannot "
            "be kept from the private index; mount /proc"
        ) from error


def is_of_this_user(peer: tuple[str, int], own: tuple[str, int]) -> bool:
    """Whether the socket at ``peer``, connected to ``own`` (IPv4 address and port), is this user's or root's.

    A connection that is not in the table (closed by now, or from elsewhere) is nobody's.
    """
    return _owner(peer, own) in (os.geteuid(), _ROOT)


def _owner(peer: tuple[str, int], own: tuple[str, int]) -> int | None:
    """The user's id, of the line whose local address is the peer's and whose remote one is ours."""
    for table, written in zip(_TABLES, (_ipv4, _mapped), strict=True):
        wanted = [written(*peer), written(*own)]
        try:
            lines = table.read_text("ascii").splitlines()
        except FileNotFoundError:  # a kernel without IPv6
            continue
        for line in lines:
            columns = line.split()
            if columns[1:3] == wanted:
                return int(columns[7])
    return None


def _ipv4(address: str, port: int) -> str:
    """As ``/proc/net/tcp`` has it, in hexadecimal."""
    return f"{_words(socket.inet_aton(address))}:{port:04X}"


def _mapped(address: str, port: int) -> str:
    """The same of ``/proc/net/tcp6``: an IPv6 socket that speaks IPv4 (``::ffff:127.0.0.1``)."""
    return f"{_words(socket.inet_pton(socket.AF_INET6, f'::ffff:{address}'))}:{port:04X}"


def _words(address: bytes) -> str:
    """Four bytes at a time, each as a number of this machine."""
    words = (address[start : start + 4] for start in range(0, len(address), 4))
    return "".join(f"{int.from_bytes(word, sys.byteorder):08X}" for word in words)
