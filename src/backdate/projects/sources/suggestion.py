"""What is meant by a text that names no project: one of no known form, or a folder that is not there."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from packaging.version import Version

from backdate.text import UNREADABLE

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
_RELEASE = re.compile(
    rf"(?P<name>{_NAME})(?:\[[\w.,\s-]*\])?\s*(?:={{2,3}}|@)\s*(?P<version>[\w.!+]{{1,60}})\Z"
)
_DISTRIBUTION = re.compile(rf"{_NAME}\Z")
_REPOSITORY = re.compile(
    r"(?:github\.com/)?(?P<owner>[A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/(?P<name>(?!\.+(?:[@/]|\Z))[A-Za-z0-9_.-]{1,100}?)"
    r"(?:\.git)?/?(?P<revision>@[\w./-]{1,100})?\Z"
)
_ON_A_HOST = re.compile(r"(?P<address>(?:[a-z0-9-]+\.)+(?:com|org|net|io|de|dev|eu)/[\w./-]+/[\w./@-]+)\Z")
_OTHER_SCHEME = re.compile(r"(?:http|git)://(?P<address>[^\s@]+/[^\s@]+)\Z")
_MOST_ENTRIES = 2000
_ALIKE = 0.7


def suggestions(text: str) -> tuple[str, ...]:
    """What ``text`` may mean, likeliest first, each as it would be written; nothing is made up.

    A folder that is called almost so, a release or a distribution of the package index, a repository of
    GitHub or of another host. Looks at the disk only for folders; nothing is asked of the network.
    """
    return tuple(dict.fromkeys(islice(_meant(text), 2)))


def did_you_mean(text: str) -> str:
    """``suggestions`` as a sentence that begins with a full stop, or nothing."""
    found = suggestions(text)
    return f". Did you mean {' or '.join(found)}?" if found else ""


def _meant(text: str) -> Iterator[str]:
    scheme = _OTHER_SCHEME.match(text)
    if scheme is not None:
        yield f"https://{scheme['address']}"
        return
    yield from _folders(text)
    release = _RELEASE.match(text)
    if release is not None and _is_version(release["version"]):
        yield f"pypi:{release['name']}=={release['version']}"
    elif _ON_A_HOST.match(text):
        yield f"https://{text}"
    elif repository := _REPOSITORY.match(text):
        revision = repository["revision"] or ""
        yield f"https://github.com/{repository['owner']}/{repository['name']}{revision}"
    elif _DISTRIBUTION.match(text):
        yield f"pypi:{text}"


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except UNREADABLE:
        return False
    return True


def _folders(text: str) -> Iterator[str]:
    """The path with its first part that is not there replaced by a folder that is called almost so."""
    parts = Path(text).parts
    for number, part in enumerate(parts):
        parent = Path(*parts[:number]) if number else Path()
        try:
            if (parent.expanduser() / part).exists() or part == "~":
                continue
            with os.scandir(parent.expanduser()) as entries:
                names = [entry.name for entry in islice(entries, _MOST_ENTRIES) if entry.is_dir()]
        except OSError:
            return
        for name in difflib.get_close_matches(part, sorted(names), n=1, cutoff=_ALIKE):
            meant = Path(*parts[:number], name, *parts[number + 1 :])
            if name.isprintable() and meant.expanduser().is_dir():
                yield str(meant) if text[:1] in "/~" else f"./{meant}"
        return
