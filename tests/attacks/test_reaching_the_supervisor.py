"""A command looks for the process that watches it: among processes, parents and descriptors."""

from __future__ import annotations

import os

from attacker import Attacker

ATTACK = """
import os, sys
supervisor = int(sys.argv[1])
outside = []
for name in filter(str.isdigit, os.listdir("/proc")):
    command = open(f"/proc/{name}/cmdline", "rb").read()
    if int(name) != os.getpid() and (b"launcher.py" in command or b"pytest" in command):
        outside.append(name)
    for descriptor in os.listdir(f"/proc/{name}/fd") if os.access(f"/proc/{name}/fd", os.R_OK) else ():
        try:
            leads_to = os.readlink(f"/proc/{name}/fd/{descriptor}")
        except OSError:
            continue
        if name == str(os.getpid()) and leads_to.startswith("socket:"):
            outside.append(leads_to)
print("outside:", outside)
try:
    os.kill(supervisor, 0)
    print("the supervisor can be signalled")
except ProcessLookupError:
    print("there is no such process")
for name in ("mem", "environ"):
    try:
        open(f"/proc/{os.getppid()}/{name}", "rb").read(1)
        print("can read the parent's", name)
    except OSError:
        pass
"""


def test_the_supervisor_is_not_there(attacker: Attacker) -> None:
    lines = attacker(ATTACK, str(os.getpid()))
    assert lines[:2] == ["outside: []", "there is no such process"]
