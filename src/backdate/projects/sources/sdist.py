"""An sdist of the package index as a source. Its instant is the time at which it was uploaded."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from email.parser import HeaderParser
from pathlib import Path

from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.errors import ConfigurationError, SourceError, SourceProblem
from backdate.index.upstream import IndexClient
from backdate.projects.project import Origin
from backdate.projects.read import read_text
from backdate.projects.sources.archives import ARCHIVE_SUFFIXES, Unpacked, unpack
from backdate.projects.sources.download import download, kept_file, new_client
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant, format_day

_DOWNLOAD_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageInfo:
    """What the PKG-INFO of an sdist says (core metadata)."""

    name: str | None
    version: str | None


def fetch_sdist(
    source: SdistSource,
    target: Path,
    *,
    client: IndexClient,
    before: Instant | None,
    cache: Path,
    limits: TreeLimits,
) -> tuple[Origin, int]:
    """Unpack the sdist to ``target``; say where it came from and how many Python files it has.

    ``cache`` keeps the downloaded file by its hash. Raises SourceError when there is no such sdist or it
    is not sound, and IndexUnavailable when the index does not do its part.
    """
    chosen = choose_sdist(fetch_listing(client, source.name), source, before)
    archive = kept_file(chosen, cache)
    if archive is None:
        with new_client() as downloading:
            archive = download(downloading, chosen, cache, most_bytes=_DOWNLOAD_BYTES)
    what = f"the sdist {chosen.filename}"
    unpacked = _unpack_single(archive, target, what, limits)
    info = read_package_info(target)
    _check_identity(info, source.name, chosen)
    origin = Origin(
        kind="sdist",
        location=f"{source.name}=={chosen.version}",
        revision=chosen.sha256,
        dated=chosen.uploaded,
        version_hint=str(chosen.version),
        missing=unpacked.missing,
    )
    return origin, unpacked.python_files


def choose_sdist(files: tuple[ListedFile, ...], source: SdistSource, before: Instant | None) -> ListedFile:
    """The sdist that ``source`` means among ``files`` uploaded strictly before ``before``.

    Without a version: the sdist of the latest final version that is not yanked. Raises SourceError,
    saying what there is instead, when there is none.
    """
    name = source.name
    visible = [file for file in files if before is None or file.uploaded < before]
    when = f" before {format_day(before)}" if before is not None else ""
    if not visible:
        raise SourceError(
            f"{name} has no file on the index{when}{_first_upload(files)}", SourceProblem.NOT_ON_INDEX
        )
    if source.version is not None:
        version = source.version
        of_version = [file for file in visible if file.version == version]
        if not of_version:
            later = [file for file in files if file.version == version]
            latest = max(file.version for file in visible)
            hint = _first_upload(tuple(later)) or f"; the latest version{when} is {latest}"
            raise SourceError(f"{name} {version} is not on the index{when}{hint}", SourceProblem.NOT_ON_INDEX)
    else:
        final = [f for f in visible if not f.version.is_prerelease and not f.yanked]
        if not final:
            raise SourceError(
                f"{name} has no final version{when} that is not yanked; name one: "
                f"pypi:{name}=={max(file.version for file in visible)}",
                SourceProblem.NO_FINAL_VERSION,
            )
        version = max(file.version for file in final)
        of_version = [file for file in final if file.version == version]
    sdists = [file for file in of_version if file.sdist]
    if not sdists:
        older = [file.version for file in visible if file.sdist]
        hint = f"; the latest version with an sdist is {max(older)}" if older else ""
        raise SourceError(
            f"{name} {version} has only wheels{when}, no sdist: its sources are not on the index{hint}",
            SourceProblem.ONLY_WHEELS,
        )
    return min(sdists, key=_preference)


def read_package_info(root: Path) -> PackageInfo:
    """Name and version from PKG-INFO at the top of an sdist; None where it does not say."""
    try:
        text = read_text(root, "PKG-INFO") or ""
    except ConfigurationError:
        text = ""
    headers = HeaderParser().parsestr(text.partition("\n\n")[0])
    return PackageInfo(name=_header(headers.get("Name")), version=_header(headers.get("Version")))


def _header(value: object) -> str | None:
    return str(value).strip() if value is not None else None


def _first_upload(files: tuple[ListedFile, ...]) -> str:
    return f"; it was first uploaded on {format_day(min(f.uploaded for f in files))}" if files else ""


def _preference(file: ListedFile) -> int:
    return next(i for i, suffix in enumerate(ARCHIVE_SUFFIXES) if file.filename.endswith(suffix))


def _unpack_single(archive: Path, target: Path, what: str, limits: TreeLimits) -> Unpacked:
    """Unpack to ``target``, without the one folder that an sdist keeps everything in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpack-") as temporary:
        whole = Path(temporary) / "tree"
        unpacked = unpack(archive, whole, what=what, limits=limits)
        tops = list(whole.iterdir())
        single = tops[0] if len(tops) == 1 and tops[0].is_dir() and not tops[0].is_symlink() else None
        shutil.move(single or whole, target)
    if single is None:
        return unpacked
    inner = tuple(name.removeprefix(f"{single.name}/") for name in unpacked.missing)
    return replace(unpacked, missing=inner)


def _check_identity(info: PackageInfo, name: str, chosen: ListedFile) -> None:
    """Refuse an sdist whose PKG-INFO names another distribution or version than its file name."""
    if info.name is not None and canonicalize_name(info.name) != name:
        raise SourceError(f"{chosen.filename} holds the distribution {info.name!r}, not {name}")
    try:
        same = info.version is None or Version(info.version) == chosen.version
    except UNREADABLE:
        same = True  # an old version that PEP 440 does not know; the file name is what the index goes by
    if not same:
        raise SourceError(f"{chosen.filename} holds version {info.version}, not {chosen.version}")
