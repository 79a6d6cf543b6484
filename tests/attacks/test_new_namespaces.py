"""A command makes namespaces of its own, in which it would be root, and enters those of others."""

from __future__ import annotations

from attacker import Attacker

ATTACK = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
KINDS = dict(user=0x10000000, mount=0x20000, pid=0x20000000, net=0x40000000, ipc=0x8000000, uts=0x4000000,
             cgroup=0x2000000, time=0x80)
for name, flag in KINDS.items():
    if libc.unshare(flag) == 0 or libc.unshare(flag | KINDS["user"]) == 0:
        print("made a namespace:", name)
CLONE = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
child = libc.syscall(*(ctypes.c_long(word) for word in (CLONE, KINDS["user"] | 17, 0, 0, 0, 0)))
if child == 0:
    os._exit(0)
if child > 0:
    print("a child in a user namespace")
words = (ctypes.c_uint64 * 8)(KINDS["user"], 0, 0, 0, 17, 0, 0, 0)
child = libc.syscall(ctypes.c_long(435), ctypes.byref(words), ctypes.c_long(64))  # clone3
if child == 0:
    os._exit(0)
if child > 0:
    print("a child in a user namespace, by the newer call")
for kind in ("user", "mnt", "net", "pid", "cgroup"):
    for process in ("1", "self"):
        try:
            descriptor = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY)
        except OSError:
            continue
        if libc.setns(descriptor, 0) == 0:
            print("entered", process, kind)
for arguments in ((b"none", b"/tmp", b"tmpfs", 0, None), (b"/", b"/tmp", None, 4096, None),
                  (None, b"/", None, 32 | 4096, None)):
    if libc.mount(*arguments) == 0:
        print("mounted", arguments)
if libc.umount2(b"/tmp", 2) == 0 or libc.umount2(b"/proc", 2) == 0:
    print("took a file system away")
for number in (428, 429, 430, 432, 442):  # open_tree, move_mount, fsopen, fsmount, mount_setattr
    if libc.syscall(*(ctypes.c_long(word) for word in (number, 0, 0, 0, 0, 0))) >= 0:
        print("the newer mount call", number)
print("done")
"""


def test_none_is_made_or_entered(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]
