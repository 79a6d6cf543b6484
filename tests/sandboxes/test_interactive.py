"""A command in the sandbox at a terminal that a test plays."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_S
from small_runner import bubblewrap

from backdate.sandboxes.terminal_output import ControlStringFilter

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests/support/terminal_run.py"


class Terminal:
    """What stands on a terminal, and its keyboard."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self.master, self.process = master, process
        self.shown = b""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str, times: int = 1, *, typing: str = "") -> str:
        """Everything that was shown, once ``text`` was, so many times; until then ``typing`` again."""
        deadline = time.monotonic() + PATIENCE_S
        while self.shown.count(text.encode()) < times:
            assert time.monotonic() < deadline, self.shown
            self.type(typing)
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.shown += os.read(self.master, 65536)
                except OSError:
                    break
        assert text.encode() in self.shown, self.shown
        return self.shown.decode(errors="replace")

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@pytest.fixture(params=["bwrap", pytest.param("docker", marks=pytest.mark.docker)])
def sandbox_name(request: pytest.FixtureRequest) -> str:
    """Each sandbox that isolates; for Docker with an engine that other processes find, too."""
    if request.param == "docker":
        request.getfixturevalue("docker_sandbox")
    else:
        bubblewrap()
    name: str = request.param
    return name


@pytest.fixture
def at_terminal(tmp_path: Path, sandbox_name: str) -> Iterator[Callable[..., Terminal]]:
    """Starts a command in a sandbox at a terminal of 33 rows and 99 columns."""
    tree = tmp_path / "tree"
    tree.mkdir()
    with contextlib.ExitStack() as stack:

        def start(*command: str) -> Terminal:
            master, slave = pty.openpty()
            fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
            temporary = stack.enter_context(tempfile.TemporaryDirectory())  # what is killed leaves its own
            environment = {
                **os.environ,
                "PYTHONPATH": f"{ROOT / 'src'}:{PROGRAM.parent}",
                "TMPDIR": temporary,
            }
            for name in ("LINES", "COLUMNS"):
                environment.pop(name, None)
            process = subprocess.Popen(
                [sys.executable, str(PROGRAM), sandbox_name, str(tree), *command],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=environment,
                start_new_session=True,
            )
            os.close(slave)
            stack.callback(os.close, master)
            stack.callback(process.wait)
            stack.callback(process.kill)
            return Terminal(master, process)

        yield start


def test_a_shell_has_a_terminal_of_its_own(at_terminal: Callable[..., Terminal], tmp_path: Path) -> None:
    terminal = at_terminal("/bin/sh", "-i")
    terminal.type("stty size; tty; echo edited > file; echo do''ne\r")
    shown = terminal.wait_for("done")
    assert "33 99" in shown
    assert (tmp_path / "tree/file").read_text() == "edited\n"
    terminal.type("PS1='rea''dy>'\r")
    terminal.wait_for("ready>")
    terminal.type("echo sta''rted; sleep 1000; echo wo''ken\r")
    terminal.wait_for("started")
    # A shell that is just starting a program may miss one, and throws away what is typed behind it.
    terminal.wait_for("ready>", times=2, typing="\x03")
    assert "woken" not in terminal.wait_for("again", typing="echo aga''in\r")
    terminal.resize(44, 77)
    terminal.type("until [ \"$(stty size)\" = '44 77' ]; do sleep 0.1; done; echo resi''zed\r")
    terminal.wait_for("resized")
    terminal.type("exit 7\r")
    terminal.wait_for("ended: exited 7")


def test_what_is_left_running_does_not_keep_the_terminal(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("/bin/sh", "-c", "sleep 1000 & echo over")
    assert "over" in terminal.wait_for("ended: exited 0")


def test_much_is_typed_and_shown(at_terminal: Callable[..., Terminal]) -> None:
    terminal = at_terminal("/bin/sh", "-c", "echo ready; read line; seq 200000 | tail -n 150000; echo $line")
    terminal.wait_for("ready")
    terminal.type("x" * 3000 + "\r")
    shown = terminal.wait_for("ended: exited 0")
    assert shown.count("\n") > 150_000
    assert "x" * 3000 in shown.rpartition("200000")[2]


def test_a_killed_process_leaves_no_command_behind(
    at_terminal: Callable[..., Terminal], tmp_path: Path
) -> None:
    terminal = at_terminal("/bin/sh", "-c", "while :; do touch here; echo turning; sleep 0.1; done")
    terminal.wait_for("turning")
    terminal.process.kill()
    terminal.process.wait()
    deadline = time.monotonic() + PATIENCE_S
    here = tmp_path / "tree/here"
    while True:
        here.unlink(missing_ok=True)
        time.sleep(1)
        if not here.exists():
            break
        assert time.monotonic() < deadline


SEQUENCES = st.sampled_from(
    [b"\x1b]0;title\x07", b"\x1b]52;c;aGk=\x1b\\", b"\x1bP$qm\x1b\\", b"\xc2\x9d0;x\xc2\x9c", b"\x1b_x\x18"]
)
ORDINARY = st.sampled_from(
    [b"text", b"\x1b[1m", b"\x1b[2J", "é\u2028".encode(), b"\x1b(B", b"\x1b7", b"\r\n"]
)


@given(
    st.lists(st.one_of(SEQUENCES.map(lambda one: (one, b"")), ORDINARY.map(lambda one: (one, one)))),
    st.data(),
)
def test_control_strings_are_taken_out_however_they_are_cut(parts, data) -> None:
    whole, expected = b"".join(one for one, _ in parts), b"".join(kept for _, kept in parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    shown = ControlStringFilter()
    assert b"".join(map(shown.feed, pieces)) == expected


def test_a_string_that_never_ends_hides_nothing_for_ever() -> None:
    shown = ControlStringFilter()
    shown.feed(b"\x1b]")
    shown.feed(b"x" * 70_000)
    assert shown.feed(b"back") == b"back"
