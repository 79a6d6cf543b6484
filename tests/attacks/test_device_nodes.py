"""A command makes device nodes, opens those of the machine, and gives programs other rights."""

from __future__ import annotations

from pathlib import Path

from attacker import Attacker

from backdate.sandboxes.interface import Mount

DEVICES = """
import os, stat
for name, kind, number in (("mem", stat.S_IFCHR, (1, 1)), ("disk", stat.S_IFBLK, (8, 0))):
    for folder in ("/tmp", os.environ["HOME"], "/dev/shm", "/dev"):
        try:
            os.mknod(f"{folder}/{name}", kind | 0o666, os.makedev(*number))
            print("made", folder, name)
        except OSError:
            pass
for name in ("mem", "kmem", "kmsg", "port", "sda", "vda", "nvme0n1", "loop-control", "fuse", "kvm", "vsock",
             "vhost-vsock", "net/tun", "mapper/control", "uinput", "input/event0"):
    try:
        os.open(f"/dev/{name}", os.O_RDONLY | os.O_NONBLOCK)
        print("opened", name)
    except OSError:
        pass
print("done")
"""

RIGHTS = """
import os, shutil, subprocess
for mode in (0o4755, 0o2755, 0o6755):
    shutil.copy(shutil.which("id"), "/out/id")
    os.chmod("/out/id", mode)
    seen = subprocess.run(["/out/id", "-u"], capture_output=True, text=True).stdout.strip()
    if seen != str(os.getuid()):
        print("runs as", seen)
try:
    os.setxattr("/out/id", "security.capability", bytes.fromhex("0100000200040000000000000000000000000000"))
    print("gave capabilities")
except OSError:
    pass
for change in (lambda: os.setuid(0), lambda: os.setgroups([0]), lambda: os.chown("/out/id", 0, 0)):
    try:
        change()
        print("changed")
    except OSError:
        pass
print("done")
"""


def test_no_device_can_be_had(attacker: Attacker) -> None:
    assert attacker(DEVICES) == ["done"]


def test_a_program_gives_no_rights_by_its_mode(attacker: Attacker, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    assert attacker(RIGHTS, mounts=(Mount(source=out, target="/out", writable=True),)) == ["done"]
    assert (out / "id").exists(), "the attack did not reach the folder"
    assert (out / "id").stat().st_uid != 0 or out.stat().st_uid == 0
