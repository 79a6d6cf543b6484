"""What is Docker's alone: the engine, the image, and that nothing stays in it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

from backdate.errors import SandboxUnavailable, UsageError
from backdate.sandboxes import docker
from backdate.sandboxes.bases import tar_of
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.docker_engine import Engine
from backdate.sandboxes.docker_run import Frames
from backdate.sandboxes.interface import MIB, Command, RunResult, SecretUse, Workspace
from backdate.sandboxes.secret import IN_CONTAINER, NAMED_PIPE


def containers() -> dict[str, str]:
    with contextlib.closing(Engine()) as engine:
        return engine.labelled("backdate.folder")


@pytest.mark.docker
def test_a_run_leaves_no_files(docker_sandbox, tmp_path):
    sandbox = Docker(docker_sandbox.image, scratch_root=tmp_path / "scratch")
    command = Command(argv=("sh", "-c", "mkdir a && touch a/b && chmod 0 a"), cwd="/tmp")
    assert sandbox.run(command, Workspace(), log=tmp_path / "log").ok
    assert list((tmp_path / "scratch").iterdir()) == []
    assert containers() == {}


@pytest.mark.docker
def test_the_result_names_the_enforced_limits(docker_sandbox, shell_for):
    enforced = shell_for(docker_sandbox)("true").enforced
    assert (enforced.sandbox, enforced.files, enforced.network) == ("docker", "isolated", "off")
    assert (enforced.memory, enforced.processes, enforced.disk) == ("tree", "tree", "watched")
    assert enforced.seccomp == "on"


@pytest.mark.docker
def test_a_secret_can_be_read_once(docker_sandbox, tmp_path):
    def run(*lines: str) -> RunResult:
        argv = ("sh", "-c", "; ".join(lines))
        command = Command(argv=argv, cwd="/", secret=b"\0secret\n" * 3)
        return docker_sandbox.run(command, Workspace(), log=tmp_path / "log")

    read = f"dd bs=27 count=1 status=none <&{IN_CONTAINER} | od -c | head -2"
    assert run("test $BACKDATE_SECRET_DESCRIPTOR = 9", read).secret_use is SecretUse.READ
    assert "s   e   c   r   e   t" in (tmp_path / "log").read_text()
    assert run("true").secret_use is SecretUse.UNREAD
    assert run(f"echo x > {NAMED_PIPE} || echo refused").secret_use is SecretUse.UNREAD
    assert "refused" in (tmp_path / "log").read_text()
    nothing = Command(argv=("sh", "-c", f"test ! -e {NAMED_PIPE}"), cwd="/")
    done = docker_sandbox.run(nothing, Workspace(), log=tmp_path / "log")
    assert done.ok
    assert done.secret_use is SecretUse.NONE


@pytest.mark.docker
def test_a_run_ends_when_its_caller_is_killed(docker_sandbox, tmp_path, mark, running, eventually):
    script = f"""
from pathlib import Path
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.interface import Command, Workspace
command = Command(argv=("sh", "-c", "setsid sleep 6{mark} & sleep 6{mark}"), cwd="/")
sandbox = Docker({docker_sandbox.image!r}, scratch_root=Path({str(tmp_path / "scratch")!r}))
sandbox.run(command, Workspace(), log=Path({str(tmp_path / "log")!r}))
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    caller = subprocess.Popen([sys.executable, "-c", script], env=environment)
    assert eventually(lambda: len(running(f"6{mark}")) >= 3, 30)
    caller.kill()
    caller.wait()
    assert eventually(lambda: running(mark) == [], 30)
    assert len(containers()) == 1
    Docker(docker_sandbox.image, scratch_root=tmp_path / "scratch").require()
    assert containers() == {}


@pytest.mark.docker
def test_shared_memory_is_limited(docker_sandbox, shell_for):
    shell = shell_for(docker_sandbox)
    shell("head -c 200M /dev/zero > /dev/shm/x; stat -c %s /dev/shm/x", memory_bytes=128 * MIB)
    assert not shell.text.split() or int(shell.text.split()[-1]) <= 64 * MIB


@pytest.mark.docker
def test_images_that_will_not_do_are_refused(docker_sandbox):
    with pytest.raises(SandboxUnavailable, match="docker pull no-such-image"):
        Docker("no-such-image").require()
    texts = {
        "volumes": (f"FROM {docker_sandbox.image}\nVOLUME /data\n", "volumes of its own"),
        "bare": (f"FROM {docker_sandbox.image}\nRUN rm /usr/bin/env\n", "does not run commands"),
        "other": (f"FROM {docker_sandbox.image}\nRUN rm /usr/bin/getconf\n", "no GNU C library"),
    }
    for name, (text, words) in texts.items():
        with contextlib.closing(Engine()) as engine:
            context = tar_of({"Dockerfile": text.encode()})
            log, built = engine.build(context, tag=f"backdate-tests:{name}", memory=1 << 30, arguments={})
            assert built, log
        with pytest.raises(SandboxUnavailable, match=words):
            Docker(f"backdate-tests:{name}").require()


def test_no_engine_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none")
    with pytest.raises(SandboxUnavailable, match=r"no Docker engine answers.*systemctl start docker"):
        Docker().require()
    (line,) = Docker().probe()
    assert not line.ok
    assert not line.needed


def test_without_docker_py_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(UsageError, match=r"backdate\[docker\]"):
        Docker().require()


def test_the_image_is_chosen_by_name(monkeypatch):
    monkeypatch.setenv("BACKDATE_DOCKER_IMAGE", "from-the-environment:1")
    choose_sandbox.cache_clear()
    assert choose_sandbox("docker:python:3.12-slim").image == "python:3.12-slim"
    assert choose_sandbox("docker").image == "from-the-environment:1"
    with pytest.raises(UsageError):
        choose_sandbox("docker:--privileged")
    choose_sandbox.cache_clear()


def test_an_older_c_library_is_refused(monkeypatch):
    monkeypatch.setattr(os, "confstr", lambda _name: "glibc 2.36")
    docker._check_c_library("glibc 2.36", "new")
    docker._check_c_library("glibc 2.41", "newer")
    with pytest.raises(SandboxUnavailable, match=r"glibc 2\.31.*2\.36"):
        docker._check_c_library("glibc 2.31\n", "old")
    with pytest.raises(SandboxUnavailable, match="Alpine"):
        docker._check_c_library("getconf: not found", "alpine")


def test_frames_are_taken_apart_wherever_they_are_cut():
    stream = b"".join(
        bytes([kind, 0, 0, 0]) + len(text).to_bytes(4, "big") + text
        for kind, text in ((2, b"ready\n"), (1, b"one"), (1, b""), (2, b"0\n"), (1, b"two" * 100))
    )
    for size in (1, 3, 8, 9, 1000):
        output: list[bytes] = []
        frames = Frames(output.append)
        for start in range(0, len(stream), size):
            frames.take(stream[start : start + size])
        assert b"".join(output) == b"one" + b"two" * 100
        assert frames.heard == b"ready\n0\n"


@pytest.mark.docker
def test_no_canary_gets_through(docker_sandbox):
    probed = docker_sandbox.probe()
    assert [one for one in probed if not one.ok and one.needed] == []
    assert [one.name for one in probed if not one.ok] == ["private views"], "they begin empty, and it is said"
