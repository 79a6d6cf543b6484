"""A caching client of package indexes, for the server and for the rest of backdate.

What an index lists for an instant well before the request changes only by yanks and deletions. A page is
therefore valid for ever for such instants, and requested again (conditionally) only for later ones. Files
without an upload time are never shown, and a project without any upload times is an error that names it:
showing all of its files would include later ones.
"""

from __future__ import annotations

import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from backdate.errors import UsageError
from backdate.index.cache import DiskCache
from backdate.index.deadline import deadline
from backdate.index.http import Fetcher, IndexFailure, UpstreamResponse
from backdate.index.names import is_project_name, normalise
from backdate.index.page import Microseconds, ProjectPage, to_microseconds
from backdate.index.page_store import NO_FILES, SerialisedPage, serialise, to_page
from backdate.index.together import IndexStrategy, merge_pages
from backdate.timeline.instants import Instant, format_instant, now

if TYPE_CHECKING:
    import httpx

    from backdate.index.credentials import Sign
    from backdate.index.reading import ParsedPage

logger = logging.getLogger(__name__)

PUBLIC_INDEX = "https://pypi.org/simple/"
SETTLED_AFTER_US = 3_600_000_000
"""An index' own caches lag: its answer for the last hour before the request may lack files."""
FRESH_FOR_US = 600_000_000
"""How long a page is valid for instants that are not settled: PyPI's own max-age."""
ABSENT_FOR_US = 86_400_000_000
"""How long a 404 is believed: it may be a mistake of the index, which nothing else would correct."""
_MEMORY_PAGES = 64
_MEMORY_BYTES = 32 * 1024 * 1024
_WRITTEN_AT_ONCE_BYTES = 1024 * 1024
"""Larger pages do not wait in memory until they are written to the cache."""
_WAITING_BYTES = 4 * 1024 * 1024
"""Nor do further pages while so much waits for a slow disk."""

_JSON_TYPES = (
    "application/vnd.pypi.simple.v1+json",
    "application/vnd.pypi.simple.latest+json",
    "application/json",
)
_HTML_TYPES = ("text/html", "application/vnd.pypi.simple.v1+html", "application/vnd.pypi.simple.latest+html")
_ACCEPT = f"{_JSON_TYPES[0]}, {_HTML_TYPES[1]};q=0.2, text/html;q=0.1"


def open_index(index_url: str, pages: Path) -> IndexClient:
    """A client of one index that keeps its pages in the folder ``pages``, for up to ten minutes; close it."""
    return IndexClient(upstreams=(index_url,), cache=DiskCache(pages))


