"""The script that starts services and becomes the command once they answer; here with servers of our own."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE_S
from sandboxed_shell import bubblewrap

from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.services.running import _SCRIPT

__all__ = ("bubblewrap",)

SERVER = """
import os, socket, sys
print("open:", sorted(name for name in os.listdir("/proc/self/fd") if int(name) > 3))
sys.stdout.flush()
server = socket.socket()
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen(1)
while True:
    server.accept()[0].close()
"""
COMMAND = """
import os, socket, sys
for port in sys.argv[1:]:
    socket.create_connection(("127.0.0.1", int(port))).close()
try:
    os.waitpid(-1, os.WNOHANG)
    print("a child")
except OSError:
    print("no child")
sys.exit(7)
"""


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Starter:
    """Runs the script over services in a folder, with an interpreter."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services: list[dict[str, Any]] = []
        self.patience_s = PATIENCE_S

    def add(self, name: str, *argv: str, prepare: tuple[str, ...] = ()) -> int:
        """A service that ``argv`` starts; its port is put after it. The port."""
        port = free_port()
        self.services.append(
            {
                "name": name,
                "argv": [*argv, str(port)],
                "env": {"PATH": os.environ["PATH"]},
                "folder": str(self.folder),
                "log": str(self.folder / f"{name}.log"),
                "port": port,
                "prepare": prepare,
            }
        )
        return port

    def run(self, *command: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
        """What the script says with ``command``; servers that it started are ended."""
        specification = self.folder / "specification.json"
        report = self.folder / "report.json"
        specification.write_text(
            json.dumps({"services": self.services, "patience_s": self.patience_s, "report": str(report)})
        )
        # in a process namespace of its own, as in a sandbox: what it starts ends with it
        isolated = ("bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/", "--proc", "/proc")
        return subprocess.run(
            [*isolated, python, str(_SCRIPT), str(specification), *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def report(self) -> dict[str, str]:
        """What became of each service; empty for well."""
        report: dict[str, str] = json.loads((self.folder / "report.json").read_text())
        return report


@pytest.fixture
def starter(bubblewrap: Bubblewrap, tmp_path: Path) -> Starter:
    return Starter(tmp_path)


def interpreters() -> list[str]:
    """This one, and a Python 2.7 where there is one."""
    kept = Path.home() / ".pyenv" / "versions"
    old = [str(path) for path in sorted(kept.glob("2.7*/bin/python2.7"))]
    return [sys.executable, *old[:1]]


@pytest.mark.parametrize("python", interpreters())
def test_services_answer_before_the_command_which_is_nobodys_parent(starter: Starter, python: str) -> None:
    first = starter.add("first", sys.executable, "-c", SERVER)
    second = starter.add("second", sys.executable, "-c", SERVER)
    done = starter.run(sys.executable, "-c", COMMAND, str(first), str(second), python=python)
    assert (done.returncode, done.stdout) == (7, "no child\n"), done.stderr
    assert starter.report() == {"first": "", "second": ""}


def test_no_service_inherits_an_open_file_of_the_command(starter: Starter) -> None:
    starter.add("one", sys.executable, "-c", SERVER)
    source, sink = os.pipe()
    os.set_inheritable(source, True)
    try:
        done = starter.run("true")
    finally:
        os.close(source)
        os.close(sink)
    assert done.returncode == 0, done.stderr
    assert (starter.folder / "one.log").read_text() == "open: []\n"


def test_a_service_that_ends_or_is_not_there_is_named_and_the_command_runs(starter: Starter) -> None:
    starter.add("ends", sys.executable, "-c", "print('it is broken'); raise SystemExit(3)")
    starter.add("missing", "/nonexistent/server")
    done = starter.run("echo", "ran")
    assert done.stdout == "ran\n"
    assert "it is broken" in done.stderr
    assert starter.report() == {"ends": "ended as it began (status 3)", "missing": "could not be started"}


def test_one_that_never_answers_is_given_up(starter: Starter) -> None:
    starter.patience_s = 0.5
    starter.add("silent", sys.executable, "-c", "import time; time.sleep(1000)")
    assert starter.run("echo", "ran").stdout == "ran\n"
    assert starter.report() == {"silent": "did not answer in time"}


def test_preparing_is_tried_until_it_ends_well(starter: Starter) -> None:
    mark = starter.folder / "mark"
    script = f"test -e {mark} && exit 0; touch {mark}; exit 1"
    starter.add("one", sys.executable, "-c", SERVER, prepare=("/bin/sh", "-c", script))
    starter.run("true")
    assert starter.report() == {"one": ""}
