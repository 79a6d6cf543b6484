"""A Docker engine of the tests' own: nothing of the machine's networking, images or service is touched."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from backdate.environments.environment import Interpreter

IMAGE = "backdate-tests:debian"
_START_S = 120.0
_WITHOUT_NETWORKING = ("--iptables=false", "--ip6tables=false", "--bridge=none", "--ip-forward=false")


class NotStarted(Exception):
    """The engine cannot run here; the message says why."""


@contextmanager
def started_engine() -> Iterator[str]:
    """The address (for DOCKER_HOST) of an engine that ends, with all its images, afterwards."""
    # On a disk, where /tmp is often memory; under a short path, for the name of a socket is limited.
    folder = Path(tempfile.mkdtemp(prefix="bd-docker-", dir="/var/tmp"))
    address = f"unix://{folder}/socket"
    log = folder / "log"
    with log.open("wb") as output:
        engine = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL"),  # it goes with the tests, however they end
                *("unshare", "--mount"),  # what it mounts goes with it
                "dockerd",
                *(f"--data-root={folder}/data", f"--exec-root={folder}/exec", f"--pidfile={folder}/pid"),
                *("-H", address, *_WITHOUT_NETWORKING, "--default-ulimit=nofile=1024:4096"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await(engine, folder / "socket", log)
        yield address
    finally:
        # It has no containers any more; asked nicely, it would wait half a minute for its own parts.
        engine.kill()
        engine.wait()
        for _ in range(50):  # its containerd, which dies with it, may still write
            shutil.rmtree(folder, ignore_errors=True)
            if not folder.exists():
                break
            time.sleep(0.1)


def _await(engine: subprocess.Popen[bytes], socket: Path, log: Path) -> None:
    deadline = time.monotonic() + _START_S
    while b"API listen on" not in log.read_bytes() or not socket.exists():
        if engine.poll() is not None or time.monotonic() > deadline:
            last = log.read_text(errors="replace").strip().splitlines()[-1:]
            raise NotStarted(f"dockerd does not start here: {' '.join(last)}")
        time.sleep(0.1)


def import_image(root: Path) -> None:
    """Make the system at ``root`` the image :data:`IMAGE` of the engine that DOCKER_HOST names."""
    import docker

    name, _, tag = IMAGE.partition(":")
    with closing(docker.from_env().api) as client, tempfile.NamedTemporaryFile(dir="/var/tmp") as archive:
        subprocess.run(["tar", "-C", str(root), "-c", "."], stdout=archive, check=True)
        client.import_image_from_file(archive.name, repository=name, tag=tag)


def python_image(interpreter: Interpreter, name: str) -> None:
    """Make an image ``name``: :data:`IMAGE` with ``interpreter`` at its own path and first on PATH."""
    prefix = interpreter.prefix
    above = " ".join(str(folder) for folder in prefix.parents if folder != Path("/"))
    lines = (
        f"FROM {IMAGE}",
        f"COPY python {prefix}",
        f"RUN chmod a+rx {above} {prefix}",
        f"ENV PATH={prefix}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    )

    def needed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        parts = Path(member.name).parts
        left_out = {"test", "tests", "idlelib", "__pycache__"} & set(parts) or "config-3" in member.name
        return None if left_out else member

    with tempfile.NamedTemporaryFile(dir="/var/tmp") as context:
        with tarfile.open(fileobj=context, mode="w") as tar:
            text = "\n".join(lines).encode() + b"\n"
            member = tarfile.TarInfo("Dockerfile")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
            tar.add(prefix, "python", filter=needed)
        context.seek(0)
        command = ["docker", "build", "--quiet", "--tag", name, "-"]
        subprocess.run(command, stdin=context, check=True, env=os.environ | {"DOCKER_BUILDKIT": "0"})
