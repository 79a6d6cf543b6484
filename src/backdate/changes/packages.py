"""From names of packages to the repositories that hold them, by what their own releases say on the index.

Several packages may name one repository: addresses are compared in one spelling. Mirrors and forks are told
by their files (``construction/duplicates.py``): their first commit tells nothing, as whole families of
projects begin as clones of one skeleton.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from packaging.version import Version

from backdate.errors import UsageError
from backdate.index.addresses import document_url
from backdate.index.page import IndexFile
from backdate.index.upstream import IndexClient
from backdate.text import UNREADABLE

_METADATA_BYTES = 4 * 1024 * 1024
_MOST_FILES_ASKED = 3
_HOSTS = {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"}
_SOURCE_LABEL = re.compile(r"source|repo|code|git(?:hub|lab)?\b|scm|development|bitbucket", re.IGNORECASE)
_HOME_LABEL = re.compile(r"home|website|download", re.IGNORECASE)
_NOT_OWNERS = {"sponsors", "orgs", "marketplace", "apps", "topics", "features", "settings", "about", "users"}
_PART = re.compile(r"[A-Za-z0-9_.][\w.-]{0,99}\Z", re.ASCII)


class NoRepository(StrEnum):
    """Why a package leads to no repository."""

    NOT_A_NAME = "not-a-name"
    NOT_ON_INDEX = "not-on-index"
    NO_METADATA = "no-metadata"
    """The index serves none beside its files, and no JSON document of it."""
    NO_ADDRESS = "no-address"
    """Its metadata name no repository on a known host."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRepository:
    """A repository, and the packages that say that they are developed there."""

    address: str
    """``https://github.com/owner/name``."""
    name: str
    """``owner/name``."""
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageWithout:
    """A package that leads to no repository."""

    package: str
    reason: NoRepository
    detail: str = ""


def repositories_of(
    packages: Iterable[str], client: IndexClient
) -> tuple[list[PackageRepository], list[PackageWithout]]:
    """The repositories of ``packages``, each once, in the order of their first package; and the others.

    Raises IndexUnavailable when the index cannot be reached.
    """
    found: dict[str, PackageRepository] = {}
    without: list[PackageWithout] = []
    for package in dict.fromkeys(packages):
        address = _address_of(package, client)
        if isinstance(address, PackageWithout):
            without.append(address)
            continue
        key = address.lower()
        known = found[key].packages if key in found else ()
        first = found[key].address if key in found else address
        name = first.split("/", 3)[3]
        found[key] = PackageRepository(address=first, name=name, packages=(*known, package))
    return list(found.values()), without


def repository_address(metadata: bytes) -> str | None:
    """The address of the repository that core metadata name; None where they name none on a known host.

    What is labelled as the source comes before the home page, and that before all other addresses.
    """
    from backdate.index.core_metadata import read_core_metadata  # with every licence that there is

    read = read_core_metadata(metadata)
    if read is None:
        return None
    raw = read[0]
    labelled = [("home", raw.get("home_page", "")), ("download", raw.get("download_url", ""))]
    labelled += list(raw.get("project_urls", {}).items())
    return _best_address(labelled)


def address_in_document(document: bytes) -> str | None:
    """The same of a project's JSON document, which repeats the metadata of its newest release."""
    try:
        info = json.loads(document).get("info")
    except (ValueError, RecursionError, AttributeError):
        return None
    if not isinstance(info, dict):
        return None
    urls = info.get("project_urls")
    labelled = [("home", info.get("home_page")), ("download", info.get("download_url"))]
    labelled += list(urls.items()) if isinstance(urls, dict) else []
    return _best_address((label, url) for label, url in labelled if isinstance(url, str))


def _address_of(package: str, client: IndexClient) -> str | PackageWithout:
    try:
        page = client.project_page(package)
    except UsageError as error:
        return PackageWithout(package=package, reason=NoRepository.NOT_A_NAME, detail=str(error))
    if not page.exists:
        return PackageWithout(package=package, reason=NoRepository.NOT_ON_INDEX)
    files = sorted((file for file in page.files if file.has_metadata), key=_newest, reverse=True)
    answered = False
    for file in files[:_MOST_FILES_ASKED]:
        answer = client.fetcher.get(f"{file.url}.metadata", {}, max_bytes=_METADATA_BYTES)
        if answer.status != 200:
            answer.close()
            continue
        answered = True
        address = repository_address(answer.body())
        if address is not None:
            return address
    if not answered:
        url = document_url(page.upstream.rstrip("/"), page.name)
        answer = client.fetcher.get(url, {"accept": "application/json"})
        answered = answer.status == 200
        address = address_in_document(answer.body()) if answered else None
        answer.close()
        if address is not None:
            return address
    reason = NoRepository.NO_ADDRESS if answered else NoRepository.NO_METADATA
    return PackageWithout(package=package, reason=reason)


def _newest(file: IndexFile) -> tuple[bool, bool, Version]:
    """Releases that are neither yanked nor pre-releases come last."""
    try:
        version = Version(file.version or "0")
    except UNREADABLE:
        version = Version("0")
    return not file.yanked, not version.is_prerelease, version


def _best_address(labelled: Iterable[tuple[str, str]]) -> str | None:
    ranked = sorted(labelled, key=lambda item: _rank(item[0]))  # stable: as they are written
    return next((address for _, url in ranked if (address := _normal(url)) is not None), None)


def _rank(label: str) -> int:
    if _SOURCE_LABEL.search(label):
        return 0
    return 1 if _HOME_LABEL.search(label) else 2


def _normal(url: str) -> str | None:
    """``https://host/owner/name`` of an address on a known host; None for any other."""
    try:
        parts = urlsplit(url.strip().removeprefix("git+"))
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    names = [name for name in parts.path.split("/") if name]
    if host not in _HOSTS or len(names) < 2 or names[0].lower() in _NOT_OWNERS:
        return None
    owner, name = names[0], names[1].removesuffix(".git")
    if not _PART.match(owner) or not _PART.match(name) or name in (".", ".."):
        return None
    return f"https://{host}/{owner}/{name}"
