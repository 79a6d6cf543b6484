"""The one place where it is decided which sandbox runs commands."""

from __future__ import annotations

import functools

from backdate.errors import UsageError
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal


@functools.cache
def choose_sandbox(name: str) -> Sandbox:
    """The sandbox of that name: always the same one, so that what it has proven is proven once.

    There is no fallback: when "bwrap" cannot be had, its ``require`` raises SandboxUnavailable.
    Raises UsageError for another name.
    """
    kinds: dict[str, type[Bubblewrap] | type[UnsafeLocal]] = {
        "bwrap": Bubblewrap,
        "unsafe-local": UnsafeLocal,
    }
    if name not in kinds:
        raise UsageError(f"there is no sandbox {name!r}; the names are {' and '.join(kinds)}")
    return kinds[name]()
