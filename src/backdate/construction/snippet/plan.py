"""What a data set of snippets is built from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.version import Version

from backdate.errors import UsageError
from backdate.projects.sources.listing import ListedFile
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.versions import STANDARD_LIBRARY, Listing, side_of
from backdate.text import UNREADABLE

PREVIOUS, LATEST = "previous", "latest"
MOST_ASKED = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetBuildPlan:
    """One library, two of its versions, and where uses of it are looked for."""

    library: str
    """The distribution (PEP 503)."""
    origin: SnippetSide
    target: SnippetSide
    usages_from: tuple[str, ...] = ()
    """Distributions whose sdists are read besides the library's own."""
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
    companions: Sequence[str] = (),
    usages_from: Sequence[str] = (),
    most_of_name: int = 3,
    most_asked: int = MOST_ASKED,
) -> SnippetBuildPlan:
    """The plan for a move from ``first`` to ``last``, each a version, or "previous" and "latest".

    ``companions``: requirements that both environments have besides. Raises UsageError, SourceError and
    IndexUnavailable.
    """
    if library == STANDARD_LIBRARY:
        raise UsageError("snippets are built for distributions on the index; python has no sdists to read")
    old, new = _versions(listing(library), first, last)
    for text in companions:
        try:
            Requirement(text)
        except UNREADABLE as error:
            raise UsageError(f"--with {text!r} is no requirement; write 'numpy' or 'numpy<2'") from error
    sides = [side_of(library, version, listing) for version in (old, new)]
    origin, target = (replace(side, requirements=(*side.requirements, *companions)) for side in sides)
    return SnippetBuildPlan(
        library=library,
        origin=origin,
        target=target,
        usages_from=tuple(usages_from),
        most_of_name=most_of_name,
        most_asked=most_asked,
    )


def release_of(side: SnippetSide) -> Version:
    """The exact release of the library that a side installs."""
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
