"""A command looks for what the process that started it left open, and leaves its root by it."""

from __future__ import annotations

from pathlib import Path

from attacker import Attacker

ATTACK = """
import os, stat, sys
opened = os.open("/", os.O_RDONLY)
for name in sorted(os.listdir("/proc/self/fd"), key=int):
    if int(name) == opened:
        continue
    try:
        status = os.fstat(int(name))
    except OSError:
        continue  # that of the listing itself
    if int(name) > 2 and (leads_to := os.readlink(f"/proc/self/fd/{name}")) != "/dev/null":
        print("open:", name, leads_to)
    if stat.S_ISDIR(status.st_mode):
        print("a folder:", name)
    try:
        again = os.open(f"/proc/self/fd/{name}", os.O_RDWR | os.O_NONBLOCK)
        if stat.S_ISREG(os.fstat(again).st_mode):
            print("a file of the host:", name)
    except OSError:
        pass
try:
    os.chroot("/tmp")
    print("left the root")
except OSError:
    pass
for up in ("/proc/1/root", "/proc/1/cwd", f"/proc/{os.getppid()}/root"):
    try:
        if os.path.exists(up + sys.argv[1]):
            print("sees", up + sys.argv[1])
    except OSError:
        pass
print("done")
"""


def test_nothing_of_the_host_is_open(attacker: Attacker, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    assert attacker(ATTACK, str(tmp_path / "secret")) == ["done"]
