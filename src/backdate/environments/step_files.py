"""The files that build steps are given and leave, and what of this machine they are shown."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backdate.environments import uv
from backdate.environments.incidents import BuildIncident, lock_entry
from backdate.environments.inputs import EnvironmentRequest, configuration
from backdate.environments.lock import PROJECT
from backdate.errors import StoredDataError
from backdate.projects.hostile import Folder, read_beneath
from backdate.projects.read import decode
from backdate.sandboxes.interface import MIB, Mount

_LOCK_BYTES = 64 * MIB


def shown(path: Path, *, writable: bool = False) -> Mount:
    """A path of the host, seen inside where it is outside."""
    return Mount(source=path, target=str(path), writable=writable)


def placed(path: Path, at: str) -> str:
    """A shell line: a copy of ``path`` in $TMPDIR, with the project's folder written in.

    The folder is a word of the command line because there, and only there, every sandbox puts in where it
    really is.
    """
    return f'{shlex.join(("sed", f"s|{PROJECT}|{at}|g", str(path)))} > "$TMPDIR/{path.name}"'


@contextmanager
def input_file(name: str, text: str) -> Iterator[Path]:
    """A file that a build step may read, for the time of the step."""
    with tempfile.TemporaryDirectory(prefix="backdate-") as folder:
        Path(folder).chmod(0o755)
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8")
        yield path


@contextmanager
def build_files(request: EnvironmentRequest) -> Iterator[uv.BuildFiles]:
    """What isolated builds may take, and need besides what they declare, for the time of the step."""
    with input_file("builds.txt", "\n".join(request.build_constraints) + "\n") as limits:
        written = configuration(request)
        settings = limits.with_name("uv.toml")
        settings.write_text(written, encoding="utf-8")
        yield uv.BuildFiles(
            limits=limits, limited=bool(request.build_constraints), settings=settings if written else None
        )


def give_with_lock(root: Path, pylock: str) -> tuple[BuildIncident, ...]:
    """Give the environment at ``root`` to whoever runs this, with its lock; what lay there instead of one."""
    with Folder.at(root) as folder:
        folder.give_to(os.geteuid(), os.getegid())
        there = folder.status("pylock.toml")
        folder.replace("pylock.toml", pylock.encode())
    return lock_entry(None if there is None else there.st_mode)


def handed_over(path: Path) -> str:
    """The lock that a build step left: as hostile as the code that ran beside the resolver."""
    data = read_beneath(path.parent, path.name, limit=_LOCK_BYTES)
    if data is None:
        raise StoredDataError("there is none")
    return decode(data)
