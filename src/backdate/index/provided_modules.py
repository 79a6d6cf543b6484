"""Find the distribution that provides a module, from the files that the index had at an instant.

A name proves nothing: whether ``foo`` on the index holds the module ``foo`` is read from the newest visible
file. Results are cached for ever, because a file never changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from packaging.metadata import RawMetadata
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.errors import StoredDataError, UsageError
from backdate.index.archive_names import modules_of, sdist_members, wheel_members
from backdate.index.core_metadata import read_core_metadata
from backdate.index.http import Fetcher, IndexFailure
from backdate.index.names import is_project_name
from backdate.index.page import IndexFile
from backdate.index.upstream import IndexClient
from backdate.index.wheel_tags import compiled_for
from backdate.serial import digest, from_json, to_json, write_whole
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant

MOST_CANDIDATES = 12
"""Candidates looked up for one module: each costs a page and a part of a file."""
_FILE_DEADLINE_S = 120.0
_TAIL_BYTES = 256 * 1024
_LARGEST_METADATA = 4 * 1024 * 1024
_LARGEST_TAIL = 8 * 1024 * 1024
_LARGEST_FILE = 24 * 1024 * 1024
"""Bytes fetched of an sdist, or of a wheel from an index without range requests."""


class ProvidedModules:
    """What the index knows of distributions: the ``Names`` that rules of repair ask."""

    def __init__(self, client: IndexClient, folder: Path | None = None) -> None:
        """``folder`` caches what was read from files; None: no cache."""
        self._client = client
        self._folder = folder

    def providers(self, module: str, candidates: Iterable[str], at: Instant) -> tuple[str, ...]:
        """Those of ``candidates`` whose newest file visible at ``at`` holds the module ``module``.

        Keeps their order. Candidates that cannot be fetched or read are left out.
        """
        distinct = list(dict.fromkeys(name for name in candidates if is_project_name(name)))
        return tuple(name for name in distinct[:MOST_CANDIDATES] if module in self.modules(name, at))

    def modules(self, name: str, at: Instant) -> tuple[str, ...]:
        """The dotted modules of the newest release of ``name`` visible at ``at``; none if unknown."""
        for file in _newest_files(self._files(name, at)):
            modules = self._modules_of_file(file)
            if modules is not None:
                return modules
        return ()

    def first_upload(self, name: str, wanted: str | None, after: Instant) -> Instant | None:
        """When a file of a version that is ``wanted`` was first uploaded after ``after``.

        A version ("1.0"), a specifier (">=0.2"), or None for any version. None when there is none, or when
        one was uploaded earlier.
        """
        files = [file for file in self._files(name, None) if _is_wanted(file.version, wanted)]
        first = min((file.upload_time for file in files), default=None)
        return first if first is not None and first >= after else None

    def versions(self, name: str, at: Instant) -> tuple[str, ...]:
        """The versions that were visible at ``at`` and are not yanked, oldest first; none if unknown."""
        versions = {file.version for file in self._files(name, at) if file.version and not file.yanked}
        return tuple(sorted(versions, key=_version))

    def has_wheels(self, name: str, at: Instant) -> bool:
        """Whether any wheel of it for Linux was visible at ``at``, for any interpreter."""
        return any(_for_linux(file.filename) for file in self._files(name, at))

    def wants_compiling(self, name: str, wanted: str, python: str, at: Instant) -> bool:
        """Whether the newest release in the specifier ``wanted`` visible at ``at`` has compiled wheels, and
        none of them for the interpreter ``python``: it would have to be compiled, as pandas 1.5 on 3.13."""
        files = [file for file in self._files(name, at) if not file.yanked and file.version]
        fitting = [file for file in files if _is_wanted(file.version, wanted)]
        newest = max((_version(file.version or "") for file in fitting), default=None)
        compiled = compiled_for(file for file in fitting if _version(file.version or "") == newest)
        return bool(compiled) and "cp" + "".join(python.split(".")[:2]) not in compiled

    def metadata(self, name: str, at: Instant) -> RawMetadata | None:
        """The core metadata of the newest release of ``name`` visible at ``at``.

        None where the index serves none beside its wheel (PEP 658), or they cannot be fetched or read.
        """
        served = [file for file in _newest_files(self._files(name, at)) if file.has_metadata]
        data = self._metadata_of_file(served[0]) if served else None
        known = None if data is None else read_core_metadata(data)
        return None if known is None else known[0]

    def _metadata_of_file(self, file: IndexFile) -> bytes | None:
        kept = self._folder / f"{digest('metadata', 1, file.url)}.txt" if self._folder else None
        if kept is not None and kept.is_file():
            return kept.read_bytes()
        if self._client.offline:
            return None
        try:
            answer = self._client.fetcher.get(
                f"{file.url}.metadata",
                {"accept-encoding": "identity"},
                max_bytes=_LARGEST_METADATA,
                deadline_s=_FILE_DEADLINE_S,
            )
        except IndexFailure:
            return None
        if answer.status != 200:
            return None
        data = answer.body()
        if kept is not None:
            write_whole(kept, data)
        return data

    def _files(self, name: str, at: Instant | None) -> tuple[IndexFile, ...]:
        try:
            page = self._client.project_page(name, at=at)
        except UsageError:
            return ()  # no project can have such a name
        return page.files if at is None else page.before(at)

    def _modules_of_file(self, file: IndexFile) -> tuple[str, ...] | None:
        """The modules in ``file``; None when it cannot be fetched or read."""
        kept = self._folder / f"{digest('modules', 1, file.url)}.json" if self._folder else None
        if kept is not None and kept.is_file():
            try:
                return from_json(tuple[str, ...], kept.read_bytes(), what=str(kept))
            except StoredDataError:
                kept.unlink(missing_ok=True)  # damaged: it is read again
        try:
            modules = _read(self._client.fetcher, file) if not self._client.offline else None
        except IndexFailure:
            return None
        if modules is not None and kept is not None:
            write_whole(kept, to_json(modules))
        return modules


def _for_linux(filename: str) -> bool:
    """Whether it is a wheel that Linux installs: of some distributions there are only others."""
    platform = filename.removesuffix(".whl").rpartition("-")[2]
    return filename.endswith(".whl") and (platform == "any" or "linux" in platform)


def _newest_files(files: Iterable[IndexFile]) -> list[IndexFile]:
    """A wheel and the sdist of the newest release that is no pre-release, best first."""
    usable = [file for file in files if file.version and not file.yanked]
    stable = [file for file in usable if not _version(file.version or "").is_prerelease] or usable
    newest = max((_version(file.version or "") for file in stable), default=None)
    latest = [file for file in stable if _version(file.version or "") == newest]
    wheels = sorted(
        (file for file in latest if file.filename.endswith(".whl")),
        key=lambda file: (
            "none-any" not in file.filename,
            "linux" not in file.filename,
            file.size_bytes or 0,
        ),
    )
    sdists = [file for file in latest if file.filename.endswith((".tar.gz", ".zip", ".tar.bz2", ".tgz"))]
    return [*wheels[:1], *sdists[:1]]


def _is_wanted(version: str | None, wanted: str | None) -> bool:
    """Whether ``version`` is the one, or suits the specifier, that is ``wanted``."""
    if wanted is None or version is None or version == wanted:
        return wanted is None or version == wanted
    try:
        return SpecifierSet(wanted).contains(version)
    except UNREADABLE:  # a version
        return False


def _version(text: str) -> Version:
    try:
        return Version(text)
    except UNREADABLE:
        return Version("0.dev0")


def _read(fetcher: Fetcher, file: IndexFile) -> tuple[str, ...] | None:
    if file.filename.endswith(".whl"):
        members = _wheel(fetcher, file)
        return None if members is None else modules_of(members)
    if (file.size_bytes or 0) > _LARGEST_FILE:
        return None
    answer = fetcher.get(
        file.url, {"accept-encoding": "identity"}, max_bytes=_LARGEST_FILE, deadline_s=_FILE_DEADLINE_S
    )
    if answer.status != 200:
        return None
    return modules_of(sdist_members(file.filename, answer.body()), sdist=True)


def _wheel(fetcher: Fetcher, file: IndexFile) -> tuple[str, ...] | None:
    """The names in a wheel: from its end, and from more of its end when the list is long."""
    for length in (_TAIL_BYTES, _LARGEST_TAIL):
        headers = {"range": f"bytes=-{length}", "accept-encoding": "identity"}
        answer = fetcher.get(file.url, headers, max_bytes=_LARGEST_FILE, deadline_s=_FILE_DEADLINE_S)
        if answer.status not in (200, 206):
            return None
        members = wheel_members(answer.body())
        if members is not None:
            return members
        if answer.status == 200:
            return None
    return None
