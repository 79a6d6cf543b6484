"""Applying patches that may be hostile, as ``patch -p0 -t -E`` applies them.

GNU patch gets what ``patch.read_patch`` read and nothing else of the text, with the options of the
published scripts, so that offsets and fuzz are its own.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from backdate.editing.patch import FilePatch, read_patch
from backdate.errors import MachineError, SourceError

_TIMEOUT_S = 120.0


def apply_patch(patch: str, tree: Path, *, what: str = "the patch") -> tuple[str, ...]:
    """Apply ``patch`` to ``tree``; the paths that it changed. An empty patch changes nothing.

    Raises SourceError when it cannot be read (see ``read_patch``), leads through a link, or does not apply;
    the tree is then not to be used.
    """
    if not patch.strip():
        return ()
    return apply_files(read_patch(patch, what=what), tree, what=what)


def apply_files(
    files: Iterable[FilePatch], tree: Path, *, what: str = "the patch", forward: bool = False
) -> tuple[str, ...]:
    """Apply parts of a patch that was read; the paths that they changed. Raises as ``apply_patch``.

    ``forward``: a reversed patch does not apply, nor does one twice (``patch -N``); else GNU patch turns
    round what looks reversed, as it does for the published scripts.
    """
    files = tuple(files)
    for file in files:
        _require_inside(tree, file.path, what)
    text = b"".join(file.text for file in files)
    if text:
        _run_patch(text, tree, what, forward=forward)
    for file in files:
        # GNU patch does not know git's header of an empty file.
        target = tree / file.path
        if not file.hunks and file.kind == "create":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        elif not file.hunks and target.is_file():
            if target.stat().st_size:
                raise SourceError(f"{what} deletes {file.path!r} as an empty file, but it is not empty")
            target.unlink()
    return tuple(file.path for file in files)


def _require_inside(tree: Path, name: str, what: str) -> None:
    path = tree
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise SourceError(f"{what} changes {name!r}, which leads through the link {part!r}")
    if path.exists() and not path.is_file():
        raise SourceError(f"{what} changes {name!r}, which is not a file")


def _run_patch(text: bytes, tree: Path, what: str, *, forward: bool) -> None:
    program = shutil.which("patch")
    if program is None:
        raise MachineError("the program patch is not installed; install it (apt-get install patch)")
    command = [program, "-p0", "-N" if forward else "-t", "-E", "-u", "--no-backup-if-mismatch", "-r", "-"]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            input=text,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{what} could not be applied within {_TIMEOUT_S:.0f} s") from error
    if done.returncode != 0:
        output = (done.stdout + done.stderr).decode("utf-8", "replace")
        complaints = [line for line in output.splitlines() if not line.startswith("patching file")]
        raise SourceError(f"{what} does not apply: {' '.join(complaints)[:1500] or 'patch gave no reason'}")
