"""What the default sandbox does to a command that means harm."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from leaks import no_descriptor_left, no_thread_left
from patience import PATIENCE_S, with_enough_time

from backdate.sandboxes import cgroups
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.identity import DROPPED_ID
from backdate.sandboxes.interface import MIB, Command, Mount, RunStatus, Workspace
from backdate.sandboxes.scratch import clear_stale

DAEMON = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(6000)
    os._exit(0)
print("started", flush=True)
"""
"""Leaves a daemon that ignores what it can and holds the output open; its argument is in its command line."""


def test_a_fork_bomb_is_stopped(shell, python):
    script = """
import os, time
made = 0
while True:
    try:
        if os.fork() == 0:
            time.sleep(60) if made % 2 else None
    except OSError:
        time.sleep(0.01)
    made += 1
"""
    result = python(script, wall_s=2.0, processes=100)
    assert result.status in (RunStatus.TIMEOUT, RunStatus.EXITED)
    assert result.enforced.processes in ("tree", "per-user")


def test_processes_are_limited(shell):
    result = shell("for i in $(seq 100); do sleep 60 & done; echo all", processes=30)
    assert "all" not in shell.text.splitlines()
    assert not result.ok


def test_a_big_file_hits_the_limit(shell):
    result = shell("exec dd if=/dev/zero of=/tmp/big bs=1M count=2000", disk_bytes=32 * MIB)
    assert result.status is RunStatus.DISK_LIMIT
    assert result.signal in (None, signal.SIGXFSZ), "the watch or the kernel, whichever is first"
    assert "2000+0" not in shell.text


def test_many_files_hit_the_limit(shell):
    script = "i=0; while :; do i=$((i+1)); head -c 8M /dev/zero > /tmp/file$i; done"
    result = shell(script, disk_bytes=64 * MIB)
    assert result.status is RunStatus.DISK_LIMIT
    assert result.enforced.disk == "watched"


def test_files_that_were_removed_but_are_held_open_count(python):
    script = """
import os, time
held = []
for number in range(40):
    file = open(f"/tmp/{number}", "wb")
    os.unlink(f"/tmp/{number}")
    file.write(bytes(4 << 20))
    file.flush()
    held.append(file)
time.sleep(60)
"""
    assert python(script, disk_bytes=64 * MIB).status is RunStatus.DISK_LIMIT


def test_empty_files_count(python):
    script = """
import time
for number in range(20_000):
    open(f"/tmp/{number}", "w").close()
time.sleep(60)
"""
    assert python(script, disk_bytes=16 * MIB).status is RunStatus.DISK_LIMIT


def test_a_tree_over_the_limit_is_not_copied(shell, tmp_path):
    (tmp_path / "tree").mkdir()
    with (tmp_path / "tree/big").open("wb") as file:
        file.truncate(1 << 40)
    result = shell("true", tree=tmp_path / "tree", cwd="/work/project", disk_bytes=16 * MIB)
    assert result.status is RunStatus.DISK_LIMIT
    assert "larger than the limit" in shell.text


def test_shared_memory_is_limited(shell):
    result = shell("head -c 200M /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x", memory_bytes=128 * MIB)
    assert result.status is RunStatus.OOM or int(shell.text.split()[-1]) <= 64 * MIB


def test_endless_output_fills_nothing(shell, tmp_path):
    result = shell("yes 'all work and no play' 2>/dev/null | head -c 400000000", log_bytes=MIB)
    assert result.ok
    assert result.dropped_log_bytes == 400_000_000 - MIB
    assert (tmp_path / "log").stat().st_size < MIB + 100


def test_endless_output_ends_at_the_wall(shell, tmp_path):
    result = shell("exec yes", wall_s=0.5, log_bytes=MIB)
    assert result.status is RunStatus.TIMEOUT
    assert (tmp_path / "log").stat().st_size < MIB + 100


