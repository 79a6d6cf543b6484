"""Ctrl-C and kill -9 at every stage, two checks at once, and file systems that do not take more."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from patience import PATIENCE_S
from slow_tests import others_slow

sys.path.insert(0, str(Path(__file__).parent))
from conftest import Machine, without_record

pytestmark = pytest.mark.network

Make = Callable[..., Machine]
STAGES = {
    "resolving": "side: resolving",
    "building": "side: building",
    "testing": "side: testing",
}


def command(machine: Machine, *more: str) -> list[str]:
    dates = ("--from", "2024-01-05", "--to", "2024-01-20", "--python", "3.11")
    words = ("check", str(machine.project), *dates, "--cache", str(machine.cache), *more)
    return [sys.executable, "-m", "backdate", *words]


def start(machine: Machine) -> subprocess.Popen[str]:
    # Who starts tests in the background of a shell has SIGINT ignored, and so would the check.
    listening = ["env", "--default-signal=INT", *command(machine)]
    return subprocess.Popen(
        listening, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for(process: subprocess.Popen[str], words: str) -> str:
    """Read standard error until a line holds ``words``."""
    assert process.stderr is not None
    read = ""
    while words not in read:
        line = process.stderr.readline()
        assert line, f"ended without {words!r}: {read}"
        read += line
    return read


def processes(*marks: str) -> list[str]:
    """The command lines of processes with one of ``marks`` in it or in their environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                line = (process / "cmdline").read_bytes()
                text = (line + (process / "environ").read_bytes()).decode(errors="replace")
            except OSError:
                continue
            if any(mark in text for mark in marks):
                found.append(line.replace(b"\0", b" ").decode(errors="replace"))
    return found


def gone(*marks: str) -> bool:
    """Whether no process with a mark is left, or will be in a moment: the kernel ends them by itself."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if not processes(*marks):
            return True
        time.sleep(0.05)
    return False


def sleeping_seconds(cache: Path) -> str:
    """How long the tests of a check with this cache sleep: told apart from those of other test runs."""
    return f"98.{zlib.crc32(f'{cache} {os.getpid()}'.encode()):010d}"


@pytest.fixture
def sleeper(machine: Make, tmp_path: Path) -> Machine:
    """A project whose test sleeps for ever, and a cache of its own; its marks are the cache's path and
    a number of seconds that nobody else sleeps."""
    seconds = sleeping_seconds(tmp_path / "cache")
    sleeping = f"import subprocess\ndef test_sleeps():\n    subprocess.run(['sleep', '{seconds}'])\n"
    return machine({"test_a.py": sleeping}, cache=tmp_path / "cache")


def marks(machine: Machine) -> tuple[str, ...]:
    return str(machine.cache), sleeping_seconds(machine.cache)


@pytest.mark.slow
@pytest.mark.parametrize("stage", others_slow(STAGES, kept={"testing"}))
def test_an_interrupt(sleeper: Machine, stage: str) -> None:
    with start(sleeper) as process:
        wait_for(process, STAGES[stage])
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "nothing half-built was left" in err
    assert "Traceback" not in err
    assert out == ""
    assert gone(*marks(sleeper))
    assert without_record(sleeper.cache) == []


def test_an_interrupt_before_anything_is_built(sleeper: Machine) -> None:
    with start(sleeper) as process:
        wait_for(process, "opening")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert gone(*marks(sleeper))


@pytest.mark.slow
def test_an_interrupt_while_waiting_for_another_check(sleeper: Machine) -> None:
    """Whoever waits for another process's build does not have to see it out."""
    with start(sleeper) as first:
        wait_for(first, STAGES["building"])
        first.send_signal(signal.SIGSTOP)
        try:
            with start(sleeper) as second:
                wait_for(second, "opening")
                time.sleep(1)
                second.send_signal(signal.SIGINT)
                _, err = second.communicate(timeout=PATIENCE_S)
            assert second.returncode == 130, err
        finally:
            first.send_signal(signal.SIGCONT)
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 130
    assert gone(*marks(sleeper))


@pytest.mark.slow
def test_after_a_kill_a_second_check_succeeds(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": "def test_good(): pass\n"}, cache=tmp_path / "cache")
    with start(made) as process:
        wait_for(process, STAGES["building"])
        time.sleep(1)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    assert gone(str(made.cache))
    done = subprocess.run(command(made), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert without_record(made.cache) == []
    assert not [*made.cache.glob("*/run-*"), *made.cache.glob("*/*/run-*")]


@pytest.mark.slow
def test_two_checks_at_once_build_once(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": "def test_good(): pass\n"}, cache=tmp_path / "cache")
    both = [start(made), start(made)]
    said = [process.communicate(timeout=PATIENCE_S) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert len(list((made.cache / "records").iterdir())) == 1
    built = sum(out.count("built in") for out, _ in said)
    reused = sum(out.count("from the cache") for out, _ in said)
    assert (built, reused) == (1, 3)


def in_a_small_room(machine: Machine, options: str, before: str) -> subprocess.CompletedProcess[str]:
    """Check with a cache that is a file system of its own, in a mount namespace of its own."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    machine.cache.mkdir()
    probe = f"mount -t tmpfs -o size=16m,mode=0755 small {machine.cache}"
    tried = subprocess.run(["unshare", "-m", "sh", "-c", probe], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"no file system can be mounted here: {tried.stderr.strip()}")
    listing = machine.cache.parent / "listing"
    script = (
        f"{probe} && {before} && mount -o remount,{options} {machine.cache} || exit 99\n"
        f'"$@"; status=$?; cd {machine.cache}; '
        f"ls -d clean/environments/* built/environments/* >{listing} 2>/dev/null; exit $status"
    )
    words = ["unshare", "-m", "sh", "-c", script, "sh", *command(machine)]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_disk_that_is_full(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": "def test_good(): pass\n"}, cache=tmp_path / "cache")
    done = in_a_small_room(made, "rw", "true")
    assert done.returncode == 4, done.stderr
    assert "no space left" in done.stderr.lower()
    assert "free some" in done.stderr
    assert (tmp_path / "listing").read_text() == ""


def test_a_cache_that_cannot_be_written(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": "def test_good(): pass\n"}, cache=tmp_path / "cache")
    folders = " ".join(
        f"{made.cache}/{name}"
        for name in ("clean", "built", "logs", "records", "locks", "guards", "downloads")
    )
    done = in_a_small_room(made, "ro", f"mkdir {folders}")
    assert done.returncode == 4, done.stderr
    assert "cannot be written" in done.stderr
    assert "--cache" in done.stderr
