"""A digest of what lies in an environment, cheap enough to take before and after each scored run."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from backdate.environments.environment import Environment


def environment_state(environment: Environment) -> str:
    """SHA-256 over the names, kinds, modes, sizes and modification times of the files of ``environment``.

    No file is opened and no link followed. Times of change (``st_ctime``) are left to the seals of finished
    environments (``environments/seal.py``): a cache that was restored has others.
    """
    digest = hashlib.sha256()
    for root in environment.roots:
        for line in _lines(root, b""):
            digest.update(line)
        digest.update(b"\n")
    return digest.hexdigest()


def _lines(folder: Path, above: bytes) -> Iterator[bytes]:
    """A line for each entry below ``folder``, sorted; ends with NUL, which no name holds."""
    with os.scandir(folder) as entries:
        ordered = sorted(entries, key=lambda entry: os.fsencode(entry.name))
    for entry in ordered:
        status = entry.stat(follow_symlinks=False)
        name = above + b"/" + os.fsencode(entry.name)
        if stat.S_ISDIR(status.st_mode):
            yield b"%s %o\0" % (name, status.st_mode)
            yield from _lines(Path(entry.path), name)
        else:
            yield b"%s %o %d %d\0" % (name, status.st_mode, status.st_size, status.st_mtime_ns)
