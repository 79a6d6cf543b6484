"""A list of addresses, folders and names on a package index, one a line.

::

    https://…, ssh://…, git@host:path, PATH     a repository, with @REVISION where it is not the last one
    OWNER/NAME, where no such folder is         a repository on GitHub, likewise
    pypi:NAME[==VERSION], or NAME alone         a project on the package index
    # …                                         a remark
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from backdate.construction.candidate import BadRow, Candidate, Entry, Kind
from backdate.errors import BackdateError
from backdate.index.names import is_project_name
from backdate.projects.sources.specification import FolderSource, GitSource, SdistSource, parse_source

_LINE_BYTES = 64 * 1024
_ON_GITHUB = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+(@[^@\s]+)?")


def read_list(path: Path) -> Iterator[Entry]:
    """The entries of a list, in order. Folders are relative to the list's own."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(_LINE_BYTES):
            number += 1
            row_name = f"{path.name}:{number}"
            try:
                text = line.decode("utf-8").partition(" #")[0].strip()
            except UnicodeDecodeError:
                yield BadRow(name=row_name, reason="not UTF-8")
                continue
            if text and not text.startswith("#"):
                yield entry_of_line(text, path.parent)


def entry_of_line(text: str, base: Path) -> Entry:
    """The candidate that one line names."""
    local = base / text
    if is_project_name(text) and not local.exists():
        text = f"pypi:{text}"
    elif names_github(text, base):
        text = f"https://github.com/{text}"
    elif "://" not in text and not text.startswith(("pypi:", "git@", "~", "/", "git+")):
        text = str(local)
    try:
        source = parse_source(text)
    except BackdateError as error:
        return BadRow(name=text[:200], reason=f"not an address: {str(error)[:200]}")
    match source:
        case SdistSource(name=name, version=version):
            revision = "" if version is None else str(version)
            return Candidate(
                kind="sdist", name=str(canonicalize_name(name)), location=str(name), revision=revision
            )
        case GitSource(location=location, revision=revision, subdirectory=subdirectory):
            if subdirectory:
                return BadRow(name=text[:200], reason="a folder of a repository: only whole ones are taken")
            wanted = "" if revision == "HEAD" else revision
            return Candidate(kind="git", name=_owner_and_name(location), location=location, revision=wanted)
        case FolderSource(path=path):
            kind: Kind = "git" if (path / ".git").exists() else "folder"
            return Candidate(kind=kind, name=_owner_and_name(str(path)), location=str(path))


def names_github(text: str, base: Path) -> bool:
    """Whether ``text`` is a repository's name there (OWNER/NAME), and no folder below ``base``."""
    return _ON_GITHUB.fullmatch(text) is not None and not (base / text.partition("@")[0]).exists()


def _owner_and_name(location: str) -> str:
    """``owner/name`` as well as it can be told; a clone at OWNER+NAME/repo is told by its folder."""
    parts = [part for part in location.replace(":", "/").split("/") if part]
    parts[-1] = parts[-1].removesuffix(".git") or parts[-1]
    if parts[-1] in ("repo", ".git", "") and len(parts) > 1:
        parts.pop()
    if "+" in parts[-1]:
        return parts[-1].replace("+", "/", 1)
    if "://" in location or location.startswith("git@"):
        return "/".join(parts[-2:])
    return parts[-1]
