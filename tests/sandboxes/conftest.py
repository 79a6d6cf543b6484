"""What the tests of the sandboxes share."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE_S

from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import BaseSystem, Command, Limits, Mount, RunResult, Sandbox, Workspace


@dataclass
class Shell:
    """Runs shell scripts in a sandbox; the tree, where there is one, is at /work/project."""

    sandbox: Sandbox
    folder: Path
    text: str = ""
    """The log of the last run."""

    def __call__(
        self,
        script: str,
        *,
        tree: Path | None = None,
        mounts: tuple[Mount, ...] = (),
        base: BaseSystem | None = None,
        network: bool = False,
        env: dict[str, str] | None = None,
        argv: tuple[str, ...] | None = None,
        cwd: str = "/tmp",
        **limits: float | None,
    ) -> RunResult:
        command = Command(
            argv=argv or ("/bin/sh", "-c", script),
            cwd=cwd,
            env=env or {},
            network=network,
            limits=Limits(**{"wall_s": PATIENCE_S, **limits}),  # type: ignore[arg-type]
        )
        log = self.folder / "log"
        result = self.sandbox.run(command, Workspace(tree=tree, mounts=mounts, base=base), log=log)
        self.text = log.read_bytes().decode(errors="replace")
        return result


@pytest.fixture(scope="session")
def bubblewrap() -> Bubblewrap:
    sandbox = Bubblewrap()
    try:
        sandbox.require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    return sandbox


@pytest.fixture
def shell(bubblewrap: Bubblewrap, tmp_path: Path) -> Shell:
    return Shell(bubblewrap, tmp_path)


@pytest.fixture
def shell_for(tmp_path: Path) -> Callable[[Sandbox], Shell]:
    """A shell in another sandbox."""
    return lambda sandbox: Shell(sandbox, tmp_path)


@pytest.fixture
def python(shell: Shell) -> Callable[..., RunResult]:
    """Runs a Python script in the sandbox, with the interpreter of the tests."""
    prefix = Path(sys.base_prefix).resolve()
    mount = Mount(source=prefix, target=str(prefix))
    interpreter = str(Path(sys.executable).resolve())

    def run(script: str, *arguments: str, mounts: tuple[Mount, ...] = (), **options: Any) -> RunResult:
        argv = (interpreter, "-I", "-c", script, *arguments)
        return shell("", argv=argv, mounts=(mount, *mounts), **options)

    return run


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
