"""No isolation: for those who said so explicitly, on machines that have no sandbox.

A command runs as the caller, in a copy of the tree, with limits of time and (for each process by
itself) memory. It sees and can change everything that the caller can, and it has the network.
Paths are those of the host: the names that a workspace gives to the tree and the mounts are
replaced, in the arguments, the environment and the working directory, by where those really are.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from backdate.sandboxes import copying, launcher, layout, scratch, supervision
from backdate.sandboxes.interface import (
    Capability,
    Command,
    Enforced,
    Limits,
    RunResult,
    RunStatus,
    Workspace,
)
from backdate.sandboxes.log import BoundedLog

_WITHOUT = "no isolation: use --sandbox bwrap for code that you do not trust"


class UnsafeLocal:
    """Runs commands as the caller, without isolation."""

    name = "unsafe-local"

    def __init__(self, *, scratch_root: Path | None = None) -> None:
        """``scratch_root`` is where private copies are made; it has to be a folder of ours alone."""
        self._scratch_root = scratch_root

    def probe(self) -> tuple[Capability, ...]:
        """That there is no protection: nothing has to be tried for that."""
        names = (
            "files isolated",
            "network off",
            "memory limit",
            "process limit",
            "tree kill",
            "user namespaces",
        )
        details = {
            "memory limit": "of each process by itself (RLIMIT_AS)",
            "tree kill": "of whatever stays a descendant and does not kill its keeper",
        }
        return tuple(
            Capability(name=name, ok=False, detail=details.get(name, "none"), remedy=_WITHOUT)
            for name in names
        )

    def require(self) -> None:
        """Nothing is promised, so nothing is missing."""

    def base_key(self) -> str | None:
        """None: it is this machine's own system."""

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command`` and write its output to ``log`` (see the protocol)."""
        layout.check(command, workspace)
        layout.check_base(workspace.base, None)
        limits = command.limits
        root = self._scratch_root or scratch.default_root()
        with scratch.scratch_folder(root) as folder, BoundedLog(log, limits.log_bytes) as output:
            places = {workspace.at: str(folder / "tree")} if workspace.tree is not None else {}
            for mount in workspace.mounts:
                places[mount.target] = str(mount.source.resolve(strict=True))
            for name in ("home", "tmp"):
                (folder / name).mkdir()
            if workspace.tree is not None:
                try:
                    copying.copy_tree(workspace.tree, folder / "tree", owner=None, limit=limits.disk_bytes)
                except copying.TreeTooLarge:
                    output.write(b"backdate: the source tree alone is larger than the limit of disk space\n")
                    return _result(
                        supervision.ProcessEnd(status=RunStatus.DISK_LIMIT, duration_s=0.0), 0, limits
                    )
            ending = supervision.supervise(_program(command, folder, places), output, wall_s=limits.wall_s)
            output.close()
            return _result(ending, output.dropped, limits)


def _program(command: Command, folder: Path, places: Mapping[str, str]) -> supervision.Program:
    words = ["parent", str(os.getpid()), "talk", "yes"]
    if command.limits.memory_bytes is not None:
        words += ["as", str(command.limits.memory_bytes)]
    if command.limits.disk_bytes is not None:
        words += ["fsize", str(command.limits.disk_bytes)]
    environment = layout.environment_of(command, home=str(folder / "home"), temporary=str(folder / "tmp"))
    # The launcher is a Python: what the command's environment says to a Python is not for it (hence -I).
    return supervision.Program(
        argv=[
            *(sys.executable, "-I", "-S", launcher.__file__, *words),
            *("chdir", relocate(command.cwd, places), "--"),
            *(relocate(word, places) for word in command.argv),
        ],
        env={name: relocate(value, places) for name, value in environment.items()},
        cwd="/",
    )


def relocate(text: str, places: Mapping[str, str]) -> str:
    """``text`` with every path in it that lies at or below a key of ``places`` put below its value.

    >>> relocate("--root=/work/project/tests", {"/work/project": "/tmp/copy"})
    '--root=/tmp/copy/tests'
    """
    if not places:
        return text
    longest_first = sorted(places, key=lambda target: -len(PurePosixPath(target).parts))
    either = "|".join(re.escape(target.rstrip("/")) for target in longest_first)
    by_name = {target.rstrip("/"): place for target, place in places.items()}
    # A path starts where no other path goes on, and its last part has to match whole.
    pattern = rf"(?<![\w./-])(?:{either})(?![\w.-])"
    return re.sub(pattern, lambda match: by_name[match.group()], text)


def _result(ending: supervision.ProcessEnd, dropped: int, limits: Limits) -> RunResult:
    return RunResult(
        status=ending.status,
        exit_code=ending.exit_code,
        signal=ending.signal,
        duration_s=ending.duration_s,
        peak_memory_bytes=None,
        dropped_log_bytes=dropped,
        enforced=Enforced(
            sandbox="unsafe-local",
            memory="none" if limits.memory_bytes is None else "per-process",
            processes="none",
            disk="none",
            network="on",
            files="none",
        ),
    )
