"""The user of a sandboxed command: on the host, and as the command itself sees it.

Inside, every command is uid and gid 1000, named ``backdate``. On the host it is the caller, unless the
caller is root: then it is ``DROPPED_ID``, a number that neither Debian nor Fedora nor systemd assigns,
so that a command that breaks out owns nothing on the host but the files of its run.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

INSIDE_ID = 1000
"""The uid and gid that a command sees itself as."""

DROPPED_ID = 61_100
"""The uid and gid outside when root calls ("unused" in systemd's table of uids, UIDS-GIDS.md)."""

USER = "backdate"
HOME = f"/home/{USER}"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
HOSTNAME = "sandbox"

HOSTS = f"""127.0.0.1 localhost {HOSTNAME}
::1 localhost ip6-localhost ip6-loopback
"""
_NSSWITCH = """passwd: files
group: files
hosts: files dns
services: files
protocols: files
networks: files
"""
_LARGEST_ETC_FILE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The user of the host that a command runs as."""

    uid: int
    gid: int
    dropped: bool
    """Whether that is another user than the caller, who then must be given the files."""


def outer_identity() -> Identity:
    """The user that commands run as when the current user calls."""
    if os.geteuid() == 0 and _is_mapped(DROPPED_ID):
        return Identity(uid=DROPPED_ID, gid=DROPPED_ID, dropped=True)
    return Identity(uid=os.geteuid(), gid=os.getegid(), dropped=False)


def _is_mapped(uid: int) -> bool:
    """Whether ``uid`` exists in the user namespace we are in (in rootless containers it may not)."""
    try:
        lines = Path("/proc/self/uid_map").read_text(encoding="ascii").splitlines()
    except OSError:
        return True
    ranges = [[int(part) for part in line.split()] for line in lines]
    return any(first <= uid < first + count for first, _, count in ranges)


def user_files(uid: int, gid: int) -> dict[str, bytes]:
    """The two files of /etc that give the command's user and group their names, by path."""
    users = (
        "root:x:0:0:root:/root:/bin/sh\n"
        f"{USER}:x:{uid}:{gid}:{USER}:{HOME}:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"
    )
    groups = f"root:x:0:\n{USER}:x:{gid}:\nnogroup:x:65534:\n"
    return {"/etc/passwd": users.encode(), "/etc/group": groups.encode()}


def etc_files(*, network: bool) -> dict[str, bytes]:
    """The files of /etc that are made for the command, by path.

    With the network, names resolve as they do on the host.
    """
    files = {
        **user_files(INSIDE_ID, INSIDE_ID),
        "/etc/hosts": HOSTS.encode(),
        "/etc/nsswitch.conf": _NSSWITCH.encode(),
        "/etc/hostname": f"{HOSTNAME}\n".encode(),
    }
    if network:
        for path in ("/etc/resolv.conf", "/etc/hosts"):
            try:
                with Path(path).open("rb") as file:
                    files[path] = file.read(_LARGEST_ETC_FILE)
            except FileNotFoundError:
                continue
    return files
