"""Running a suite with another clock: libfaketime, which tells every program of a run a time of our choice.

It is a library of the system (Debian's package ``faketime``), put before others in the processes of the run
alone. The clock starts at an instant and goes on from there; clocks that only measure (monotonic ones) are
left as they are, so that time limits and waits last as long as ever.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.sandboxes.interface import Command, Mount, Workspace
from backdate.timeline.instants import Instant

HOW_TO_GET = "apt install faketime"
VARIABLE = "BACKDATE_LIBFAKETIME"
"""Names the library where it lies elsewhere."""
_PLACES = (
    "usr/lib/*/faketime/libfaketime.so.1",
    "usr/lib/faketime/libfaketime.so.1",
    "usr/lib64/faketime/libfaketime.so.1",
    "usr/local/lib/faketime/libfaketime.so.1",
)
_SEEN_AT = "/backdate/libfaketime.so.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedClock:
    """A clock that shows another time."""

    library: Path
    instant: Instant
    """What it shows when the run begins."""

    def applied(self, command: Command, workspace: Workspace) -> tuple[Command, Workspace]:
        """The command and what it sees, with this clock."""
        variables = {
            "LD_PRELOAD": _SEEN_AT,
            "FAKETIME": f"@{self.instant:%Y-%m-%d %H:%M:%S}",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",  # its name before libfaketime 0.9.9
            "FAKETIME_DISABLE_SHM": "1",
            "TZ": "UTC",  # libfaketime reads the time as local time
        }
        mount = Mount(source=self.library, target=_SEEN_AT)
        return (
            replace(command, env={**command.env, **variables}),
            replace(workspace, mounts=(*workspace.mounts, mount)),
        )


def find_libfaketime(environment: Mapping[str, str] | None = None) -> Path | None:
    """Where libfaketime is on this machine; None where it is not installed."""
    given = (os.environ if environment is None else environment).get(VARIABLE)
    if given:
        return Path(given) if Path(given).is_file() else None
    found = (path for place in _PLACES for path in sorted(Path("/").glob(place)))
    return next(found, None)
