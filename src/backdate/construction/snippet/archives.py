"""Reading sdists for uses of changed names: parsed, never imported, bounded, with their licence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

from packaging.version import Version

from backdate.construction.licences import licence_of_members, refuse_licences
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.module_code import ModuleCode, read_module
from backdate.construction.snippet.usages import (
    ArchiveContext,
    ChangedApis,
    DrawnSnippet,
    DroppedUsage,
    UsageOrigin,
    is_test,
    usages_in,
)
from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.download import download, new_client
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.snippets.versions import STANDARD_LIBRARY
from backdate.timeline.instants import Instant

_MOST_BYTES = 96 * 1024 * 1024
_MOST_FILES = 6_000
_LARGEST_FILE = 512 * 1024
_MOST_OF_ARCHIVE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArchive:
    """What one archive holds of uses."""

    distribution: str
    version: str = ""
    licence: str = ""
    refused: str = ""
    """Why it is not read: its licence, its size, damage, or that there is none."""
    drawn: tuple[DrawnSnippet, ...] = ()
    dropped: tuple[DroppedUsage, ...] = ()


def archive_of(
    client: IndexClient, distribution: str, *, version: Version | None = None, before: Instant | None = None
) -> ListedFile | None:
    """The newest sdist of a distribution (of ``version``, from ``before``), else its smallest wheel.

    None where there is none. Raises SourceError and IndexUnavailable.
    """
    files = [
        file
        for file in fetch_listing(client, distribution)
        if not file.yanked
        and (file.version == version if version is not None else not file.version.is_prerelease)
        and (before is None or file.uploaded < before)
        and (file.sdist or file.filename.endswith(".whl"))
    ]
    newest = max((file.version for file in files), default=None)
    of_newest = [file for file in files if file.version == newest]
    return min(of_newest, key=lambda file: (not file.sdist, file.size_bytes or 0), default=None)


def read_archive(
    file: ListedFile,
    distribution: str,
    names: Sequence[ChangedApi],
    *,
    library: str,
    of_library: bool,
    modules: frozenset[str],
    cache: Path,
) -> ReadArchive:
    """The uses in an archive; one whose licence is not permissive is refused. Raises IndexUnavailable.

    ``modules``: what values of parameters may be made with (``argument_values.MODULES``).
    """
    read = ReadArchive(distribution=distribution, version=str(file.version))
    try:
        with new_client() as client:
            archive = download(client, file, cache, most_bytes=_MOST_BYTES)
        members = read_members(
            archive, _is_wanted, what=file.filename, most_files=_MOST_FILES, most_bytes=_LARGEST_FILE
        )
    except SourceError as error:
        return ReadArchive(distribution=distribution, version=read.version, refused=str(error)[:200])
    licence = _licence(members)
    if licence is None or refuse_licences([licence]) is not None:
        why = f"its licence is {licence}, which is not permissive" if licence else "it states no licence"
        return ReadArchive(
            distribution=distribution, version=read.version, licence=licence or "", refused=why
        )
    context = ArchiveContext(
        library=library,
        own=_tops(members),
        origin=UsageOrigin(distribution=distribution, version=read.version, file="", line=0, licence=licence),
        of_library=of_library,
        modules=modules,
    )
    drawn, dropped = _uses(members, ChangedApis(names), context, sdist=file.sdist)
    return ReadArchive(
        distribution=distribution,
        version=read.version,
        licence=licence,
        drawn=drawn,
        dropped=dropped,
    )


def _uses(
    members: Mapping[str, bytes], searched: ChangedApis, context: ArchiveContext, *, sdist: bool
) -> tuple[tuple[DrawnSnippet, ...], tuple[DroppedUsage, ...]]:
    """What the modules of one archive (path to content) hold of uses; of others' archives only so many."""
    drawn: list[DrawnSnippet] = []
    dropped: list[DroppedUsage] = []
    for path, data in members.items():
        text = data.decode("utf-8", "replace")
        if (
            not path.endswith(".py")
            or len(data) >= _LARGEST_FILE
            or not any(leaf in text for leaf in searched.leaves)
        ):
            continue
        module = read_module(path.partition("/")[2] if sdist else path, text)
        for one in usages_in(module, searched, context) if module is not None else ():
            if isinstance(one, DrawnSnippet):
                drawn.append(one)
            else:
                dropped.append(one)
        if len(drawn) > _MOST_OF_ARCHIVE and not context.of_library:
            break
    return tuple(drawn), tuple(dropped)


def archive_modules(file: ListedFile, cache: Path, *, library: str, of_library: bool) -> Iterator[ModuleCode]:
    """The modules of an archive that name ``library``; of its own archive the tests alone.

    Raises SourceError and IndexUnavailable.
    """
    with new_client() as client:
        archive = download(client, file, cache, most_bytes=_MOST_BYTES)
    members = read_members(
        archive,
        lambda name: name.endswith(".py") and (not of_library or is_test(name)),
        what=file.filename,
        most_files=_MOST_FILES,
        most_bytes=_LARGEST_FILE,
    )
    for path, data in members.items():
        names_it = library == STANDARD_LIBRARY or library.encode() in data
        if names_it and (module := read_module(path, data.decode("utf-8", "replace"))):
            yield module


def _is_wanted(name: str) -> bool:
    leaf = name.rpartition("/")[2].lower()
    at_top = name.count("/") <= 1 or ".dist-info/" in name
    return name.endswith(".py") or (
        at_top and (leaf in ("pkg-info", "metadata") or leaf.startswith(("licen", "copying")))
    )


def _licence(members: dict[str, bytes]) -> str | None:
    """What the metadata states, else what a licence file says."""
    texts = {
        name: data.decode("utf-8", "replace") for name, data in members.items() if not name.endswith(".py")
    }
    metadata = next(
        (text for name, text in texts.items() if name.rpartition("/")[2] in ("PKG-INFO", "METADATA")), None
    )
    headers = HeaderParser().parsestr(metadata.partition("\n\n")[0]) if metadata is not None else None
    others = [text for name, text in texts.items() if name.rpartition("/")[2] not in ("PKG-INFO", "METADATA")]
    return licence_of_members(headers, others)


def _tops(members: dict[str, bytes]) -> frozenset[str]:
    """The packages and modules at the top of an archive."""
    found: set[str] = set()
    for name in members:
        parts = name.split("/")
        for part in parts[:3]:
            if part.endswith(".py"):
                found.add(part.removesuffix(".py"))
            elif part not in ("src", "lib", "tests", "test", "docs", "examples"):
                found.add(part)
    return frozenset(found)
