"""What a data set of snippets is built from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.version import Version

from backdate.errors import UsageError
from backdate.projects.sources.listing import ListedFile
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.versions import STANDARD_LIBRARY, Listing, python_side, side_of, with_one_python
from backdate.text import UNREADABLE
from backdate.timeline.calendar import releases_before, settled_since
from backdate.timeline.instants import Instant, now

PREVIOUS, LATEST = "previous", "latest"
MOST_ASKED = 30
_MINOR = re.compile(r"[23]\.\d{1,2}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetBuildPlan:
    """One library, two of its versions, and where uses of it are looked for."""

    library: str
    """The distribution (PEP 503), or "python" for the standard library."""
    origin: SnippetSide
    target: SnippetSide
    usages_from: tuple[str, ...] = ()
    """Distributions whose sdists are read besides the library's own."""
    usages_before: Instant | None = None
    """Those that were published before; None for today's."""
    most_of_name: int = 3
    """Snippets for one changed name."""
    most_asked: int = MOST_ASKED
    """Names of which a model is asked for a function, where one is."""


def make_plan(
    library: str,
    first: str,
    last: str,
    listing: Listing,
    *,
    python: str | None = None,
    companions: Sequence[str] = (),
    usages_from: Sequence[str] = (),
    most_of_name: int = 3,
    most_asked: int = MOST_ASKED,
) -> SnippetBuildPlan:
    """The plan for a move from ``first`` to ``last``, each a version, or "previous" and "latest".

    Of ``python`` the versions are interpreters; what uses it is read as it was when the first was a year old.

    ``python``: the interpreter of both environments; without it the newest that both releases work with.
    ``companions``: requirements that both environments have besides. Raises UsageError, SourceError and
    IndexUnavailable.
    """
    if library == STANDARD_LIBRARY:
        if python is not None:
            raise UsageError("--python is for libraries: --from and --to name the interpreters of python")
        return _of_python(first, last, usages_from, companions, most_of_name, most_asked)
    old, new = _versions(listing(library), first, last)
    for text in companions:
        try:
            Requirement(text)
        except UNREADABLE as error:
            raise UsageError(f"--with {text!r} is no requirement; write 'numpy' or 'numpy<2'") from error
    sides = side_of(library, old, listing), side_of(library, new, listing)
    if python is None:
        sides = with_one_python(*sides, listing)
    else:
        sides = replace(sides[0], python=_interpreter(python)), replace(sides[1], python=_interpreter(python))
    origin, target = (replace(side, requirements=(*side.requirements, *companions)) for side in sides)
    return SnippetBuildPlan(
        library=library,
        origin=origin,
        target=target,
        usages_from=tuple(usages_from),
        usages_before=origin.instant,
        most_of_name=most_of_name,
        most_asked=most_asked,
    )


def _interpreter(text: str) -> str:
    """The minor version that --python names. Raises UsageError."""
    if not _MINOR.fullmatch(text):
        raise UsageError(f"--python {text!r} is no version of Python; write X.Y, such as 3.12")
    side = python_side(text)
    if side.not_had:
        raise UsageError(f"--python {text}: {side.not_had}")
    return side.python


def _of_python(
    first: str,
    last: str,
    usages_from: Sequence[str],
    companions: Sequence[str],
    most_of_name: int,
    most_asked: int,
) -> SnippetBuildPlan:
    """The standard library of two interpreters. Raises UsageError."""
    if companions:
        raise UsageError("--with is for libraries: nothing is installed beside the standard library")
    if not usages_from:
        raise UsageError(
            "python has no sdists to read: name distributions that use it with --usages-from FILE"
        )
    minors = [
        f"{major}.{minor}" for major, minor in dict.fromkeys(one.minor for one in releases_before(now()))
    ]
    new = minors[-1] if last == LATEST else last
    if first == PREVIOUS:
        if new not in minors[1:]:
            raise UsageError(f"no release comes before {new}")
        first = minors[minors.index(new) - 1]
    sides = [python_side(version) for version in (first, new)]
    for side in sides:
        if side.not_had:
            raise UsageError(side.not_had)
    return SnippetBuildPlan(
        library=STANDARD_LIBRARY,
        origin=sides[0],
        target=sides[1],
        usages_from=tuple(usages_from),
        usages_before=settled_since(sides[0].python),
        most_of_name=most_of_name,
        most_asked=most_asked,
    )


def release_of(side: SnippetSide) -> Version:
    """The exact release of the library that a side installs; of the standard library its Python's minor."""
    if not side.requirements:
        return Version(side.python)
    (specifier,) = Requirement(side.requirements[0]).specifier
    return Version(specifier.version)


def _versions(files: Sequence[ListedFile], first: str, last: str) -> tuple[str, str]:
    final = sorted({file.version for file in files if not file.version.is_prerelease and not file.yanked})
    new = str(final[-1]) if last == LATEST and final else last
    if first != PREVIOUS:
        return first, new
    try:
        series = Version(new).release[:2]
    except UNREADABLE as error:
        raise UsageError(f"{new!r} is no version") from error
    before = [version for version in final if version.release[:2] < series]
    if not before:
        raise UsageError(f"no release comes before {new}")
    return str(before[-1]), new
