"""A sandbox around another one, for what changes some runs and leaves everything else as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from backdate.sandboxes.interface import Capability, Command, RunResult, Sandbox, Workspace


class WrappedSandbox:
    """Does what ``inner`` does; subclasses have a ``run`` of their own."""

    def __init__(self, inner: Sandbox) -> None:
        self.inner = inner
        self.name = inner.name

    def probe(self) -> tuple[Capability, ...]:
        """As the inner one."""
        return self.inner.probe()

    def require(self) -> None:
        """As the inner one."""
        self.inner.require()

    def base_key(self) -> str | None:
        """As the inner one's."""
        return self.inner.base_key()

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """As the inner one."""
        return self.inner.run(command, workspace, log=log)


def innermost(sandbox: Sandbox) -> Any:
    """What ``sandbox`` wraps, which sees the same system; hashable as every sandbox is, though the protocol
    does not say so."""
    found: Any = sandbox
    while isinstance(found, WrappedSandbox):
        found = found.inner
    return found