class IndexClient:
    """Reads projects' pages from one index or several. Safe to share between threads; close it.

    With several, ``strategy`` says which of them has a project. With ``cache`` None pages are kept in memory
    only. ``offline`` sends no requests. ``refresh`` requests every page once more that was cached before this
    client. ``sign`` adds credentials to requests (default: the user's netrc).
    """

    def __init__(
        self,
        *,
        upstreams: Sequence[str] = (PUBLIC_INDEX,),
        strategy: IndexStrategy = IndexStrategy.FIRST_INDEX,
        sign: Sign | None = None,
        cache: DiskCache | None = None,
        offline: bool = False,
        refresh: bool = False,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], Instant] = now,
    ) -> None:
        if not upstreams:
            raise UsageError("an index client needs at least one index")
        self.upstreams = tuple(check_upstream(url) for url in upstreams)
        self.strategy = strategy
        self.cache = cache
        self.offline = offline
        self.fetcher = Fetcher(timeout_s=timeout_s, transport=transport, sign=sign)
        self._clock = clock
        self._refresh_before = to_microseconds(clock()) if refresh else 0
        self._lock = threading.Lock()
        self._under_way: dict[tuple[str, str], Future[SerialisedPage]] = {}
        self._memory: OrderedDict[tuple[str, str], SerialisedPage] = OrderedDict()
        self._unwritten: dict[tuple[str, str], SerialisedPage] = {}
        self.reading = threading.Lock()
        """One page is parsed at a time: threads would not make it faster, and each takes memory."""
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="index-cache")

    def __enter__(self) -> IndexClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write pending pages to the cache and close the connections."""
        self._writer.shutdown(wait=True)
        self.fetcher.close()

    def project_page(self, name: str, *, at: Instant | None = None) -> ProjectPage:
        """Every file of the project ``name``, with upload times.

        The page is recent enough to be complete for the instant ``at`` (default: this moment).
        ``page.exists`` is False when no index knows the project. Raises UsageError for what is no
        project's name, IndexFailure (an IndexUnavailable) when there is no usable response.
        """
        if not is_project_name(name):
            raise UsageError(f"{name!r} is not a project's name")
        page = self.serialised_page(normalise(name), None if at is None else to_microseconds(at))
        self._writer.submit(lambda: None).result()  # what was returned is in the cache
        return to_page(page)

    def serialised_page(self, name: str, at: Microseconds | None) -> SerialisedPage:
        """The page of the project ``name`` (normalised), complete for ``at`` (None: this moment)."""
        return self._chosen(self.page_of(upstream, name, at) for upstream in self.upstreams)

    def _chosen(self, pages: Iterable[SerialisedPage]) -> SerialisedPage:
        """What is shown of the pages that the indexes have, which are asked for one after the other."""
        if self.strategy is IndexStrategy.UNSAFE_BEST_MATCH:
            return merge_pages(list(pages))
        for page in pages:
            if page.exists:
                break
        return page

    def cached_page(self, name: str, at: Microseconds | None) -> SerialisedPage | None:
        """What ``serialised_page`` returns where no index has to be asked for it; else None."""
        pages = []
        for upstream in self.upstreams:
            page = self._cached(upstream, name, at)
            if page is None:
                return None
            pages.append(page)
            if page.exists and self.strategy is IndexStrategy.FIRST_INDEX:
                break
        return self._chosen(pages)

    def answers_for(self, page: SerialisedPage, at: Microseconds | None) -> bool:
        """Whether ``page`` is still valid for the instant ``at``."""
        if self.offline:
            return at is None or at <= page.fetched
        if page.outdated or page.fetched < self._refresh_before:
            return False
        age = to_microseconds(self._clock()) - page.fetched
        if at is not None and at <= page.fetched - SETTLED_AFTER_US:
            return page.exists or age < ABSENT_FOR_US
        return age < FRESH_FOR_US and (at is None or at <= page.fetched)

    def page_of(self, upstream: str, name: str, at: Microseconds | None) -> SerialisedPage:
        """The page that one index has of a project, complete for ``at``; asked for once at a time."""
        cached = self._cached(upstream, name, at)
        if cached is not None:
            return cached  # even while another request waits for the index
        key = (upstream, name)
        with self._lock:
            under_way = self._under_way.get(key)
            if under_way is None:
                mine: Future[SerialisedPage] = Future()
                self._under_way[key] = mine
        if under_way is not None:
            page = under_way.result()
            return page if self.answers_for(page, at) else self.page_of(upstream, name, at)
        try:
            page = self._fetched(upstream, name, at)
        except IndexFailure as error:
            # Not the exception itself, whose frames hold what was answered.
            failure = IndexFailure(str(error), status=error.status)
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            mine.set_result(page)
            return page
        finally:
            with self._lock:
                del self._under_way[key]
        mine.set_exception(failure)
        try:
            raise failure
        finally:
            del failure, mine  # a frame that holds its own exception is freed only by the collector

    def _cached(self, upstream: str, name: str, at: Microseconds | None) -> SerialisedPage | None:
        page = self._load(upstream, name)
        return page if page is not None and self.answers_for(page, at) else None

    def _fetched(self, upstream: str, name: str, at: Microseconds | None) -> SerialisedPage:
        page = self._load(upstream, name)
        if page is not None and self.answers_for(page, at):
            return page
        if self.offline:
            raise _not_cached(upstream, name, page)
        asked = to_microseconds(self._clock())
        with deadline(self.fetcher.timeout_s):
            fetched = self._fetch(upstream, name, page, asked)
        self._store(fetched)
        return fetched

    def _load(self, upstream: str, name: str) -> SerialisedPage | None:
        with self._lock:
            page = self._unwritten.get((upstream, name)) or self._memory.get((upstream, name))
        if page is None and self.cache is not None:
            page = self.cache.load_page(upstream, name)
        return page

    def _store(self, page: SerialisedPage) -> None:
        if page.exists and not page.times:
            return  # a page without files may be a gateway's greeting: it is asked again
        key = (page.upstream, page.name)
        if self.cache is None:
            self._remember(key, page)
            return
        if page.size_bytes > _WRITTEN_AT_ONCE_BYTES:
            with self.reading:
                self._write(key, page)
            return
        with self._lock:
            waiting = sum(other.size_bytes for other in self._unwritten.values())
            waits = waiting + page.size_bytes <= _WAITING_BYTES
            if waits:
                self._unwritten[key] = page
        if waits:
            self._writer.submit(self._write, key, page)  # nobody who asked has to wait for the disk
        else:
            self._write(key, page)

    def _write(self, key: tuple[str, str], page: SerialisedPage) -> None:
        assert self.cache is not None
        if not self.cache.store_page(page):
            self._remember(key, page)
        with self._lock:
            if self._unwritten.get(key) is page:
                del self._unwritten[key]

    def _remember(self, key: tuple[str, str], page: SerialisedPage) -> None:
        with self._lock:
            self._memory[key] = page
            self._memory.move_to_end(key)
            size = sum(page.size_bytes for page in self._memory.values())
            while len(self._memory) > _MEMORY_PAGES or (size > _MEMORY_BYTES and len(self._memory) > 1):
                size -= self._memory.popitem(last=False)[1].size_bytes

    def _fetch(
        self, upstream: str, name: str, known: SerialisedPage | None, asked: Microseconds
    ) -> SerialisedPage:
        headers = {"accept": _ACCEPT}
        if known is not None and known.outdated:
            known = None
        if known is not None and known.etag:
            headers["if-none-match"] = known.etag
        if known is not None and known.last_modified:
            headers["if-modified-since"] = known.last_modified
        answer = self.fetcher.get(f"{upstream}{name}/", headers)
        if answer.status == 304 and known is not None:
            return known.confirmed(asked)
        if answer.status in (404, 410):
            return serialise(name, NO_FILES, upstream=upstream, fetched=asked, exists=False)
        if answer.status != 200:
            raise IndexFailure(
                f"{answer.url} answered {answer.status}: nothing is shown of {name!r}{_wanted(answer.status)}"
            )
        with self.reading, closing(answer):
            reading = self._read(answer, name)
            if not reading.lacks_times:
                return _serialised(reading, answer, upstream, name, asked)
        document = self._fetch_document(upstream, name)
        with self.reading:
            reading = self._read_document(document, upstream, name)
            return _serialised(reading, answer, upstream, name, asked)

    def _read(self, answer: UpstreamResponse, name: str) -> ParsedPage:
        from backdate.index.reading import UnusableAnswer, read_json
        from backdate.index.reading_html import read_html

        try:
            if answer.content_type in _JSON_TYPES:
                reading = read_json(answer.body(), base=answer.url, name=name)
            elif answer.content_type in _HTML_TYPES:
                reading = read_html(answer.body(), base=answer.url, name=name)
            else:
                kind = answer.content_type
                raise IndexFailure(f"{answer.url} answered {name!r} with the content type {kind!r}: no page")
        except UnusableAnswer as error:
            raise IndexFailure(f"{answer.url} gave no usable page of {name!r}: {error}") from error
        return reading

    def _fetch_document(self, upstream: str, name: str) -> UpstreamResponse:
        """The project's JSON document, which tells upload times where the page does not."""
        try:
            answer = self.fetcher.get(document_url(upstream, name), {"accept": "application/json"})
        except IndexFailure as error:
            raise _no_times(upstream, name, error) from error
        if answer.status != 200:
            raise _no_times(upstream, name, f"answered {answer.status}")
        return answer

    def _read_document(self, answer: UpstreamResponse, upstream: str, name: str) -> ParsedPage:
        from backdate.index.reading import UnusableAnswer, read_project_document

        try:
            reading = read_project_document(answer.body(), base=answer.url, name=name)
        except UnusableAnswer as error:
            raise _no_times(upstream, name, error) from error
        if reading.lacks_times:
            raise _no_times(upstream, name, "has none either")
        return reading


