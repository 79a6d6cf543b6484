"""No isolation: for users who ask for it explicitly, on machines that have no sandbox.

A command runs as the caller, in a copy of the tree, with limits of time and (for each process
separately) memory. It sees and can change everything that the caller can, and it has the network.
Paths are those of the host: in the arguments, the environment and the working directory, the paths that a
workspace gives to the tree and the mounts are replaced by their real paths.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from backdate.sandboxes import copying, endings, layout, scratch, secret, supervision
from backdate.sandboxes.interface import (
    UNSAFE_LOCAL,
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

    name = UNSAFE_LOCAL

    def __init__(self, *, scratch_root: Path | None = None) -> None:
        """``scratch_root``: the folder for private copies, which only the current user may write."""
        self._scratch_root = scratch_root

    def probe(self) -> tuple[Capability, ...]:
        """States that there is no protection; nothing needs to run for that."""
        names = (
            "files isolated",
            "network off",
            "memory limit",
            "process limit",
            "tree kill",
            "user namespaces",
            "system calls",
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
        """Never raises: this sandbox provides no protection."""

    def base_key(self) -> str | None:
        """None: commands see this machine's own system."""

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        """Run ``command`` and write its output to ``log`` (see the protocol)."""
        layout.check(command, workspace)
        layout.check_base(workspace.base, None)
        limits = command.limits
        root = self._scratch_root or scratch.default_root()
        with scratch.scratch_folder(root) as folder, BoundedLog(log, limits.log_bytes) as output:
            paths = {workspace.at: str(folder / "tree")} if workspace.tree is not None else {}
            for mount in workspace.mounts:
                paths[mount.target] = str(mount.source.resolve(strict=True))
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
            with secret.secret_pipe(command) as pipe:
                program = _program(pipe.shown_to(command), folder, paths)
                program = replace(program, pass_fds=pipe.descriptors)
                ending = supervision.supervise(
                    program, output, wall_s=limits.wall_s, watches=endings.stop_watches(command)
                )
                used = pipe.use()
            output.close()
            return replace(_result(ending, output.dropped, limits), secret_use=used)


def _program(command: Command, folder: Path, paths: Mapping[str, str]) -> supervision.Program:
    keys = ["parent", str(os.getpid()), "talk", "yes"]
    if command.limits.memory_bytes is not None:
        keys += ["as", str(command.limits.memory_bytes)]
    if command.limits.disk_bytes is not None:
        keys += ["fsize", str(command.limits.disk_bytes)]
    environment = layout.environment_of(command, home=str(folder / "home"), temporary=str(folder / "tmp"))
    keys += ["chdir", relocate(command.cwd, paths)]
    return supervision.Program(
        argv=supervision.launching(keys, [relocate(word, paths) for word in command.argv]),
        env={name: relocate(value, paths) for name, value in environment.items()},
        cwd="/",
    )


def relocate(text: str, paths: Mapping[str, str]) -> str:
    """``text`` with every path at or below a key of ``paths`` moved below its value.

    >>> relocate("--root=/work/project/tests", {"/work/project": "/tmp/copy"})
    '--root=/tmp/copy/tests'
    """
    if not paths:
        return text
    longest_first = sorted(paths, key=lambda target: -len(PurePosixPath(target).parts))
    either = "|".join(re.escape(target.rstrip("/")) for target in longest_first)
    by_name = {target.rstrip("/"): real for target, real in paths.items()}
    # A path starts where no other path continues, and its last part must match as a whole.
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
            seccomp="off",
        ),
    )
