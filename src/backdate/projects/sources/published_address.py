"""The part of an address that may be published: no folders of this machine, and no passwords."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from backdate.errors import SourceError
from backdate.projects.sources.git import run_git

_SCP_LIKE = re.compile(
    r"([A-Za-z0-9_][A-Za-z0-9_.-]*@)?([A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}):(?!/)(\S+)\Z"
)


def published_address(location: str) -> str:
    """``location`` without passwords, queries and names of web users; empty for a path of this machine."""
    if "://" not in location:
        return location if _SCP_LIKE.match(location) else ""
    try:
        parts = urlsplit(location)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("https", "http", "ssh", "git") or not host:
        return ""
    server = f"[{host}]" if ":" in host else host
    server = f"{server}:{port}" if port is not None else server
    if parts.scheme == "ssh" and parts.username:
        server = f"{parts.username}@{server}"
    return urlunsplit((parts.scheme, server, parts.path, "", ""))


def address_of(location: str, git_dir: Path) -> str:
    """Where others can get the repository at ``git_dir``, which the user named as ``location``.

    For a local clone, the address of its remote ``origin``; empty when others cannot reach that.
    """
    address = published_address(location)
    if address:
        return address
    try:
        remote = run_git("config", "--get", "remote.origin.url", git_dir=git_dir)
    except SourceError:  # it has no such remote
        return ""
    return published_address(remote.decode("utf-8", "replace").strip())