def _serialised(
    reading: ParsedPage, answer: UpstreamResponse, upstream: str, name: str, asked: Microseconds
) -> SerialisedPage:
    return serialise(
        name,
        reading.files,
        upstream=upstream,
        fetched=asked,
        etag=answer.etag,
        last_modified=answer.last_modified,
        hidden=reading.hidden,
        listed_versions=reading.listed_versions,
    )


def document_url(upstream: str, name: str) -> str:
    """Where an index keeps the JSON document of the project ``name`` (normalised), if it keeps any."""
    return f"{upstream.removesuffix('/').removesuffix('/simple')}/pypi/{name}/json"


def _no_times(upstream: str, name: str, problem: object) -> IndexFailure:
    return IndexFailure(
        f"{upstream} gives no upload times for the project {name!r}, and {document_url(upstream, name)} "
        f"does not help ({problem}): it cannot be shown as of an instant; "
        "use an index that gives them (PEP 700)"
    )


def check_upstream(url: str) -> str:
    """The root URL of an index, with its trailing slash. Raises UsageError for an invalid one."""
    if url.rstrip("/") == PUBLIC_INDEX.rstrip("/"):
        return PUBLIC_INDEX  # without a parser of addresses, which takes long to import
    import httpx

    from backdate.index.credentials import NO_CREDENTIALS, has_credentials
    from backdate.index.reading import has_web_address

    if has_credentials(url):
        host = url.rpartition("@")[2]
        raise UsageError(f"the address of the index at {host} {NO_CREDENTIALS}")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise UsageError(f"{_shown(url)!r} is not a URL: {type(error).__name__}") from None
    if (
        not has_web_address(url)
        or parsed.scheme not in ("http", "https")
        or not parsed.host
        or parsed.query
        or parsed.fragment
    ):
        raise UsageError(f"{_shown(url)!r} is not the root of an index: write for example {PUBLIC_INDEX}")
    return str(parsed).rstrip("/") + "/"


def _shown(url: str) -> str:
    """``url``, which may be misspelled, without what may be a password or a token."""
    told = re.sub(r"[?#].*", "?…", url, flags=re.DOTALL)
    told = re.sub(r"(?is).*(?:@|%40)", "…@", told)
    return re.sub(r":(?!/*\d*(?:/|\Z))[^/]*(?=/|\Z)", ":…", told)  # what stands where a port does


def _wanted(status: int) -> str:
    """What to do where an index refuses."""
    from backdate.index.credentials import WANTED_CREDENTIALS

    return f"; {WANTED_CREDENTIALS}" if status in (401, 403) else ""


def _not_cached(upstream: str, name: str, page: SerialisedPage | None) -> IndexFailure:
    if page is None:
        return IndexFailure(f"offline, and {name!r} of {upstream} is not in the cache", status=504)
    moment = format_instant(to_page(page).fetched_at)
    return IndexFailure(
        f"offline, and {name!r} of {upstream} was last asked at {moment}, before the wanted instant",
        status=504,
    )
