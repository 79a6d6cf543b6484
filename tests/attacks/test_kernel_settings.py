"""A command changes what the kernel runs on its own: handlers of crashes, of devices, of control groups."""

from __future__ import annotations

from attacker import Attacker

ATTACK = """
import os
for path in (
    "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hotplug",
    "/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/fs/binfmt_misc/register",
    "/proc/sys/vm/overcommit_memory", "/proc/sysrq-trigger", "/proc/kcore", "/proc/kallsyms_writable",
    "/proc/1/environ", "/proc/timer_list", "/sys/kernel/uevent_helper", "/sys/power/state",
    "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/release_agent", "/sys/fs/cgroup/cgroup.procs",
    "/sys/module", "/sys/firmware",
):
    try:
        descriptor = os.open(path, os.O_WRONLY)
        if os.fstat(descriptor).st_rdev != os.makedev(1, 3):  # Docker puts /dev/null over some
            print("can write", path)
        os.close(descriptor)
    except OSError:
        pass
for folder, _, files in os.walk("/sys"):
    for name in files:
        if os.access(os.path.join(folder, name), os.W_OK):
            print("can write", os.path.join(folder, name))
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe"):
    try:
        os.rename(path, "/tmp/x")
        print("moved", path)
    except OSError:
        pass
print("done")
"""


def test_none_of_them_can_be_written(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]
