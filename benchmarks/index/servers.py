"""Starting the servers that are compared, each in its own process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PEERS = {"pypi-timemachine": "pypi-timemachine==0.3.1", "proxpi": "proxpi==1.3.1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server."""

    port: int
    pid: int


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextmanager
def started(command: Sequence[str], port: int, environment: Mapping[str, str] = {}) -> Iterator[Server]:
    """The server that ``command`` starts on ``port``, until the block ends."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL if not os.environ.get("BENCHMARK_DEBUG") else None,
    )
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"did not start: {command}") from None
                time.sleep(0.05)
        yield Server(port=port, pid=process.pid)
    finally:
        process.terminate()
        process.wait()


def peer_python(name: str, folder: Path) -> Path:
    """The interpreter of a virtual environment that holds a peer, made when it is missing."""
    root = folder / name
    if not (root / "done").exists():
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("UV_", "PIP_", "PYTHONPATH"))}
        make = ["uv", "venv", "--quiet", "--no-config", "--clear", "-p", sys.executable, str(root)]
        subprocess.run(make, env=environment, check=True)
        install = ["uv", "pip", "install", "--quiet", "--no-config", "-p", root, PEERS[name]]
        extra = ["uvloop", "httptools"] if name == "pypi-timemachine" else ["gunicorn"]
        subprocess.run([*install, *extra], env=environment, check=True)
        (root / "done").touch()
    return root / "bin" / "python"


def upstream(cache: Path, form: str) -> object:
    """The fake public index."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "--log-level", "critical", "--app-dir", str(HERE)]
    command += ["--port", str(port), "upstream_app:app"]
    return started(command, port, {"BENCHMARK_CACHE": str(cache), "BENCHMARK_FORM": form})


def ours(upstream_port: int, cache: Path, *options: str) -> object:
    """``backdate index``, with its request log (into nothing)."""
    port = free_port()
    program = "import typer; from backdate.cli.index import index_command; typer.run(index_command)"
    command = [sys.executable, "-c", program, "--port", str(port), "--cache", str(cache)]
    return started([*command, "--upstream", f"http://127.0.0.1:{upstream_port}/simple/", *options], port)


def static(answer: Path) -> object:
    """One prepared answer, on the same stack."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "uvicorn",
        "--log-level",
        "critical",
        "--no-access-log",
        "--no-server-header",
    ]
    command += ["--app-dir", str(HERE), "--port", str(port), "static_app:app"]
    return started(command, port, {"STATIC_ANSWER": str(answer)})


def timemachine(upstream_port: int, venvs: Path) -> object:
    """pypi-timemachine, with uvloop and httptools as ours has."""
    port = free_port()
    python = peer_python("pypi-timemachine", venvs)
    command = [str(python), "-m", "pypi_timemachine", "2021-03-01", "--port", str(port), "--quiet"]
    return started(
        [*command, "--index-url", f"http://127.0.0.1:{upstream_port}/simple/"], port, {"PYTHONPATH": ""}
    )


def proxpi(upstream_port: int, venvs: Path) -> object:
    """proxpi (a caching mirror that knows no dates), under gunicorn as its image runs it."""
    port = free_port()
    python = peer_python("proxpi", venvs)
    command = [
        str(python),
        "-m",
        "gunicorn",
        "--bind",
        f"127.0.0.1:{port}",
        "--workers",
        "1",
        "--threads",
        "2",
    ]
    environment = {"PROXPI_INDEX_URL": f"http://127.0.0.1:{upstream_port}/simple/", "PYTHONPATH": ""}
    return started([*command, "proxpi.server:app"], port, environment)
