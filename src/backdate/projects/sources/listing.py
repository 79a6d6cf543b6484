"""What the package index lists for one distribution: the simple repository API, JSON or HTML.

PEP 503 (HTML), 691 (JSON) and 700 (upload times). Some mirrors answer a request for JSON in HTML, with
the upload time as ``data-upload-time`` on each link; both are read. What an instant
sees cannot be told without upload times, so a listing without any is an error, and a file
without one is hidden.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import httpx
import msgspec
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from backdate.errors import IndexUnavailable, InstantError, SourceError
from backdate.projects.sources.archives import ARCHIVE_SUFFIXES
from backdate.timeline.instants import Instant, parse_instant

_ACCEPT = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
_PAGE_BYTES = 128 * 1024 * 1024
_TIMEOUT = httpx.Timeout(30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """One file of a distribution, with what the index says of it."""

    filename: str
    url: str
    """Absolute."""
    version: Version
    uploaded: Instant
    sha256: str | None
    yanked: bool
    sdist: bool
    """Whether it is a source distribution of a kind that can be unpacked."""


def new_client() -> httpx.Client:
    """A client for the index: bounded waiting, redirects followed."""
    return httpx.Client(timeout=_TIMEOUT, follow_redirects=True)


def fetch_listing(client: httpx.Client, index_url: str, name: str) -> tuple[ListedFile, ...]:
    """The files of the distribution ``name`` (normalised), as listed.

    Raises SourceError when the index has no such distribution, and IndexUnavailable when it cannot
    be reached, answers in another format, or gives no upload times.
    """
    url = f"{index_url.rstrip('/')}/{name}/"
    try:
        with client.stream("GET", url, headers={"Accept": _ACCEPT}) as response:
            if response.status_code == 404:
                raise SourceError(f"{name} is not on the package index {index_url}; is the name right?")
            if response.status_code != 200:
                raise IndexUnavailable(f"{url} answered with status {response.status_code}; try again later")
            body = bytearray()
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > _PAGE_BYTES:
                    raise IndexUnavailable(f"{url} is larger than {_PAGE_BYTES:,} bytes")
            base = str(response.url)
            is_json = "json" in response.headers.get("content-type", "")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        words = str(error) or type(error).__name__
        raise IndexUnavailable(f"the package index {url} cannot be reached: {words}") from error
    return parse_listing(bytes(body), is_json=is_json, base_url=base, name=name)


def parse_listing(body: bytes, *, is_json: bool, base_url: str, name: str) -> tuple[ListedFile, ...]:
    """The files that a page of the simple API lists, but those whose name or time does not parse.

    Raises IndexUnavailable when the page is not one, or has files but not one upload time.
    """
    raw = _json_links(body, base_url) if is_json else _html_links(body)
    files = [file for link in raw if (file := _listed(link, base_url, name)) is not None]
    if raw and not any(link.uploaded for link in raw):
        raise IndexUnavailable(
            f"{base_url} gives no upload times, without which nobody can tell what there was at an "
            "instant; use an index with PEP 700, such as https://pypi.org/simple"
        )
    return tuple(files)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    url: str
    filename: str
    uploaded: str | None
    sha256: str | None
    yanked: bool


def _json_links(body: bytes, base_url: str) -> list[_Link]:
    try:
        page = msgspec.json.decode(body)
        return [_json_link(entry) for entry in page["files"]]
    except (
        msgspec.DecodeError,
        UnicodeDecodeError,
        RecursionError,
        KeyError,
        TypeError,
        AttributeError,
    ) as error:
        raise IndexUnavailable(f"{base_url} is not a page of the simple API (PEP 691): {error!r}") from error


def _json_link(entry: dict[str, Any]) -> _Link:
    hashes = entry.get("hashes") or {}
    uploaded, url = entry.get("upload-time"), entry["url"]
    digest = hashes.get("sha256")
    return _Link(
        url=str(url),
        filename=str(entry.get("filename") or _filename(str(url))),
        uploaded=uploaded if isinstance(uploaded, str) else None,
        sha256=digest if isinstance(digest, str) else None,
        yanked=bool(entry.get("yanked")),
    )


def _html_links(body: bytes) -> list[_Link]:
    parser = _Anchors()
    parser.feed(body.decode("utf-8", errors="replace"))
    parser.close()
    return [_html_link(attributes) for attributes in parser.found]


def _html_link(attributes: dict[str, str]) -> _Link:
    url, _, fragment = attributes["href"].partition("#")
    match = re.search(r"sha256=([0-9a-fA-F]{64})", fragment)
    return _Link(
        url=url,
        filename=_filename(url),
        uploaded=attributes.get("data-upload-time"),
        sha256=match[1] if match else None,
        yanked="data-yanked" in attributes,
    )


class _Anchors(HTMLParser):
    """Collects the attributes of every link."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            attributes = {key: value or "" for key, value in attrs}
            if attributes.get("href"):
                self.found.append(attributes)


def _filename(url: str) -> str:
    try:
        return unquote(urlsplit(url).path.rpartition("/")[2])
    except ValueError:
        return ""


def _listed(link: _Link, base_url: str, name: str) -> ListedFile | None:
    """None for what is no file of ``name``, has no upload time, or lies where no index keeps files."""
    version, sdist = _version_of(link.filename, name)
    if version is None or link.uploaded is None:
        return None
    try:
        uploaded = parse_instant(link.uploaded)
        url = urljoin(base_url, link.url)
    except (InstantError, ValueError):
        return None
    if urlsplit(url).scheme not in ("http", "https"):
        return None
    digest = link.sha256.lower() if link.sha256 else None
    return ListedFile(
        filename=link.filename,
        url=url,
        version=version,
        uploaded=uploaded,
        sha256=digest if digest and re.fullmatch(r"[0-9a-f]{64}", digest) else None,
        yanked=link.yanked,
        sdist=sdist,
    )


def _version_of(filename: str, name: str) -> tuple[Version | None, bool]:
    """The version that a file name carries, and whether it is an sdist.

    Old sdists keep dashes in their names, so the name is recognised rather than split off.
    """
    if "/" in filename or "\0" in filename:
        return None, False
    if filename.endswith((".whl", ".egg")):
        parts = filename.split("-")
        return (_version(parts[1]) if len(parts) > 2 else None), False
    for suffix in ARCHIVE_SUFFIXES:
        if filename.endswith(suffix):
            return _first_version(_splits(filename.removesuffix(suffix)), name), True
    return None, False


def _splits(stem: str) -> Iterable[tuple[str, str]]:
    for position, character in enumerate(stem[:200]):
        if character == "-":
            yield stem[:position], stem[position + 1 :]


def _first_version(splits: Iterable[tuple[str, str]], name: str) -> Version | None:
    for prefix, rest in splits:
        if canonicalize_name(prefix) == name and (version := _version(rest)) is not None:
            return version
    return None


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None
