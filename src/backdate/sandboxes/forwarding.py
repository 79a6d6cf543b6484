"""From a port of a sandbox's own loopback interface to a Unix socket outside, by a small program inside."""

from __future__ import annotations

import shlex
from pathlib import Path

from backdate.sandboxes.interface import Mount

FORWARDER = "/run/backdate/forwarder.py"
"""Where a sandbox sees the program."""


def forwarder_mount() -> Mount:
    """What a sandbox has to show for ``forwarder_line``, besides the socket."""
    return Mount(source=Path(__file__).with_name("inside") / "backdate_forwarder.py", target=FORWARDER)


def forwarder_line(interpreter: Path, socket: str, port: int) -> str:
    """The shell line that starts the program inside, by any Python; it returns when ``port`` is open."""
    return shlex.join((str(interpreter), "-E", "-s", "-S", FORWARDER, socket, str(port)))
