"""A shell and an interpreter in the default sandbox, for the tests of sandboxes and for attacks on them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from patience import PATIENCE_S

from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import (
    BaseSystem,
    Command,
    Limits,
    Mount,
    Network,
    RunResult,
    Sandbox,
    Workspace,
)


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
        network: Network = "off",
        env: dict[str, str] | None = None,
        argv: tuple[str, ...] | None = None,
        cwd: str = "/tmp",
        stop: threading.Event | None = None,
        **limits: float | None,
    ) -> RunResult:
        command = Command(
            argv=argv or ("/bin/sh", "-c", script),
            cwd=cwd,
            env=env or {},
            network=network,
            stop=stop,
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


def interpreter_mount() -> tuple[str, Mount]:
    """The interpreter of the tests, and what has to be shown for it."""
    prefix = Path(sys.base_prefix).resolve()
    return str(Path(sys.executable).resolve()), Mount(source=prefix, target=str(prefix))


@pytest.fixture
def python(shell: Shell) -> Callable[..., RunResult]:
    """Runs a Python script in the sandbox, with the interpreter of the tests."""
    interpreter, mount = interpreter_mount()

    def run(script: str, *arguments: str, mounts: tuple[Mount, ...] = (), **options: Any) -> RunResult:
        argv = (interpreter, "-I", "-c", script, *arguments)
        return shell("", argv=argv, mounts=(mount, *mounts), **options)

    return run
