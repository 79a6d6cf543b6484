"""A command traces another by the entry points that a filter for 64-bit calls does not see."""

from __future__ import annotations

import os
import signal

import pytest
from attacker import Attacker

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the entry points of x86-64")

THIRTY_TWO_BITS = """
import ctypes, mmap
# mov eax, edi; mov ebx, esi; xor ecx, ecx; xor edx, edx; xor esi, esi; int 0x80; ret
CODE = bytes.fromhex("89f8 5389f3 31c9 31d2 31f6 cd80 5b c3".replace(" ", ""))
memory = mmap.mmap(-1, len(CODE), prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
memory.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(address)
print("trace me:", call(26, 0))  # ptrace(PTRACE_TRACEME), by its 32-bit number
print("process id:", call(20, 0))  # getpid
"""

X32 = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (521, 39):  # ptrace and getpid
    print(libc.syscall(0x40000000 | number, 0, 0, 0, 0), ctypes.get_errno())
"""


def assert_denied(attacker: Attacker, script: str, told: list[str]) -> None:
    """Each call fails with EPERM, which is 1; Docker's filter ends the program at the first of them."""
    said = attacker(script)
    ended = attacker.ended
    assert ended is not None
    if attacker.shell.sandbox.name == "docker":
        assert (said, ended.signal or (ended.exit_code or 0) - 128) == ([], signal.SIGSYS)
    else:
        assert said == told


def test_thirty_two_bit_calls_fail(attacker: Attacker) -> None:
    assert_denied(attacker, THIRTY_TWO_BITS, ["trace me: -1", "process id: -1"])


def test_x32_calls_fail(attacker: Attacker) -> None:
    assert_denied(attacker, X32, ["-1 1", "-1 1"])
