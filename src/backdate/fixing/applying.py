"""Applying a fix to the folder that it was made for, and only to that."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from pathlib import Path

from backdate.editing.diff import diff_files
from backdate.editing.patch_text import encode_patch
from backdate.errors import ConfigurationError, UsageError
from backdate.fixing.result import ChangedFile
from backdate.projects.hostile import read_beneath, replace_beneath
from backdate.serial import write_whole

_LARGEST = 16 * 1024 * 1024


def changed_files(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> tuple[ChangedFile, ...]:
    """The files that differ, by path."""
    return tuple(
        ChangedFile(path=path, before=_sha256(before[path]), after=_sha256(after[path]))
        for path in sorted(after)
        if before[path] != after[path]
    )


def apply_fix(folder: Path, before: Mapping[str, bytes], after: Mapping[str, bytes], undo: Path) -> None:
    """Write the files of ``after`` below ``folder``, whose files have to be as ``before``.

    ``undo``: where the patch is left that takes it back; written first. Raises UsageError, having changed
    nothing, when a file is not as it was, is reached through a link, is read-only or cannot be written, or
    when there is something at ``undo``.
    """
    for path, data in sorted(before.items()):
        try:
            now = read_beneath(folder, path, limit=_LARGEST)
        except ConfigurationError as error:
            raise UsageError(f"nothing was applied: {path} cannot be changed ({error})") from error
        if now != data:
            raise UsageError(f"nothing was applied: {path} changed since it was read; run the command again")
        if not (folder / path).lstat().st_mode & stat.S_IWUSR:
            raise UsageError(
                f"nothing was applied: {path} is read-only; chmod u+w {path}, or change it by hand"
            )
    if undo.exists() or undo.is_symlink():
        raise UsageError(f"nothing was applied: {undo} is there already, and is not written over")
    try:
        write_whole(undo, encode_patch(diff_files(dict(after), dict(before))))
    except OSError as error:
        raise UsageError(f"nothing was applied: {undo} cannot be written: {error.strerror}") from error
    written: list[str] = []
    for path, data in sorted(after.items()):
        try:
            replace_beneath(folder, path, data)
        except ConfigurationError as error:
            for earlier in written:
                replace_beneath(folder, earlier, before[earlier])
            undo.unlink()
            raise UsageError(f"nothing was applied: {error}") from error
        written.append(path)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
