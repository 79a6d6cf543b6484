"""What of an address may be published: nothing of this machine's folders, and nobody's password."""

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
    """``location`` without passwords, queries and names of web users; empty for a place on this machine."""
    if "://" not in location:
        return location if _SCP_LIKE.match(location) else ""
    try:
        parts = urlsplit(location)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("https", "http", "ssh", "git") or not host:
        return ""
    place = f"[{host}]" if ":" in host else host
    place = f"{place}:{port}" if port is not None else place
    if parts.scheme == "ssh" and parts.username:
        place = f"{parts.username}@{place}"
    return urlunsplit((parts.scheme, place, parts.path, "", ""))


def address_of(location: str, git_dir: Path) -> str:
    """Where the repository at ``git_dir``, which was named as ``location``, can be had by others.

    For a local clone what it calls ``origin``; empty when nobody else can reach that.
    """
    found = published_address(location)
    if found:
        return found
    try:
        remote = run_git("config", "--get", "remote.origin.url", git_dir=git_dir)
    except SourceError:  # it has none
        return ""
    return published_address(remote.decode("utf-8", "replace").strip())
