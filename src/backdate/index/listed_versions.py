"""Which of the versions that an index lists (PEP 700) each file of a page belongs to.

The version of a release is what its uploader registered, and a file's name may state it in another
spelling or another version altogether (``PyQt5-5.8.1.1-5.8.0-cp35….whl`` belongs to 5.8.1). So a name only
chooses among the versions that the index lists: it never adds one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from packaging.utils import canonicalize_version
from packaging.version import Version

from backdate.index.names import canonical_version
from backdate.text import UNREADABLE

_MOST_PARTS = 12
"""Parts of a file's version that are tried as the start or the end of a listed one."""
_MOST_ODD_FILES = 20_000
"""Files with an unlisted version that are looked up; a hostile page could state any number."""
_SEPARATORS = re.compile(r"[-_.+]+")
_PART_ENDS = re.compile(r"(?<=\d)(?=\D)|(?<=\D)(?=\d)|(?=[-_.+])")


def listed_versions(stated: Sequence[str | None], listed: Sequence[str]) -> list[str | None]:
    """For each version that a file's name states (PEP 440 spelling) the one of ``listed`` it belongs to.

    None where no listed version fits.
    """
    exact = _first_by(listed, canonical_version)
    matched = [exact.get(version) if version is not None else None for version in stated]
    odd = [index for index, version in enumerate(stated) if version is not None and matched[index] is None][
        :_MOST_ODD_FILES
    ]
    if not odd:
        return matched
    loose = _first_by(listed, _loose)
    # A listed version that no name states may be the longer one: 2.54.1.dev0 of thing-2.54.1.tar.gz.
    named = {version for version in matched if version is not None}
    longer = _first_by([version for version in listed if version not in named], _release)
    for index in odd:
        version = stated[index]
        assert version is not None
        matched[index] = (
            loose.get(_loose(version)) or longer.get(_release(version)) or _start_or_end(version, loose)
        )
    return matched


def _first_by(listed: Sequence[str], key: Callable[[str], str]) -> dict[str, str]:
    """The listed versions by ``key``; of several with the same the first."""
    found: dict[str, str] = {}
    for version in listed:
        found.setdefault(key(version), version)
    return found


def _start_or_end(version: str, loose: Mapping[str, str]) -> str | None:
    """The longest listed version that ``version`` starts with, or else ends with."""
    for text in _starts_and_ends(version):
        listed = loose.get(_loose(text))
        if listed is not None:
            return listed
    return None


def _starts_and_ends(version: str) -> Iterator[str]:
    ends = [match.start() for match in _PART_ENDS.finditer(version)]
    yield from (version[:end] for end in reversed(ends[:_MOST_PARTS]))
    yield from (version[end:] for end in ends[-_MOST_PARTS:])


def _loose(version: str) -> str:
    """``version`` for comparison: as PEP 440 reads it, without zeros at the end of the release."""
    try:
        return canonicalize_version(Version(version))
    except UNREADABLE:
        return _SEPARATORS.sub(".", version).strip(".").lower()


def _release(version: str) -> str:
    try:
        return canonicalize_version(Version(version).base_version)
    except UNREADABLE:
        return _loose(version)
