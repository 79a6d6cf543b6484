"""Who attacks from within a sandbox: an interpreter that runs scripts there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sandboxed_shell import Shell, interpreter_mount

from backdate.sandboxes.interface import Enforced, Mount, RunResult


@dataclass
class Attacker:
    """Runs Python scripts with the interpreter of the tests, and says what they printed."""

    shell: Shell
    enforced: Enforced | None = field(default=None, init=False)
    """What was in force in the last run."""
    ended: RunResult | None = field(default=None, init=False)

    def __call__(
        self, script: str, *arguments: str, mounts: tuple[Mount, ...] = (), **options: Any
    ) -> list[str]:
        interpreter, mount = interpreter_mount()
        argv = (interpreter, "-I", "-c", script, *arguments)
        self.ended = self.shell("", argv=argv, mounts=(mount, *mounts), **options)
        enforced = self.ended.enforced
        # An attack that comes to nothing leaves nothing to name: the record of the run names what held it.
        assert (enforced.files, enforced.network, enforced.seccomp) == ("isolated", "off", "on")
        self.enforced = enforced
        return self.shell.text.splitlines()
