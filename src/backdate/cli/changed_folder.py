"""The folder that ``--apply`` and ``--apply-cap`` change: what is refused before the work."""

from __future__ import annotations

from pathlib import Path

UNDO = "backdate-undo.patch"
"""Takes the change back; left in the folder."""


def folder_to_change(source: str, option: str, *, else_: str = "") -> Path:
    """The folder ``source``. ``else_``: what may be done where it is none.

    Raises UsageError for a source that is no folder, for one that cannot be written to, and where the patch
    of an earlier change is still there.
    """
    from backdate.cli.options import require_writable
    from backdate.errors import UsageError

    folder = Path(source)
    if not folder.is_dir():
        raise UsageError(f"{option} changes a folder, and {source} is none{else_}")
    undo = folder / UNDO
    if undo.exists() or undo.is_symlink():
        raise UsageError(f"{undo} of an earlier change is there; apply it or move it away first")
    require_writable(undo, folder=False)
    return folder
