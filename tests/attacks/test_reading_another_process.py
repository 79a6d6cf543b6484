"""A test traces, reads or robs another process of its run: the one that will report its outcome."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from attacker import Attacker

ATTACK = """
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long

def syscall(*words):
    return libc.syscall(*(ctypes.c_long(word) if isinstance(word, int) else word for word in words))

NUMBERS = {"x86_64": (101, 310, 311, 438), "aarch64": (117, 270, 271, 438)}
PTRACE, READ, WRITE, GETFD = NUMBERS[os.uname().machine]

class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]

secret = ctypes.create_string_buffer(b"the outcome is failed")
shared, other_end = os.pipe()
victim = os.fork()
if victim == 0:
    os.close(other_end)
    time.sleep(60)
    os._exit(0)

def vector(buffer):
    return ctypes.byref(Vector(ctypes.addressof(buffer), len(buffer)))

seen = ctypes.create_string_buffer(len(secret))
if syscall(READ, victim, vector(seen), 1, vector(secret), 1, 0) > 0:
    print("read:", seen.value.decode())
forged = ctypes.create_string_buffer(b"the outcome is passed")
if syscall(WRITE, victim, vector(forged), 1, vector(secret), 1, 0) > 0:
    print("written")
if syscall(GETFD, os.pidfd_open(victim), shared, 0) >= 0:
    print("took a descriptor")
if syscall(PTRACE, 16, victim, 0, 0) == 0:  # PTRACE_ATTACH
    print("traced")
os.kill(victim, 9)
print("done")
"""


def test_nothing_of_another_process_can_be_had(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user may be kept from tracing by the system")
def test_without_the_sandbox_all_of_it_can_be_had() -> None:
    done = subprocess.run([sys.executable, "-c", ATTACK], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "read: the outcome is failed",
        "written",
        "took a descriptor",
        "traced",
        "done",
    ]
