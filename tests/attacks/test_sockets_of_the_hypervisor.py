"""A command talks to the host of this virtual machine: its sockets are in no network namespace."""

from __future__ import annotations

import socket

import pytest
from attacker import Attacker

ATTACK = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
    try:
        socket.socket(40, kind)  # AF_VSOCK
        print("a socket of the kind", kind)
    except PermissionError:
        pass
    except OSError as error:
        print("not denied:", error)
number = {"x86_64": 41, "aarch64": 198}[os.uname().machine]
# The kernel looks at the lower half of the family alone.
if libc.syscall(ctypes.c_long(number), ctypes.c_long(1 << 32 | 40), ctypes.c_long(1), ctypes.c_long(0)) >= 0:
    print("a socket by a large number")
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):
    socket.socket(family, socket.SOCK_DGRAM)
print("done")
"""


def test_no_such_socket_is_made(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]


def test_without_the_sandbox_one_is_made() -> None:
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    except OSError as error:
        pytest.skip(f"this kernel has no such sockets: {error}")
