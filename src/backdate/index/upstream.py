"""A caching client of package indexes, for the server and for the rest of backdate.

What an index lists for an instant well before the request changes only by yanks and deletions. A page is
therefore valid for ever for such instants, and requested again (conditionally) only for later ones. Files
without an upload time are never shown, and a project without any upload times is an error that names it:
showing all of its files would include later ones.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from backdate.errors import UsageError
from backdate.index.addresses import PUBLIC_INDEX, check_upstream
from backdate.index.cache import DiskCache
from backdate.index.deadline import deadline
from backdate.index.http import Fetcher, IndexFailure
from backdate.index.names import is_project_name, normalise
from backdate.index.page import Microseconds, ProjectPage, to_microseconds
from backdate.index.page_store import SerialisedPage, to_page
from backdate.index.together import IndexStrategy, merge_pages
from backdate.timeline.instants import Instant, format_instant, now

if TYPE_CHECKING:
    import httpx

    from backdate.index.credentials import Sign

logger = logging.getLogger(__name__)

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
        from backdate.index.page_request import request_page

        with deadline(self.fetcher.timeout_s):
            fetched = request_page(
                self.fetcher, upstream, name, known=page, asked=asked, parsing=self.reading
            )
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


def _not_cached(upstream: str, name: str, page: SerialisedPage | None) -> IndexFailure:
    if page is None:
        return IndexFailure(f"offline, and {name!r} of {upstream} is not in the cache", status=504)
    moment = format_instant(to_page(page).fetched_at)
    return IndexFailure(
        f"offline, and {name!r} of {upstream} was last asked at {moment}, before the wanted instant",
        status=504,
    )
