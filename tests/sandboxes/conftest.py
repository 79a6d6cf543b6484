"""What the tests of the sandboxes share."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import PATIENCE_S
from sandboxed_shell import Shell, bubblewrap, python, shell

from backdate.sandboxes.interface import Sandbox

__all__ = ("bubblewrap", "python", "shell")


@pytest.fixture
def shell_for(tmp_path: Path) -> Callable[[Sandbox], Shell]:
    """A shell in another sandbox."""
    return lambda sandbox: Shell(sandbox, tmp_path)


@pytest.fixture
def running() -> Callable[[str], list[int]]:
    """Finds the processes with a mark in their command line."""
    return processes


@pytest.fixture
def eventually() -> Callable[..., bool]:
    """Waits for what the kernel does by itself."""
    return wait_until


def processes(mark: str) -> list[int]:
    """The processes with ``mark`` in their command line or environment."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            try:
                if mark.encode() in (process / "cmdline").read_bytes() + (process / "environ").read_bytes():
                    found.append(int(process.name))
            except OSError:
                continue
    return found


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_S) -> bool:
    """Whether the condition comes true; waits for what the kernel does by itself."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


@pytest.fixture
def mark() -> Iterator[str]:
    """A number that is in the command line of this test's processes only; none survives the test."""
    text = f"{os.getpid()}{time.monotonic_ns() % 10**6:06}"
    yield text
    left = processes(text)
    for process in left:
        os.kill(process, signal.SIGKILL)
    assert not left
