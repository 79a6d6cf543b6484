"""From a library's version to what an environment with it is made of: interpreter, requirements, instant.

What is known of the versions that published data sets name stands in the table ``library_versions.toml``.
Of any other the index tells it: the newest release of the series, the newest Python for which it has wheels,
and the rest as of two weeks after that release, when what it needs fits it and had its first bugs mended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from backdate.errors import SourceError
from backdate.knowledge import load
from backdate.projects.sources.listing import ListedFile
from backdate.snippets.snippet import SnippetSide
from backdate.text import UNREADABLE, minor_version, version_numbers
from backdate.timeline.calendar import OLDEST_MINOR, default_release
from backdate.timeline.instants import Instant

Listing = Callable[[str], Sequence[ListedFile]]
"""The files of a distribution; raises SourceError and IndexUnavailable."""

STANDARD_LIBRARY = "python"
SETTLED = timedelta(days=14)
"""How long after a release everything besides it is resolved."""
_PYTHON_2 = (2, 7)
_CPYTHON = re.compile(r"cp3(\d{1,2})\Z")


def side_of(library: str, version: str, listing: Listing) -> SnippetSide:
    """The side for ``version`` ("2.0", "2.0.0") of a distribution, or of ``python`` itself.

    Raises SourceError where the index has no such release, and IndexUnavailable.
    """
    name = canonicalize_name(library)
    if name == STANDARD_LIBRARY:
        return python_side(version)
    for row in load.library_versions():
        if row.library == name and version in row.versions:
            return SnippetSide(
                version=version,
                python=row.python,
                requirements=row.requirements,
                instant=row.uploaded + SETTLED,
            )
    return _from_the_index(name, version, listing)


def python_side(version: str) -> SnippetSide:
    """The standard library of a Python, or why there is none."""
    numbers = tuple(int(number) for number in re.findall(r"\d+", version)[:2])
    numbers = _PYTHON_2 if numbers == _PYTHON_2[:1] else numbers  # its last minor version is what is meant
    minor = ".".join(map(str, numbers))
    had = numbers == _PYTHON_2 or (len(numbers) > 1 and numbers >= OLDEST_MINOR)
    return SnippetSide(
        version=version,
        python=minor,
        not_had="" if had else f"Python {minor or version} cannot be had: the oldest are 2.7 and 3.6",
    )


def _from_the_index(name: str, version: str, listing: Listing) -> SnippetSide:
    files = [file for file in listing(name) if _is_meant(file.version, version)]
    if not files:
        raise SourceError(f"the package index has no {name} {version}")
    newest = max(file.version for file in files)
    of_release = [file for file in files if file.version == newest]
    uploaded = min(file.uploaded for file in of_release)
    return SnippetSide(
        version=version,
        python=_python_for(of_release, uploaded),
        requirements=(f"{name}=={newest}",),
        instant=uploaded + SETTLED,
    )


def _is_meant(release: Version, version: str) -> bool:
    """Whether a release is the named one, or of the series that two numbers name."""
    try:
        wanted = Version(version)
    except UNREADABLE:
        return False
    if release == wanted:
        return True
    return len(wanted.release) < 3 and not release.is_prerelease and _series(release) == _series(wanted)


def _series(version: Version) -> tuple[int, int]:
    return version.major, version.minor


def with_one_python(
    origin: SnippetSide, target: SnippetSide, listing: Listing
) -> tuple[SnippetSide, SnippetSide]:
    """Both sides of a library with the newest Python that both releases work with: then what differs is the
    library's. As they are where there is none, or where a side is known to need others beside it.

    Raises SourceError and IndexUnavailable.
    """
    if origin.python == target.python or any(len(side.requirements) != 1 for side in (origin, target)):
        return origin, target
    both = _pythons_of(origin, listing) & _pythons_of(target, listing)
    if not both:
        return origin, target
    python = f"3.{max(both)}"
    return replace(origin, python=python), replace(target, python=python)


def _pythons_of(side: SnippetSide, listing: Listing) -> set[int]:
    """The minors of Python 3 that a release works with: those of its wheels, else all up to its own."""
    requirement = Requirement(side.requirements[0])
    files = [file for file in listing(requirement.name) if file.version in requirement.specifier]
    minors = {minor for file in files for minor in _minors(file.filename)}
    oldest, newest = OLDEST_MINOR[1], version_numbers(side.python)[1]
    usable = minors or set(range(oldest, newest + 1))
    return {minor for minor in usable if minor >= oldest and any(_allows(file, minor) for file in files)}


def _allows(file: ListedFile, minor: int) -> bool:
    try:
        return f"3.{minor}.99" in SpecifierSet(file.requires_python)
    except UNREADABLE:
        return True


def _python_for(files: Sequence[ListedFile], uploaded: Instant) -> str:
    """The newest Python that a release has wheels for; without such the usual one of its day."""
    minors = {minor for file in files for minor in _minors(file.filename)}
    usable = [minor for minor in minors if (3, minor) >= OLDEST_MINOR]
    if usable:
        return f"3.{max(usable)}"
    return minor_version(str(default_release(uploaded).version))


def _minors(filename: str) -> set[int]:
    """The minors of Python 3 that a wheel for Linux names; none for one that fits several (abi3, py3)."""
    try:
        tags = parse_wheel_filename(filename)[3]
    except UNREADABLE:
        return set()
    return {
        int(match[1])
        for tag in tags
        if "linux" in tag.platform and tag.abi != "abi3" and (match := _CPYTHON.match(tag.interpreter))
    }
