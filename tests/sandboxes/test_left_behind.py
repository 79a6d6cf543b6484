"""An installer that waits for what a build left behind goes on; nothing else is ended."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import pytest
from ordinary_user import require_another_user, run_tests_as_user
from patience import PATIENCE_S

from backdate.sandboxes import left_behind
from backdate.sandboxes.interface import Command, Limits, Mount, RunStatus, Sandbox, Workspace


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    name = "bubblewrap" if request.param == "bubblewrap" else "docker_sandbox"
    sandbox: Sandbox = request.getfixturevalue(name)
    return sandbox


INSTALLER = """
import subprocess, sys
done = subprocess.run([sys.executable, "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True)
print("the installer goes on after", done.stdout.strip())
"""
DAEMON = """
import os, time
print("a build", flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    CLOSING
    time.sleep(AGE)
    print("and its late child", flush=True)
"""


HIDING = """
import array, os, socket, time
print("a build", flush=True)
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    here, there = socket.socketpair()
    here.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1]))])
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)  # the pipe is in no process, only in the message that nobody takes
    time.sleep(10 ** 6)
"""
CROWD = """
import os, time
print("a build", flush=True)
for number in range(700):
    if os.fork() == 0:
        os.setsid()
        time.sleep(10 ** 6)
"""


def run(sandbox: Sandbox, tmp_path: Path, build: str, *, ends: bool) -> tuple[RunStatus, str]:
    command = Command(
        argv=(sys.executable, "-I", "-c", INSTALLER, build),
        cwd="/tmp",
        ends_left_behind=ends,
        limits=Limits(wall_s=PATIENCE_S if ends else 3.0, processes=2048),
    )
    mounts = tuple(
        Mount(source=Path(one), target=one)
        for one in sorted({sys.base_prefix, str(Path(sys.prefix).resolve())})
    )
    log = tmp_path / "log"
    result = sandbox.run(command, Workspace(mounts=mounts), log=log)
    return result.status, log.read_text(encoding="utf-8")


@pytest.mark.parametrize("ends", [True, False])
def test_a_daemon_that_holds_the_output_is_ended(
    ends: bool, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "GRACE_S", 0.0)
    build = DAEMON.replace("CLOSING", "pass").replace("AGE", "10 ** 6")
    status, text = run(sandbox, tmp_path, build, ends=ends)
    if not ends:  # so it was
        assert status is RunStatus.TIMEOUT
        return
    assert status is RunStatus.EXITED
    assert "the installer goes on after a build" in text
    assert "what a build left behind held its output open; 1 process ended" in text


@pytest.mark.slow
@pytest.mark.parametrize("build", [HIDING, CROWD], ids=["a message", "many"])
def test_so_is_one_that_hides_what_it_holds(
    build: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "GRACE_S", 0.0)
    status, text = run(sandbox, tmp_path, build, ends=True)
    assert status is RunStatus.EXITED
    assert "the installer goes on after a build" in text
    assert "left behind held its output open" in text


def test_what_is_left_is_counted(bubblewrap: Sandbox, tmp_path: Path) -> None:
    script = "(setsid sleep 1000 >/dev/null 2>&1 &) ; (setsid sleep 1000 >/dev/null 2>&1 &) ; sleep 0.3"
    for ends, count in ((True, 2), (False, 0)):
        command = Command(argv=("/bin/sh", "-c", script), cwd="/tmp", ends_left_behind=ends)
        assert bubblewrap.run(command, Workspace(), log=tmp_path / "log").left_behind == count
    command = Command(argv=("/bin/sh", "-c", "sleep 0.05 & :"), cwd="/tmp", ends_left_behind=True)
    assert bubblewrap.run(command, Workspace(), log=tmp_path / "log").left_behind == 0


def test_what_a_command_used_is_counted_among_our_children(bubblewrap: Sandbox, tmp_path: Path) -> None:
    program = "import time\nwhile time.process_time() < 0.3: pass"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = bubblewrap.run(
        Command(argv=(str(Path(sys.executable).resolve()), "-c", program), cwd="/tmp"),
        Workspace(mounts=(Mount(source=Path(sys.base_prefix), target=sys.base_prefix),)),
        log=tmp_path / "log",
    )
    assert run.ok
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    used_s = used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime
    assert used_s >= 0.3, "a parent of it ended before it was waited for"


def test_what_ends_in_time_does_its_work(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_behind, "GRACE_S", PATIENCE_S)
    build = DAEMON.replace("CLOSING", "pass").replace("AGE", "1")
    status, text = run(sandbox, tmp_path, build, ends=True)
    assert status is RunStatus.EXITED
    assert "and its late child" in text
    assert "left behind" not in text


def test_one_that_holds_nothing_is_left_alone(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # longer than it takes to close the output, or to see that the build has ended; shorter than the build
    monkeypatch.setattr(left_behind, "GRACE_S", 1.0)
    build = DAEMON.replace("CLOSING", "os.closerange(0, 3)").replace("AGE", "10 ** 6")
    status, text = run(sandbox, tmp_path, build + "time.sleep(4)\n", ends=True)
    assert status is RunStatus.EXITED
    assert "the installer goes on after a build" in text
    assert "left behind" not in text


@pytest.mark.slow
def test_so_it_is_where_an_ordinary_user_runs_it() -> None:
    require_another_user()
    done = run_tests_as_user(
        "tests/sandboxes/test_left_behind.py::test_a_daemon_that_holds_the_output_is_ended"
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "2 passed" in done.stdout
