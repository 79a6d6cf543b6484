"""What every sandbox does alike: the same cases over all of them."""

from __future__ import annotations

import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import with_enough_time

from backdate.sandboxes.interface import MIB, Command, Mount, RunStatus, Workspace
from backdate.sandboxes.interruption import obeying
from backdate.sandboxes.threads import in_threads
from backdate.sandboxes.unsafe_local import UnsafeLocal

DAEMON = "trap '' TERM HUP; setsid sh -c \"trap '' TERM HUP; sleep 6{mark}\" & sleep 0.2; echo started; "
ISOLATED = [
    pytest.param("bwrap", id="bwrap"),
    pytest.param("docker", id="docker", marks=pytest.mark.docker),
]
ALL = [*ISOLATED, pytest.param("unsafe-local", id="unsafe-local")]


@pytest.fixture
def anywhere(request, shell_for):
    """A shell in the sandbox of that name."""
    if request.param == "unsafe-local":
        return shell_for(UnsafeLocal())
    return shell_for(request.getfixturevalue("bubblewrap" if request.param == "bwrap" else "docker_sandbox"))


everywhere = pytest.mark.parametrize("anywhere", ALL, indirect=True)
isolated = pytest.mark.parametrize("anywhere", ISOLATED, indirect=True)


@everywhere
def test_the_exit_status_of_the_command_is_reported_correctly(anywhere):
    cases = {
        "exit 0": (0, None),
        "exit 139": (139, None),
        "kill -SEGV $$": (None, signal.SIGSEGV),
        "kill -KILL $$": (None, signal.SIGKILL),
        "no-such-program": (127, None),
    }
    for script, (code, number) in cases.items():
        result = anywhere(script)
        assert (result.status, result.exit_code, result.signal) == (RunStatus.EXITED, code, number), script


@everywhere
def test_a_missing_program_says_so(anywhere):
    assert anywhere("", argv=("/no/such/program",)).exit_code == 127
    assert "/no/such/program" in anywhere.text


@isolated
def test_a_missing_working_directory_is_a_sandbox_error(anywhere):
    assert anywhere("true", cwd="/no/such/folder").status is RunStatus.SANDBOX_ERROR
    assert "/no/such/folder" in anywhere.text


@isolated
def test_environment_and_arguments_arrive_whole(anywhere):
    odd = {"A": "two\nlines 'and' \"quotes\" $HOME", "PATH": "/usr/bin:/bin", "HOME": "/home/me"}
    assert anywhere("", argv=("env", "-0"), env=odd).ok
    seen = dict(line.split("=", 1) for line in anywhere.text.split("\0") if line)
    assert seen == {**odd, "TMPDIR": "/tmp"}
    arguments = ("", "a b", "'", '"', "\\", "$HOME", "`id`", "*", "über\n", "x" * 100_000)
    assert anywhere("", argv=("printf", "%s\\0", *arguments)).ok
    assert tuple(anywhere.text.split("\0")[:-1]) == arguments


@isolated
def test_the_user_is_an_ordinary_one_with_folders_of_its_own(anywhere):
    script = "id -u; id -un; touch $HOME/x /tmp/x /var/tmp/y /dev/shm/z; ls $HOME /tmp; "
    assert anywhere(script + "grep CapBnd /proc/$$/status").ok, anywhere.text
    uid, name, *rest, _, capabilities = anywhere.text.split()
    assert int(uid) > 0
    assert (name, rest) == ("backdate", ["/home/backdate:", "x", "/tmp:", "x", "y"])
    assert int(capabilities, 16) == 0


@everywhere
def test_the_tree_is_a_private_copy(anywhere, tmp_path):
    tree = tmp_path / "tree"
    (tree / "package").mkdir(parents=True)
    (tree / "file").write_text("content")
    (tree / "file").chmod(0o600)
    script = "cat file && echo new > file && rm -r package && touch made"
    assert anywhere(script, tree=tree, cwd="/work/project").ok, anywhere.text
    assert anywhere.text == "content"
    assert (tree / "file").read_text() == "content"
    assert sorted(path.name for path in tree.iterdir()) == ["file", "package"]