def test_killing_everybody_kills_only_the_sandbox(shell):
    bystander = subprocess.Popen(["sleep", "600"])
    try:
        result = shell("sleep 100 & kill -9 -1; sleep 100")
        assert result.status is RunStatus.EXITED
        assert result.exit_code is None
        assert result.signal == signal.SIGKILL
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_killing_its_parents_does_not_free_it(shell, python, mark, running):
    script = "import os, sys, time\nfor p in (os.getppid(), 1):\n  os.kill(p, 9)\ntime.sleep(60)"
    assert python(script, mark).status is RunStatus.EXITED
    assert not running(mark)


def test_signals_to_its_own_group_reach_only_itself(python, shell):
    script = (
        "import os, signal\nsignal.signal(15, lambda *_: print('caught'))\nos.kill(0, 15)\nprint('going on')"
    )
    assert python(script).ok
    assert shell.text.split("\n")[:2] == ["caught", "going on"]


def test_a_daemon_does_not_outlive_the_command(python, shell, mark, running):
    result = python(DAEMON, mark, wall_s=300.0)  # the daemon sleeps longer: nobody waited for it
    assert result.ok
    assert shell.text == "started\n"
    assert not running(mark)


def test_a_daemon_does_not_outlive_the_time_limit(python, shell, mark, running):
    result = with_enough_time(
        lambda wall_s: python(DAEMON + "time.sleep(6000)", mark, wall_s=wall_s),
        lambda _result: bool(shell.text),
        1.0,
    )
    assert result.status is RunStatus.TIMEOUT
    assert shell.text == "started\n"
    assert not running(mark)


