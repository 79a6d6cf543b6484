"""Choosing the sandbox that runs commands."""

from __future__ import annotations

import functools
import os

from backdate.errors import UsageError
from backdate.sandboxes.interface import Sandbox

NAMES = ("bwrap", "docker", "unsafe-local")
"""The names of the sandboxes."""


@functools.cache
def choose_sandbox(name: str) -> Sandbox:
    """The sandbox of that name: always the same object, so that its canaries run once.

    "docker" may be followed by a colon and an image. There is no fallback: the ``require`` of a sandbox that
    is not available raises SandboxUnavailable. Raises UsageError for another name.
    """
    if name == "docker" or name.startswith("docker:"):
        from backdate.sandboxes.docker import DEFAULT_IMAGE, Docker

        return Docker(name.partition(":")[2] or os.environ.get("BACKDATE_DOCKER_IMAGE") or DEFAULT_IMAGE)
    if name not in NAMES:
        raise UsageError(f"there is no sandbox {name!r}; the names are {', '.join(NAMES)}")
    if name == "bwrap":
        from backdate.sandboxes.bubblewrap import Bubblewrap

        return Bubblewrap()
    from backdate.sandboxes.unsafe_local import UnsafeLocal

    return UnsafeLocal()
