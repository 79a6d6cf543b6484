"""A command overwrites the program that keeps it in, and programs that others will run (CVE-2019-5736)."""

from __future__ import annotations

from attacker import Attacker

ATTACK = """
import os, shutil, sys
places = [f"/proc/{name}/exe" for name in os.listdir("/proc") if name.isdigit()]
places += [sys.executable, sys.prefix, os.__file__, "/usr/bin", "/bin/sh", shutil.which("env")]
places += ["/etc/passwd", "/etc/ld.so.cache", "/etc/ld.so.preload", "/lib", "/usr/lib"]
for place in places:
    try:
        os.close(os.open(place + "/planted" if os.path.isdir(place) else place, os.O_WRONLY | os.O_CREAT))
        print("can write", place)
    except OSError:
        pass
    try:
        os.unlink(os.path.realpath(place))
        print("took away", place)
    except OSError:
        pass
print("done")
"""


def test_no_program_can_be_written(attacker: Attacker) -> None:
    assert attacker(ATTACK) == ["done"]
