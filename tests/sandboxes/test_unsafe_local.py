"""The sandbox that is none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import MIB, Mount, RunStatus
from backdate.sandboxes.unsafe_local import UnsafeLocal, relocate


@pytest.fixture
def local(shell_for):
    return shell_for(UnsafeLocal())


def test_the_result_states_that_nothing_is_enforced(local):
    enforced = local("true").enforced
    assert (enforced.sandbox, enforced.files, enforced.network) == ("unsafe-local", "none", "on")
    assert (enforced.memory, enforced.processes, enforced.disk) == ("per-process", "none", "none")
    assert enforced.seccomp == "off"
    assert not any(line.ok for line in UnsafeLocal().probe())


@pytest.mark.parametrize(
    ("script", "code", "number"),
    [
        ("exit 0", 0, None),
        ("exit 139", 139, None),
        ("kill -SEGV $$", None, signal.SIGSEGV),
        ("no-such", 127, None),
    ],
)
def test_the_exit_status_is_reported_correctly(local, script, code, number):
    result = local(script)
    assert (result.status, result.exit_code, result.signal) == (RunStatus.EXITED, code, number)


def test_a_missing_program(local):
    assert local("", argv=("/no/such/program",)).exit_code == 127
    assert "/no/such/program" in local.text


def test_the_tree_is_a_copy_and_paths_are_put_right(local, tmp_path):
    tree, out = tmp_path / "tree", tmp_path / "out"
    tree.mkdir()
    out.mkdir()
    (tree / "file").write_text("content")
    result = local(
        'cat "$WHERE/file" && pwd && echo new > file && echo $HOME $TMPDIR > /out/seen',
        tree=tree,
        cwd="/work/project",
        env={"WHERE": "/work/project", "PATH": os.environ["PATH"]},
        mounts=(Mount(source=out, target="/out", writable=True),),
    )
    assert result.ok, local.text
    assert local.text.startswith("content/")
    assert (tree / "file").read_text() == "content"
    home, temporary = (out / "seen").read_text().split()
    assert home != os.environ.get("HOME")
    assert not os.path.exists(temporary)  # noqa: PTH110


def test_time_and_daemons(local, mark, running):
    script = f"trap '' TERM; setsid sh -c \"trap '' TERM; sleep 6{mark}\" & sleep 0.2; "
    assert local(script).ok
    assert not running(mark)
    assert local(script + f"sleep 6{mark}", wall_s=0.6).status is RunStatus.TIMEOUT
    assert not running(mark)


def test_memory(local):
    interpreter = sys.executable
    result = local("", argv=(interpreter, "-c", "x = bytearray(1 << 30)"), memory_bytes=512 * MIB)
    assert result.exit_code == 1
    assert "MemoryError" in local.text


def test_no_process_is_left_when_the_caller_is_killed(tmp_path, mark, running, eventually):
    script = f"""
from pathlib import Path
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import Command, Workspace
command = Command(argv=("sh", "-c", "setsid sleep 6{mark} & sleep 6{mark}"), cwd="/")
choose_sandbox("unsafe-local").run(command, Workspace(), log=Path({str(tmp_path / "log")!r}))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    caller = subprocess.Popen([sys.executable, "-c", script], env=environment)
    assert eventually(lambda: len(running(f"6{mark}")) >= 3)
    caller.kill()
    caller.wait()
    assert eventually(lambda: running(mark) == [])


def test_relocate():
    places = {"/work/project": "/copy", "/work": "/w", "/out": "/host/out"}
    assert relocate("/work/project", places) == "/copy"
    assert relocate("--a=/work/project/x:/work/y", places) == "--a=/copy/x:/w/y"
    assert (
        relocate("/home/work/project /work-shop /outer /out.txt", places)
        == "/home/work/project /work-shop /outer /out.txt"
    )


def test_choose():
    assert choose_sandbox("bwrap").name == "bwrap"
    assert choose_sandbox("bwrap") is choose_sandbox("bwrap")
    assert choose_sandbox("unsafe-local").name == "unsafe-local"
