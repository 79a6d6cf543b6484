"""A process that gives its terminal to a command in the sandbox: FOLDER COMMAND…; tells how it ended."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from backdate.environments.inside_python import inside_python
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interactive import run_at_terminal
from backdate.sandboxes.interface import Command, Limits, Mount, Workspace

AT = "/work/project"


def main() -> None:
    """Run."""
    interpreter, mounts = inside_python(None)
    workspace = Workspace(mounts=(Mount(source=Path(sys.argv[1]), target=AT, writable=True), *mounts))
    command = Command(argv=tuple(sys.argv[2:]), cwd=AT, env={"TERM": "xterm"}, limits=Limits(wall_s=600))
    with tempfile.TemporaryDirectory() as folder:
        result = run_at_terminal(Bubblewrap(), command, workspace, interpreter, log=Path(folder, "log"))
        sys.stdout.write(f"\nended: {result.status} {result.exit_code}\n")
        sys.stdout.write(Path(folder, "log").read_text(errors="replace"))


if __name__ == "__main__":
    main()
