"""A run looks for a run beside it, which belongs to the same user outside: by signals, /proc and sockets."""

from __future__ import annotations

import threading
from pathlib import Path

from sandboxed_shell import Shell, interpreter_mount

from backdate.sandboxes.interface import Mount

VICTIM = """
import os, socket, sys, time
listening = socket.socket(socket.AF_UNIX)
listening.bind("\\0victim-of-another-run")
listening.listen()
print("pid namespace", os.readlink("/proc/self/ns/pid"), flush=True)
open("/shared/ready", "w").close()
deadline = time.monotonic() + 120
while not os.path.exists("/shared/done") and time.monotonic() < deadline:
    time.sleep(0.02)
print("not disturbed")
"""

ATTACKER = """
import os, socket, time
deadline = time.monotonic() + 120
while not os.path.exists("/shared/ready") and time.monotonic() < deadline:
    time.sleep(0.02)
print("pid namespace", os.readlink("/proc/self/ns/pid"))
own = {os.getpid(), os.getppid(), 1}
for process in range(1, 40000):
    if process not in own:
        try:
            os.kill(process, 9)
        except (ProcessLookupError, PermissionError):
            continue
for name in filter(str.isdigit, os.listdir("/proc")):
    text = open(f"/proc/{name}/cmdline", "rb").read()
    if b"victim-of-another-" b"run" in text and b"not dis" b"turbed" in text:
        print("saw the victim's command line")
    try:
        os.listdir(f"/proc/{name}/root/work")
    except OSError:
        pass
try:
    socket.socket(socket.AF_UNIX).connect("\\0victim-of-another-run")
    print("connected to the victim")
except ConnectionRefusedError:
    pass
open("/shared/done", "w").close()
print("done")
"""


def test_two_runs_at_once_do_not_meet(bubblewrap, tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    mount = Mount(source=shared, target="/shared", writable=True)
    victim, attacker = (Shell(bubblewrap, tmp_path / name) for name in ("victim", "attacker"))
    for shell in (victim, attacker):
        shell.folder.mkdir()
    beside = threading.Thread(target=lambda: _run(victim, VICTIM, mount))
    beside.start()
    _run(attacker, ATTACKER, mount)
    beside.join()
    assert victim.text.splitlines()[-1] == "not disturbed"
    assert attacker.text.splitlines()[1:] == ["done"]
    assert victim.text.splitlines()[0] != attacker.text.splitlines()[0]


def _run(shell: Shell, script: str, mount: Mount) -> None:
    interpreter, mounted = interpreter_mount()
    result = shell("", argv=(interpreter, "-I", "-c", script), mounts=(mounted, mount))
    assert result.enforced.network == "off"
