"""What the default sandbox gives to a command that means no harm."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from patience import PATIENCE_S, with_enough_time

import backdate
from backdate.errors import SandboxUnavailable, UsageError
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.identity import DROPPED_ID
from backdate.sandboxes.interface import MIB, Command, Limits, Mount, RunStatus, Workspace

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@pytest.mark.parametrize(
    ("script", "code", "number"),
    [
        ("exit 0", 0, None),
        ("exit 3", 3, None),
        ("exit 139", 139, None),
        ("exit 255", 255, None),
        ("kill -SEGV $$", None, signal.SIGSEGV),
        ("kill -KILL $$", None, signal.SIGKILL),
        ("kill -ABRT $$", None, signal.SIGABRT),
        ("kill -INT $$", None, signal.SIGINT),
        ("no-such-program", 127, None),
    ],
)
def test_the_exit_status_of_the_command_is_reported_correctly(shell, script, code, number):
    result = shell(script)
    assert (result.status, result.exit_code, result.signal) == (RunStatus.EXITED, code, number)
    assert result.ok is (code == 0)


def test_a_missing_program_is_the_commands_failure_and_says_so(shell):
    result = shell("", argv=("/no/such/program",))
    assert (result.status, result.exit_code) == (RunStatus.EXITED, 127)
    assert "/no/such/program" in shell.text


def test_a_missing_working_directory_is_a_sandbox_error_and_says_so(shell):
    assert shell("true", cwd="/no/such/folder").status is RunStatus.SANDBOX_ERROR
    assert "/no/such/folder" in shell.text


def test_the_environment_is_exactly_the_given_one(shell):
    odd = {
        "A": "two\nlines 'and' \"quotes\" $HOME",
        "with.dot": "x",
        "PATH": "/usr/bin:/bin",
        "HOME": "/home/me",
    }
    result = shell("", argv=("env", "-0"), env=odd)
    assert result.ok
    seen = dict(line.split("=", 1) for line in shell.text.split("\0") if line)
    assert seen == {**odd, "TMPDIR": "/tmp"}


def test_arguments_arrive_whole(shell):
    arguments = ("", "a b", "'", '"', "\\", "$HOME", "`id`", "*", "über\n", "x" * 100_000)
    assert shell("", argv=("printf", "%s\\0", *arguments)).ok
    assert tuple(shell.text.split("\0")[:-1]) == arguments


def test_identity_and_places(shell):
    result = shell(
        "id -u; id -un; hostname; touch $HOME/x /tmp/x /var/tmp/y && ls $HOME /tmp; stat -c %a /dev/shm"
    )
    assert result.ok
    assert shell.text.split() == [
        "1000",
        "backdate",
        "sandbox",
        "/home/backdate:",
        "x",
        "/tmp:",
        "x",
        "y",
        "1777",
    ]


def test_standard_input_is_empty_and_output_can_be_reopened(shell):
    result = shell("cat; echo one > /dev/stdout; echo two > /dev/stderr; echo three > /proc/self/fd/1")
    assert result.ok
    assert shell.text == "one\ntwo\nthree\n"


def test_nothing_is_inherited(python, shell):
    """Neither open files nor ignored or blocked signals (a shell ignores some for background jobs)."""
    script = (
        "import os; print(len(os.listdir('/proc/self/fd')));"
        "lines = [line.split() for line in open('/proc/self/status')];"
        "print([int(line[1], 16) & 0x7FFFFFFF for line in lines if line[0] in ('SigBlk:', 'SigIgn:')])"
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert python(script).ok
    finally:
        signal.signal(signal.SIGINT, before)
    # Signals above 31 are the C library's own affair, which it does not let one reset.
    # Python ignores SIGPIPE (13) and SIGXFSZ (25) itself; 4: the three standard ones and the folder.
    ignored = 1 << (13 - 1) | 1 << (25 - 1)
    assert shell.text.split("\n")[:2] == ["4", str([0, ignored])]
    assert shell("yes | head -1").ok
    assert shell.text == "y\n"


def test_output_may_be_any_bytes(shell, tmp_path):
    assert shell(r"printf '\377\376\000\200end'").ok
    assert (tmp_path / "log").read_bytes() == b"\xff\xfe\x00\x80end"


def test_multiprocessing_works(python, shell):
    result = python("import multiprocessing as m; m.Lock(); m.Queue(); print(m.Pool(2).map(abs, [-1]))")
    assert result.ok, shell.text


def test_interpreters_below_a_closed_folder_work(shell):
    prefixes = sorted(Path("/root/.pyenv/versions").glob("3.8*")) if os.geteuid() == 0 else []
    if not prefixes:
        pytest.skip("no CPython 3.8 below /root")
    mount = Mount(source=prefixes[0], target=str(prefixes[0]))
    result = shell(
        "", argv=(f"{prefixes[0]}/bin/python3", "-c", "import ssl, sqlite3; print(1)"), mounts=(mount,)
    )
    assert result.ok, shell.text
    assert shell("stat -c '%a %n' /root /root/.pyenv; ls -A /root", mounts=(mount,)).ok
    assert shell.text.split() == ["755", "/root", "755", "/root/.pyenv", ".pyenv"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    (folder / "package").mkdir(parents=True)
    (folder / "package/module.py").write_text("x = 1\n")
    (folder / "secret.txt").write_text("mine")
    (folder / "secret.txt").chmod(0o600)
    (folder / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (folder / "run.sh").chmod(0o755)
    os.utime(folder / "package/module.py", (1_500_000_000, 1_500_000_000))
    os.utime(folder / "package", (1_400_000_000, 1_400_000_000))
    (folder / "dangling").symlink_to("/nowhere")
    os.mkfifo(folder / "pipe")
    return folder


def test_the_tree_is_a_private_copy(shell, tree):
    before = {path: path.lstat().st_mtime_ns for path in tree.rglob("*")}
    script = "cat secret.txt && ./run.sh && stat -c '%n %a %Y' package package/module.py && readlink dangling"
    result = shell(f"{script}; ls; rm -rf * && touch new", tree=tree, cwd="/work/project")
    assert result.ok, shell.text
    assert shell.text.split() == [
        *["mineran", "package", "755", "1400000000", "package/module.py", "644", "1500000000", "/nowhere"],
        *["dangling", "package", "run.sh", "secret.txt"],
    ]
    assert {path: path.lstat().st_mtime_ns for path in tree.rglob("*")} == before


def test_a_tree_that_only_root_may_read_is_readable_inside(shell, tree):
    tree.chmod(0o700)
    for path in tree.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700 if path.is_dir() else 0o600)
    assert shell("cat package/module.py secret.txt", tree=tree, cwd="/work/project").ok
    assert stat.S_IMODE((tree / "secret.txt").stat().st_mode) == 0o600


def test_mounts_read_only_and_writable(shell, tmp_path):
    closed = tmp_path / "closed"
    (closed / "data").mkdir(parents=True)
    (closed / "data/file").write_text("hello")
    (closed / "out").mkdir(mode=0o700)
    (closed / "out/old").write_text("old")
    closed.chmod(0o700)
    mounts = (
        Mount(source=closed / "data", target="/data"),
        Mount(source=closed / "out", target="/data2/deep/out", writable=True),
        Mount(source=closed / "data/file", target="/etc/one.cfg"),
    )
    script = "cat /data/file /etc/one.cfg; "
    script += "cd /data2/deep/out && echo new > old && mkdir a && echo b > a/b; echo x > /data/file"
    result = shell(script, mounts=mounts)
    assert result.exit_code != 0
    assert shell.text.startswith("hellohello")
    assert "Read-only file system" in shell.text
    assert (closed / "data/file").read_text() == "hello"
    assert (closed / "out/old").read_text() == "new\n"
    assert (closed / "out/a/b").read_text() == "b\n"
    shutil.rmtree(closed)


@as_root
def test_root_is_dropped(shell, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    assert shell("touch /out/file", mounts=(Mount(source=out, target="/out", writable=True),)).ok
    assert (out / "file").stat().st_uid == DROPPED_ID


@as_root
def test_private_read_only_files_are_shown_to_the_dropped_user(shell, tmp_path):
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    (private / "plugin.py").write_text("pass")
    (private / "plugin.py").chmod(0o600)
    mounts = (
        Mount(source=private, target="/plugins"),
        Mount(source=private / "plugin.py", target="/single/plugin.py"),
    )
    assert shell("cat /plugins/plugin.py /single/plugin.py; ! touch /plugins/x", mounts=mounts).ok, shell.text
    assert private.stat().st_uid == 0


def test_nested_mounts_are_applied_inside_out(shell, tmp_path, tree):
    extra = tmp_path / "extra"
    extra.mkdir()
    (extra / "file").write_text("inner")
    mounts = (Mount(source=extra, target="/work/project/package/extra"),)
    assert shell(
        "cat package/extra/file && cat package/module.py", mounts=mounts, tree=tree, cwd="/work/project"
    ).ok
    assert not (tree / "package/extra").exists()


def test_only_writable_mounts_can_be_written(shell):
    script = (
        "for place in / /etc /usr /home /run /dev /var /work /proc; do touch $place/x && echo $place; done"
    )
    shell(f"{{ {script}; }} 2>/dev/null")
    assert shell.text == ""


def test_wall_time(shell):
    result = with_enough_time(
        lambda wall_s: shell("trap '' TERM; echo before; sleep 1000", wall_s=wall_s),
        lambda _result: bool(shell.text),
        0.5,
    )
    assert (result.status, result.exit_code, result.signal) == (RunStatus.TIMEOUT, None, None)
    assert shell.text == "before\n"


def test_the_log_keeps_both_ends(shell):
    result = shell("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last", log_bytes=1000)
    assert result.ok
    assert shell.text.startswith("first\n")
    assert shell.text.endswith("x\nlast\n")
    assert f"{result.dropped_log_bytes} bytes of output were left out" in shell.text
    assert result.dropped_log_bytes == 5_000_012 - 1000
    assert len(shell.text) < 1200


def test_memory_is_limited_without_control_groups(tmp_path):
    sandbox = Bubblewrap(use_cgroups=False)
    command = Command(
        argv=("sh", "-c", "ulimit -v; head -c 900M /dev/zero | tail -c 800M | wc -c"),
        cwd="/",
        limits=Limits(wall_s=PATIENCE_S, memory_bytes=300 * MIB, processes=30),
    )
    try:
        result = sandbox.run(command, Workspace(), log=tmp_path / "log")
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    assert (tmp_path / "log").read_text().split()[0] == str(300 * 1024)
    assert str(800 * MIB) not in (tmp_path / "log").read_text()
    assert (result.enforced.memory, result.enforced.processes) == ("per-process", "per-user")
    forks = Command(
        argv=("sh", "-c", "for i in $(seq 60); do sleep 9 & done; echo all"), cwd="/", limits=command.limits
    )
    sandbox.run(forks, Workspace(), log=tmp_path / "log")
    assert "all" not in (tmp_path / "log").read_text().splitlines()


def test_runs_at_the_same_time_do_not_meet(bubblewrap, tmp_path, tree):
    def one(number: int) -> str:
        command = Command(
            argv=("sh", "-c", f"echo {number} > n; sleep 0.2; cat n; ls /tmp"), cwd="/work/project"
        )
        log = tmp_path / f"log{number}"
        assert bubblewrap.run(command, Workspace(tree=tree), log=log).ok
        return log.read_text()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(one, range(16))) == [f"{number}\n" for number in range(16)]


def test_no_file_is_left_on_disk(bubblewrap, tmp_path, tree):
    root = tmp_path / "scratch"
    sandbox = Bubblewrap(scratch_root=root)
    command = Command(argv=("sh", "-c", "mkdir -p a/b && touch a/b/c && chmod 0 a/b a"), cwd="/work/project")
    assert sandbox.run(command, Workspace(tree=tree), log=tmp_path / "log").ok
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    ("command", "workspace"),
    [
        (Command(argv=(), cwd="/"), Workspace()),
        (Command(argv=("a\0b",), cwd="/"), Workspace()),
        (Command(argv=("true",), cwd="tmp"), Workspace()),
        (Command(argv=("true",), cwd="/", env={"A=B": "c"}), Workspace()),
        (Command(argv=("true",), cwd="/"), Workspace(tree=Path("/no/such/tree"))),
        (Command(argv=("true",), cwd="/"), Workspace(mounts=(Mount(source=Path("/no/such"), target="/x"),))),
        (Command(argv=("true",), cwd="/"), Workspace(mounts=(Mount(source=Path("/var"), target="/usr"),))),
        (Command(argv=("true",), cwd="/"), Workspace(mounts=(Mount(source=Path("/usr"), target="/proc/x"),))),
        (
            Command(argv=("true",), cwd="/"),
            Workspace(mounts=(Mount(source=Path("/usr"), target="/a/../etc"),)),
        ),
    ],
)
def test_impossible_requests_are_refused(bubblewrap, tmp_path, command, workspace):
    with pytest.raises(UsageError):
        bubblewrap.run(command, workspace, log=tmp_path / "log")


AS_USER = """
import json, sys
from pathlib import Path
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import Command, Mount, Workspace
folder = Path(sys.argv[1])
sandbox = choose_sandbox("bwrap")
(folder / "tree").mkdir()
(folder / "tree/file").write_text("content")
(folder / "out").mkdir()
script = "cat file && id -u && echo new > file && echo made > /out/made && ! touch /usr/x && kill -SEGV $$"
result = sandbox.run(
    Command(argv=("/bin/sh", "-c", script), cwd="/work/project"),
    Workspace(tree=folder / "tree", mounts=(Mount(source=folder / "out", target="/out", writable=True),)),
    log=folder / "log",
)
print(json.dumps({
    "signal": result.signal,
    "log": (folder / "log").read_text(),
    "tree": (folder / "tree/file").read_text(),
    "made": (folder / "out/made").read_text(),
    "capabilities": {line.name: line.ok for line in sandbox.probe() if line.needed},
}))
"""


@as_root
def test_it_works_for_an_ordinary_user(tmp_path_factory):
    python = next(
        (
            path
            for minor in (13, 12, 11)
            if (path := shutil.which(f"python3.{minor}", path="/usr/bin:/usr/local/bin"))
        ),
        None,
    )
    source = Path(backdate.__file__).parents[1]
    user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if (
        python is None
        or subprocess.run([*user, "test", "-r", source / "backdate/errors.py"], check=False).returncode
    ):
        pytest.skip("no Python for every user in /usr, or our source is not readable for every user")
    folder = Path(subprocess.check_output([*user, "mktemp", "-d"], text=True).strip())
    try:
        done = subprocess.run(
            [*user, python, "-c", AS_USER, str(folder)],
            env={"PYTHONPATH": str(source), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        seen = json.loads(done.stdout)
    finally:
        shutil.rmtree(folder)
    assert seen["log"].startswith("content1000\n")
    assert (seen["signal"], seen["tree"], seen["made"]) == (11, "content", "made\n")
    assert all(seen["capabilities"].values()), seen["capabilities"]


def test_probe(bubblewrap):
    lines = bubblewrap.probe()
    assert {line.name for line in lines} >= {
        "files isolated",
        "network off",
        "memory limit",
        "tree kill",
        "user namespaces",
    }
    assert all(line.ok for line in lines if line.needed), lines
