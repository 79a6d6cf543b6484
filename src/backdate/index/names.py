"""Names: of projects (PEP 503, PEP 508) and of the files that an index serves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from packaging.version import Version

from backdate.text import UNREADABLE

MAX_NAME = 128
"""Characters; the longest name on the public index has 80."""

_MAX_FILE_NAME = 250
MAX_VERSION = _MAX_FILE_NAME
"""Characters of a version that an index lists: no file could bear a longer one in its name."""
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z", re.ASCII)
_SEPARATORS = re.compile(r"[-_.]+")
_PLAIN_VERSION = re.compile(r"(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*))*\Z", re.ASCII)
_SDIST_ENDINGS = (".tar.gz", ".zip", ".tar.bz2", ".tgz", ".tar.xz", ".tar.Z", ".tar")
_INSTALLER_ENDINGS = (".exe", ".msi", ".rpm", ".deb", ".dmg")
_INSTALLER_PLATFORM = re.compile(
    r"(?:[.-](?:win32|win-amd64|win-arm32|linux|macosx|noarch|src|i\d86|x86_64|\d+\.noarch|\d+\.src)|-).*\Z"
)


def normalise(name: str) -> str:
    """The name under which an index serves the project (PEP 503): lower case, single dashes."""
    return _SEPARATORS.sub("-", name).lower()


def requirement_name(requirement: str) -> str | None:
    """The normalised name that a requirement asks for (PEP 508); None when it cannot be read."""
    # Imported where it is used: the command line imports this module at every start.
    from packaging.requirements import Requirement

    try:
        return normalise(Requirement(requirement).name)
    except UNREADABLE:
        return None


def is_project_name(name: str) -> bool:
    """Whether ``name`` may be a project's name (PEP 508), normalised or not."""
    return len(name) <= MAX_NAME and _NAME.match(name) is not None


def is_file_name(name: str) -> bool:
    """Whether ``name`` is one plain file name: no path, no control characters, at most 250 characters."""
    return (
        0 < len(name) <= _MAX_FILE_NAME
        and name.isprintable()
        and "/" not in name
        and "\\" not in name
        and name[0] != "."
    )


def are_file_names(names: Sequence[str]) -> bool:
    """Whether ``is_file_name`` certainly holds for all of them: one check of all instead of thousands."""
    joined = "/".join(("", *names, "."))
    return (
        joined.count("/") == len(names) + 1
        and joined.isprintable()
        and "\\" not in joined
        and "//" not in joined
        and joined.find("/.") == len(joined) - 2
        and max(map(len, names), default=0) <= _MAX_FILE_NAME
    )


@lru_cache(maxsize=16384)
def canonical_version(text: str) -> str:
    """``text`` as PEP 440 spells it; legacy versions stay as they are."""
    if _PLAIN_VERSION.match(text) is not None:
        return text  # most are plain, and making a Version of each takes a large page's time
    try:
        return str(Version(text))
    except UNREADABLE:
        return text


def version_of(filename: str, project: str) -> str | None:
    """The version that a file's name states, as PEP 440 spells it; None when it states none.

    ``project`` is the normalised name. Wheels and eggs separate fields by dashes (PEP 427); an
    sdist's version is what follows the project's name, which may itself hold dashes.
    """
    if filename.endswith((".whl", ".egg")):
        fields = filename[:-4].split("-", 2)
        return canonical_version(fields[1]) if len(fields) > 1 and fields[1] else None
    for ending in _SDIST_ENDINGS:
        if filename.endswith(ending):
            rest = _after_name(filename[: -len(ending)], project)
            return canonical_version(rest) if rest else None
    if filename.endswith(_INSTALLER_ENDINGS):
        rest = _after_name(filename[: filename.rindex(".")], project)
        return canonical_version(_INSTALLER_PLATFORM.sub("", rest)) if rest else None
    return None


def _after_name(stem: str, project: str) -> str | None:
    position = stem.rfind("-")
    while position > 0:
        if normalise(stem[:position]) == project:
            return stem[position + 1 :]
        position = stem.rfind("-", 0, position)
    return None
