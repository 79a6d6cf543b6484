"""A process that gives its terminal to a command in a sandbox: SANDBOX FOLDER COMMAND…."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from docker_engine import IMAGE

from backdate.environments.inside_python import inside_python
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.docker import Docker
from backdate.sandboxes.interactive import run_at_terminal
from backdate.sandboxes.interface import Command, Limits, Mount, Workspace

AT = "/work/project"


def main() -> None:
    """Run."""
    interpreter, mounts = inside_python(None)
    sandbox = Docker(IMAGE) if sys.argv[1] == Docker.name else Bubblewrap()
    workspace = Workspace(mounts=(Mount(source=Path(sys.argv[2]), target=AT, writable=True), *mounts))
    command = Command(argv=tuple(sys.argv[3:]), cwd=AT, env={"TERM": "xterm"}, limits=Limits(wall_s=600))
    with tempfile.TemporaryDirectory() as folder:
        result = run_at_terminal(sandbox, command, workspace, interpreter, log=Path(folder, "log"))
        sys.stdout.write(f"\nended: {result.status} {result.exit_code}\n")
        sys.stdout.write(Path(folder, "log").read_text(errors="replace"))


if __name__ == "__main__":
    main()