def test_secrets_outside_are_invisible(shell, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    files = f"{secret} /etc/shadow /root/.bashrc /proc/1/environ"
    script = f"cat {files}; ls /home /root /srv /boot /sys {tmp_path}"
    shell(script)
    assert "hunter2" not in shell.text
    assert "root:" not in shell.text
    assert os.environ.get("PYTEST_CURRENT_TEST", "?") not in shell.text


def test_a_link_in_the_tree_does_not_lead_out(shell, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("treasure")
    precious.chmod(0o777)
    (precious / "file").chmod(0o666)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "out").symlink_to(precious)
    (tree / "file").symlink_to(precious / "file")
    (tree / "hard").hardlink_to(precious / "file")
    (tree / "self").symlink_to(tree)
    (tree / "original").write_text("original")
    reading = "cat file; cat out/file"
    writing = f"echo x > out/new; echo x > file; echo x > hard; echo x > self/original; echo x > {tree}/y"
    shell(f"{reading}; {writing}", tree=tree, cwd="/work/project")
    assert "treasure" not in shell.text
    assert [path.name for path in precious.iterdir()] == ["file"]
    assert (precious / "file").read_text() == "treasure"
    assert (tree / "original").read_text() == "original"
    assert not (tree / "y").exists()


def test_a_link_in_a_writable_mount_is_not_handed_over(shell, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("files are handed over by root only")
    (tmp_path / "precious").write_text("precious")
    out = tmp_path / "out"
    (out / "below").mkdir(parents=True)
    (out / "below/link").symlink_to(tmp_path / "precious")
    assert shell("true", mounts=(Mount(source=out, target="/out", writable=True),)).ok
    assert (tmp_path / "precious").stat().st_uid == 0
    assert (out / "below").stat().st_uid == DROPPED_ID


CONNECT = """
import socket, sys
for host, port in (("127.0.0.1", int(sys.argv[1])), ("192.0.2.1", 80), ("8.8.8.8", 53)):
    try:
        socket.create_connection((host, port), timeout=3)
        print("reached", host)
    except OSError as error:
        print("not", host, error)
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname())
print("own loopback works")
if len(sys.argv) > 2:
    with socket.socket(socket.AF_UNIX) as local:
        local.connect("\\0" + sys.argv[2])
    print("reached abstract")
"""


def test_the_network_is_off_but_for_its_own_loopback(python, shell):
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        name = f"backdate-{os.getpid()}"
        abstract.bind("\0" + name)
        abstract.listen()
        result = python(CONNECT, str(server.getsockname()[1]), name)
    assert "reached" not in shell.text
    assert "own loopback works" in shell.text
    assert result.enforced.network == "off"


def test_the_network_is_on_when_asked_for(python, shell):
    script = CONNECT.split("server =", maxsplit=1)[0].replace('("192.0.2.1", 80), ("8.8.8.8", 53)', "")
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = python(script, str(server.getsockname()[1]), network="on")
    assert "reached 127.0.0.1" in shell.text
    assert result.enforced.network == "on"
    assert shell("cat /etc/resolv.conf; test -d /etc/ssl/certs || test -d /etc/pki", network="on").ok


def test_certificates_are_shown_without_the_network_too_and_keys_never(shell):
    assert shell("ls /etc/ssl/certs/* || ls /etc/pki/tls/certs/*").ok, (
        "libraries read them when they are imported"
    )
    assert not shell("ls /etc/ssl/private || ls /etc/pki/tls/private").ok


def test_eating_memory_is_an_oom(python, shell, bubblewrap):
    script = "x = []\nwhile sum(map(len, x)) < 20 << 30: x.append(b'x' * (16 << 20))"
    result = python(script, memory_bytes=256 * MIB)
    if result.enforced.memory == "tree":
        assert (result.status, result.exit_code) == (RunStatus.OOM, None)
        assert 128 * MIB < (result.peak_memory_bytes or 0) <= 256 * MIB
    else:
        assert "MemoryError" in shell.text


def test_memory_of_the_whole_tree_counts(python):
    if not cgroups.find_parents():
        pytest.skip("no control group can be made here: memory is limited for each process by itself")
    script = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        block = b"x" * (64 << 20)
        time.sleep(60)
os.wait()
"""
    assert python(script, memory_bytes=256 * MIB).status is RunStatus.OOM


def test_no_more_user_namespaces_and_no_rights(python, shell):
    script = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print("unshare", libc.unshare(0x10000000))
print("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
print([line for line in open("/proc/self/status") if line.startswith(("CapEff", "CapBnd", "NoNewPrivs"))])
"""
    python(script)
    assert "unshare -1\nmount -1" in shell.text
    assert "CapEff:\\t0000000000000000" in shell.text
    assert "CapBnd:\\t0000000000000000" in shell.text
    assert "NoNewPrivs:\\t1" in shell.text


def test_endlessly_deep_folders_are_cleared_away(bubblewrap, tmp_path):
    root = tmp_path / "scratch"
    script = "import os\nos.chdir('/tmp')\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')"
    interpreter, prefix = Path(sys.executable).resolve(), Path(sys.base_prefix).resolve()
    command = Command(argv=(str(interpreter), "-I", "-c", script), cwd="/tmp")
    workspace = Workspace(mounts=(Mount(source=prefix, target=str(prefix)),))
    assert Bubblewrap(scratch_root=root).run(command, workspace, log=tmp_path / "log").ok
    assert list(root.iterdir()) == []


CALLER = """
import os, signal, sys, threading
from pathlib import Path
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import *
folder, mark = Path(sys.argv[1]), sys.argv[2]
sandbox = Bubblewrap(scratch_root=folder / "scratch")
script = "trap '' TERM INT HUP; setsid sh -c \\"trap '' TERM; sleep 6$0\\" & sleep 6$0"
def run(number):
    command = Command(argv=("/bin/sh", "-c", script, mark), cwd="/")
    return sandbox.run(command, Workspace(), log=folder / f"log{number}")
threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(int(sys.argv[3]))]
for thread in threads: thread.start()
try:
    run(99)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""


def _start(tmp_path: Path, mark: str, threads: int) -> subprocess.Popen[bytes]:
    """A caller; the mark is in the environment of all that it starts."""
    # Who starts tests in the background of a shell has SIGINT ignored, and so would the caller.
    program = ["env", "--default-signal=INT", sys.executable, "-c", textwrap.dedent(CALLER)]
    arguments = [*program, str(tmp_path), mark, str(threads)]
    path = f"{os.environ['PATH']}:/nonexistent/{mark}"
    temporary = tmp_path / "temporary"  # of a caller that is killed its folders stay
    temporary.mkdir()
    own = {"PATH": path, "PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": str(temporary)}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, env={**os.environ, **own})


@pytest.fixture
def cleared(tmp_path: Path) -> Iterator[None]:
    """Does afterwards what a later run in the same scratch folder would do."""
    yield
    clear_stale(tmp_path / "scratch")


def _asleep(running, mark: str) -> int:
    """How many of the sleepers run (the caller has the mark in its command line too)."""
    return len(running(f"6{mark}"))


def test_nothing_is_left_when_the_caller_is_interrupted(tmp_path, mark, running, eventually):
    caller = _start(tmp_path, mark, 0)
    assert eventually(lambda: _asleep(running, mark) >= 2)
    caller.send_signal(signal.SIGINT)
    output, _ = caller.communicate(timeout=PATIENCE_S)
    assert output == b"interrupted\n"
    assert _asleep(running, mark) == 0
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.usefixtures("cleared")
def test_nothing_is_left_running_when_the_caller_is_killed(tmp_path, mark, running, eventually):
    caller = _start(tmp_path, mark, 3)
    assert eventually(lambda: _asleep(running, mark) >= 8)
    caller.kill()
    caller.communicate()
    assert eventually(lambda: _asleep(running, mark) == 0)
    left = list((tmp_path / "scratch").iterdir())
    assert len(left) == 4
    groups = [Path(line) for folder in left for line in (folder / "control-groups").read_text().splitlines()]
    sandbox = Bubblewrap(scratch_root=tmp_path / "scratch")
    assert sandbox.run(Command(argv=("true",), cwd="/"), Workspace(), log=tmp_path / "log").ok
    assert list((tmp_path / "scratch").iterdir()) == []
    assert not any(group.exists() for group in groups)


@pytest.mark.usefixtures("cleared")
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08])
def test_nothing_is_left_when_the_caller_is_killed_while_setting_up(
    tmp_path, mark, running, eventually, delay
):
    caller = _start(tmp_path, mark, 3)
    assert eventually((tmp_path / "scratch").exists)
    time.sleep(delay)
    caller.kill()
    caller.communicate()
    assert eventually(lambda: running(mark) == []), [_words(process) for process in running(mark)]


def test_an_exception_in_a_watcher_ends_the_run(bubblewrap, tmp_path, mark, running, monkeypatch):
    def broken(_: object) -> bool:
        raise RuntimeError("broken")

    monkeypatch.setattr("backdate.sandboxes.disk.DiskWatch.exceeded", broken)
    command = Command(argv=("sh", "-c", f"sleep 6{mark}"), cwd="/")
    with pytest.raises(RuntimeError, match="broken"):
        bubblewrap.run(command, Workspace(), log=tmp_path / "log")
    assert not running(mark)


def test_threads_and_descriptors_are_not_leaked(shell):
    shell("true")
    with no_thread_left(), no_descriptor_left():
        for _ in range(3):
            shell("true")


@pytest.mark.parametrize("victim", ["keeper", "monitor"])
def test_a_sandbox_process_killed_from_outside_leaves_nothing(
    bubblewrap, tmp_path, mark, running, eventually, victim
):
    command = Command(argv=("sh", "-c", f"sh -c 'trap \"\" TERM; sleep 6{mark}' & sleep 6{mark}"), cwd="/")
    results = []
    thread = threading.Thread(
        target=lambda: results.append(bubblewrap.run(command, Workspace(), log=tmp_path / "log"))
    )
    thread.start()
    assert eventually(lambda: len([p for p in running(f"6{mark}") if _name(p) == "sleep"]) >= 2)
    keeper = next(child for child in _children(os.getpid()) if b"launcher.py" in _words(child))
    (monitor,) = _children(keeper)
    os.kill({"keeper": keeper, "monitor": monitor}[victim], signal.SIGKILL)
    thread.join(30)
    assert results
    assert results[0].exit_code is None
    assert not running(mark)


def _name(process: int) -> str:
    try:
        return Path(f"/proc/{process}/comm").read_text().strip()
    except OSError:
        return ""


def _words(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return [int(number) for file in tasks for number in file.read_text().split()]
