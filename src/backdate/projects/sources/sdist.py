"""An sdist of the package index as a source. Its instant is the time at which it was uploaded."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

import httpx
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from backdate.errors import ConfigurationError, IndexUnavailable, SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.project import Origin
from backdate.projects.read import read_text
from backdate.projects.sources.archives import ARCHIVE_SUFFIXES, unpack
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits, safe_name
from backdate.serial import write_whole
from backdate.timeline.instants import Instant, format_day

_DOWNLOAD_BYTES = 1024 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageInfo:
    """What the PKG-INFO of an sdist says (core metadata)."""

    name: str | None
    version: str | None


def new_client() -> httpx.Client:
    """A client for files: bounded waiting, redirects followed."""
    return httpx.Client(timeout=httpx.Timeout(30.0), follow_redirects=True)


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
    with new_client() as downloading:
        archive = _download(downloading, chosen, cache)
    what = f"the sdist {chosen.filename}"
    python_files = _unpack_single(archive, target, what, limits)
    info = read_package_info(target)
    _check_identity(info, source.name, chosen)
    origin = Origin(
        kind="sdist",
        location=f"{source.name}=={chosen.version}",
        revision=chosen.sha256,
        dated=chosen.uploaded,
        version_hint=str(chosen.version),
    )
    return origin, python_files


def choose_sdist(files: tuple[ListedFile, ...], source: SdistSource, before: Instant | None) -> ListedFile:
    """The sdist that ``source`` means among ``files`` uploaded strictly before ``before``.

    Without a version: the sdist of the latest final version that is not yanked. Raises SourceError,
    saying what there is instead, when there is none.
    """
    name = source.name
    visible = [file for file in files if before is None or file.uploaded < before]
    when = f" before {format_day(before)}" if before is not None else ""
    if not visible:
        raise SourceError(f"{name} has no file on the index{when}{_first_upload(files)}")
    if source.version is not None:
        version = source.version
        of_version = [file for file in visible if file.version == version]
        if not of_version:
            later = [file for file in files if file.version == version]
            latest = max(file.version for file in visible)
            hint = _first_upload(tuple(later)) or f"; the latest version{when} is {latest}"
            raise SourceError(f"{name} {version} is not on the index{when}{hint}")
    else:
        final = [f for f in visible if not f.version.is_prerelease and not f.yanked]
        if not final:
            raise SourceError(
                f"{name} has no final version{when} that is not yanked; name one: "
                f"pypi:{name}=={max(file.version for file in visible)}"
            )
        version = max(file.version for file in final)
        of_version = [file for file in final if file.version == version]
    sdists = [file for file in of_version if file.sdist]
    if not sdists:
        older = [file.version for file in visible if file.sdist]
        hint = f"; the latest version with an sdist is {max(older)}" if older else ""
        raise SourceError(
            f"{name} {version} has only wheels{when}, no sdist: its sources are not on the index{hint}"
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


def _download(client: httpx.Client, file: ListedFile, cache: Path) -> Path:
    """The file, from ``cache`` or the index, its hash checked either way."""
    if file.sha256 is None:
        raise IndexUnavailable(f"the index gives no SHA-256 for {file.filename}, so it cannot be checked")
    path = cache / file.sha256[:2] / file.sha256 / safe_archive_name(file.filename)
    if path.is_file() and _sha256(path) == file.sha256:
        return path
    data = bytearray()
    try:
        with client.stream("GET", file.url) as response:
            if response.status_code != 200:
                raise IndexUnavailable(
                    f"{file.url} answered with status {response.status_code}; try again later"
                )
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > _DOWNLOAD_BYTES:
                    raise SourceError(f"{file.filename} is larger than {_DOWNLOAD_BYTES:,} bytes")
    except httpx.HTTPError as error:
        raise IndexUnavailable(f"{file.url} cannot be had: {error or type(error).__name__}") from error
    found = hashlib.sha256(data).hexdigest()
    if found != file.sha256:
        raise SourceError(f"{file.filename} is not what the index lists: SHA-256 {found}, not {file.sha256}")
    write_whole(path, bytes(data))
    return path


def safe_archive_name(filename: str) -> str:
    """A file name for the cache that keeps the suffix, which says how to unpack it."""
    suffix = next(s for s in ARCHIVE_SUFFIXES if filename.endswith(s))
    return safe_name(filename.removesuffix(suffix)) + suffix


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unpack_single(archive: Path, target: Path, what: str, limits: TreeLimits) -> int:
    """Unpack to ``target``, without the one folder that an sdist keeps everything in."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpack-") as temporary:
        whole = Path(temporary) / "tree"
        python_files = unpack(archive, whole, what=what, limits=limits)
        tops = list(whole.iterdir())
        single = tops[0] if len(tops) == 1 and tops[0].is_dir() and not tops[0].is_symlink() else None
        shutil.move(single or whole, target)
    return python_files


def _check_identity(info: PackageInfo, name: str, chosen: ListedFile) -> None:
    """Refuse an sdist whose PKG-INFO names another distribution or version than its file name."""
    if info.name is not None and canonicalize_name(info.name) != name:
        raise SourceError(f"{chosen.filename} holds the distribution {info.name!r}, not {name}")
    try:
        same = info.version is None or Version(info.version) == chosen.version
    except InvalidVersion:
        same = True  # an old version that PEP 440 does not know; the file name is what the index goes by
    if not same:
        raise SourceError(f"{chosen.filename} holds version {info.version}, not {chosen.version}")
