"""A command makes the calls that open large parts of the kernel, or what other programs keep in it."""

from __future__ import annotations

from attacker import Attacker

ATTACK = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
NUMBERS = {
    "x86_64": dict(io_uring_setup=425, bpf=321, userfaultfd=323, perf_event_open=298, add_key=248,
                   request_key=249, keyctl=250, open_by_handle_at=304, kcmp=312, process_madvise=440),
    "aarch64": dict(io_uring_setup=425, bpf=280, userfaultfd=282, perf_event_open=241, add_key=217,
                    request_key=218, keyctl=219, open_by_handle_at=265, kcmp=272, process_madvise=440),
}
for name, number in NUMBERS[os.uname().machine].items():
    ctypes.set_errno(0)
    answer = libc.syscall(*(ctypes.c_long(word) for word in (number, 1, 0, 0, 0, 0)))
    if (answer, ctypes.get_errno()) != (-1, 1):  # EPERM
        print(name, answer, os.strerror(ctypes.get_errno()))
print("done")
"""


def test_all_of_them_are_denied(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]