@isolated
def test_only_writable_mounts_can_be_written(anywhere, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/file").write_text("hello")
    (tmp_path / "out").mkdir(mode=0o700)
    mounts = (
        Mount(source=tmp_path / "data", target="/data"),
        Mount(source=tmp_path / "data/file", target="/root/deep/one.cfg"),
        Mount(source=tmp_path / "out", target="/data2/deep/out", writable=True),
    )
    script = (
        "cat /data/file /root/deep/one.cfg; echo made > /data2/deep/out/made; "
        "for place in / /etc /usr /home /root /run /dev /var /data /proc /sys; do "
        "touch $place/x 2>/dev/null && echo wrote $place; done; :"
    )
    assert anywhere(script, mounts=mounts).ok
    assert anywhere.text == "hellohello"
    assert (tmp_path / "out/made").read_text() == "made\n"


@isolated
def test_no_network(anywhere):
    assert anywhere("cat /proc/net/dev").ok
    names = {line.partition(":")[0].strip() for line in anywhere.text.splitlines() if ":" in line}
    assert "lo" in names
    assert not {name for name in names if name.startswith(("eth", "en", "wl", "docker", "br"))}


@isolated
def test_the_outside_is_invisible(anywhere, tmp_path):
    (tmp_path / "secret").write_text("hunter2")
    anywhere(f"cat {tmp_path}/secret /etc/shadow; ls /root {tmp_path}; ls -d /proc/[0-9]* | wc -l")
    assert "hunter2" not in anywhere.text
    assert "root:" not in anywhere.text
    assert int(anywhere.text.split()[-1]) < 12


@everywhere
def test_a_daemon_outlives_neither_the_command_nor_its_time(anywhere, mark, running):
    script = DAEMON.format(mark=mark)
    assert anywhere(script).ok
    assert anywhere.text == "started\n"
    assert not running(mark)
    result = with_enough_time(
        lambda wall_s: anywhere(script + f"sleep 6{mark}", wall_s=wall_s),
        lambda _result: bool(anywhere.text),
        1.0,
    )
    assert (result.status, result.exit_code, result.signal) == (RunStatus.TIMEOUT, None, None)
    assert anywhere.text == "started\n"
    assert not running(mark)


@isolated
def test_killing_everybody_kills_only_the_sandbox(anywhere):
    result = anywhere("sleep 100 & kill -9 -1; sleep 100")
    assert (result.status, result.exit_code, result.signal) == (RunStatus.EXITED, None, signal.SIGKILL)


@everywhere
def test_an_event_ends_a_run_with_its_tree(anywhere, mark, running, eventually, tmp_path):
    stop = threading.Event()

    def run() -> None:
        with obeying(stop):
            anywhere(DAEMON.format(mark=mark) + f"sleep 6{mark}")

    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(run)
        assert eventually(lambda: len(running(f"6{mark}")) >= 2)
        stop.set()
        with pytest.raises(KeyboardInterrupt):
            ending.result()
    assert not running(mark)


@isolated
def test_memory_of_the_whole_tree_is_limited(anywhere):
    result = anywhere("head -c 1G /dev/zero | tail -c 1G | wc -c", memory_bytes=128 * MIB)
    if result.enforced.memory != "tree":
        pytest.skip("no control group to be had")
    assert result.status is RunStatus.OOM
    result = anywhere("head -c 50M /dev/zero | tail -c 50M | wc -c; sleep 0.3", memory_bytes=512 * MIB)
    assert result.ok
    assert result.peak_memory_bytes is not None
    assert 50 * MIB < result.peak_memory_bytes < 512 * MIB


@isolated
def test_processes_are_limited(anywhere):
    result = anywhere("for i in $(seq 100); do sleep 60 & done; echo all", processes=30)
    assert "all" not in anywhere.text.splitlines()
    assert not result.ok


@isolated
def test_the_disk_is_limited(anywhere, tmp_path):
    result = anywhere("exec dd if=/dev/zero of=/tmp/big bs=1M count=2000", disk_bytes=32 * MIB)
    assert result.status is RunStatus.DISK_LIMIT
    assert result.signal in (None, signal.SIGXFSZ)
    assert result.limit_measured == (result.signal is None), "a signal can be the command's own"
    script = "i=0; while :; do i=$((i+1)); head -c 8M /dev/zero > $HOME/file$i; done"
    result = anywhere(script, disk_bytes=64 * MIB)
    assert (result.status, result.enforced.disk) == (RunStatus.DISK_LIMIT, "watched")
    (tmp_path / "tree").mkdir()
    with (tmp_path / "tree/big").open("wb") as file:
        file.truncate(1 << 40)
    result = anywhere("true", tree=tmp_path / "tree", cwd="/work/project", disk_bytes=16 * MIB)
    assert result.status is RunStatus.DISK_LIMIT


@everywhere
def test_another_thread_ends_a_run(anywhere):
    stop = threading.Event()
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    result = anywhere("sleep 100000", stop=stop)
    timer.join()
    assert (result.status, result.exit_code, result.signal) == (RunStatus.TIMEOUT, None, None)
    assert anywhere("true", stop=threading.Event()).ok


@everywhere
def test_the_log_keeps_both_ends(anywhere, tmp_path):
    script = "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last >&2"
    result = anywhere(script, log_bytes=1000)
    assert result.ok
    assert anywhere.text.startswith("first\n")
    assert anywhere.text.endswith("x\nlast\n")
    assert result.dropped_log_bytes == 50_000_012 - 1000
    assert anywhere("exec yes", wall_s=1.0, log_bytes=MIB).status is RunStatus.TIMEOUT
    assert (tmp_path / "log").stat().st_size < MIB + 100


@everywhere
def test_output_may_be_any_bytes_and_input_is_empty(anywhere, tmp_path):
    assert anywhere(r"cat; printf '\377\376\000\200'; echo two > /dev/stderr; echo three > /dev/stdout").ok
    assert (tmp_path / "log").read_bytes() == b"\xff\xfe\x00\x80two\nthree\n"


@isolated
def test_the_interpreter_of_the_tests_works(anywhere):
    prefix = Path(sys.base_prefix).resolve()
    if prefix.is_relative_to("/usr"):
        pytest.skip("the interpreter of the tests is the system's")
    mount = Mount(source=prefix, target=str(prefix))
    script = "import ssl, multiprocessing as m; m.Lock(); print(m.Pool(2).map(abs, [-1]))"
    result = anywhere("", argv=(str(Path(sys.executable).resolve()), "-I", "-c", script), mounts=(mount,))
    assert result.ok, anywhere.text
    assert anywhere.text == "[1]\n"


@isolated
def test_runs_at_the_same_time_do_not_meet(anywhere, tmp_path):
    (tmp_path / "tree").mkdir()

    def one(number: int) -> str:
        command = Command(
            argv=("sh", "-c", f"echo {number} > n; sleep 0.2; cat n; ls /tmp"), cwd="/work/project"
        )
        log = tmp_path / f"log{number}"
        assert anywhere.sandbox.run(command, Workspace(tree=tmp_path / "tree"), log=log).ok
        return log.read_text()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(6))) == [f"{number}\n" for number in range(6)]


@isolated
def test_every_canary_is_caught(anywhere):
    assert [line for line in anywhere.sandbox.probe() if line.needed and not line.ok] == []


@everywhere
def test_works_in_turn_begin_while_the_command_of_the_one_before_runs(anywhere):
    second = threading.Event()

    def first() -> bool:
        anywhere("sleep 0.3")
        return second.is_set()

    assert in_threads([first, lambda: second.set() or True], name="t", in_turn=True) == [True, True]
