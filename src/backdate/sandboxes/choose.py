"""The one place where it is decided which sandbox runs commands."""

from __future__ import annotations

import functools
from typing import Literal

from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal

SandboxName = Literal["bwrap", "unsafe-local"]


@functools.cache
def choose_sandbox(name: SandboxName) -> Sandbox:
    """The sandbox of that name: always the same one, so that what it has proven is proven once.

    There is no fallback: when "bwrap" cannot be had, its ``require`` raises SandboxUnavailable.
    """
    kinds: dict[SandboxName, type[Bubblewrap] | type[UnsafeLocal]] = {
        "bwrap": Bubblewrap,
        "unsafe-local": UnsafeLocal,
    }
    return kinds[name]()
