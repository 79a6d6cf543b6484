"""The shells in which a person works on a task: in the sandbox, or the person's own.

In the sandbox the work's folder is writable, at ``AT``; nothing else of this machine is, and there is no
network. A person's own shell gets wrappers behind everything else on its PATH: programs of ours that run the
environment's in the sandbox. No file of an environment is ever on the PATH of a program that runs on this
machine, because those files, and their names, are a project's own.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backdate.environments.environment import Environment
from backdate.environments.inside_python import inside_python
from backdate.sandboxes.interactive import run_at_terminal
from backdate.sandboxes.interface import Command, Limits, Mount, RunResult, Sandbox, Workspace
from backdate.serial import write_whole
from backdate.tasks.annotation_folder import AnnotationFolder

AT = "/work/project"
WRAPPERS = {"task-python": ("python",), "task-pytest": ("python", "-m", "pytest"), "task-run": ()}
"""What a person's own shell has, and the beginning of the command that each runs in the sandbox."""

_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_WALL_S = 24 * 3600.0
_CHOICE = 'for shell in "$0" /bin/bash; do [ -x "$shell" ] && exec "$shell" -i; done; exec /bin/sh -i'


def shell_line(line: str | None) -> tuple[str, ...]:
    """The command of a shell: ``line``, or the person's own where the sandbox has it."""
    if line is not None:
        return ("/bin/sh", "-c", line)
    return ("/bin/sh", "-c", _CHOICE, os.environ.get("SHELL") or "/bin/sh")


def run_in_sandbox(
    sandbox: Sandbox,
    workspace: AnnotationFolder,
    built: Environment | None,
    command: Sequence[str],
    limits: Limits,
) -> RunResult:
    """Run ``command`` at this terminal, in the sandbox, on the work as it is. Raises SandboxUnavailable."""
    interpreter, mounts = inside_python(built)
    with tempfile.TemporaryDirectory(prefix="backdate-shell-") as folder:
        return run_at_terminal(
            sandbox,
            Command(
                argv=tuple(command),
                cwd=AT,
                env=_variables(built),
                limits=replace(limits, wall_s=_WALL_S),
            ),
            Workspace(
                mounts=(
                    Mount(source=workspace.work, target=AT, writable=True),
                    *(built.mounts if built is not None else mounts),
                ),
                base=None if built is None else built.base,
            ),
            interpreter,
            log=Path(folder, "log"),
        )


def host_environment(workspace: AnnotationFolder, backdate: Sequence[str]) -> dict[str, str]:
    """The variables of a person's own shell: the usual ones, with the wrappers last on PATH.

    ``backdate``: the command that runs what follows it in the sandbox.
    """
    # Absolute: a relative name on PATH is looked up wherever the shell is, which is in the project.
    folder = (workspace.folder / "wrappers").resolve()
    for name, beginning in WRAPPERS.items():
        text = f'#!/bin/sh\nexec {shlex.join((*backdate, *beginning))} "$@"\n'
        write_whole(folder / name, text.encode())
        (folder / name).chmod(0o755)
    path = os.environ.get("PATH", os.defpath)
    return {**os.environ, "PATH": f"{path}{os.pathsep}{folder}"}


def _variables(built: Environment | None) -> dict[str, str]:
    shown = {name: os.environ[name] for name in ("TERM", "COLORTERM") if name in os.environ}
    variables = {"LANG": "C.UTF-8", "TERM": "dumb", **shown, "PATH": _SYSTEM_PATH}
    if built is None:
        return variables
    return {
        **variables,
        "PATH": f"{built.root / 'bin'}:{_SYSTEM_PATH}",
        "VIRTUAL_ENV": str(built.root),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
