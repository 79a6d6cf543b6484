"""The pages that a server has ready to be cut: kept in memory, read from the cache, or fetched.

Requests that wait for the same page at the same time wait for one reading of it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from backdate.index.allocator import Trimmer, give_back
from backdate.index.page import Microseconds
from backdate.index.page_store import SerialisedPage
from backdate.index.rendering import ReadyPage, make_ready, our_location, upstream_location
from backdate.index.upstream import IndexClient

_FETCHING_THREADS = 8
_LARGE_PAGE_BYTES = 512 * 1024
"""Larger pages are written in another form one at a time."""

T = TypeVar("T")


async def in_thread(pool: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """What ``work`` returns, done by a thread of ``pool``."""
    return await asyncio.get_running_loop().run_in_executor(pool, work)


class ReadyPages:
    """Pages by project and form, the most recently used last."""

    def __init__(
        self,
        client: IndexClient,
        pool: ThreadPoolExecutor,
        *,
        memory_bytes: int,
        keep_yanked: bool,
        through: bool,
    ) -> None:
        """``pool``: the threads that read the cache. ``memory_bytes``: of all pages together.

        ``keep_yanked``: whether today's yanked flags are shown. ``through``: whether clients are told to
        fetch files from the server that shows them, not from the index itself.
        """
        self._client = client
        self._pool = pool
        # What waits for an index has threads of its own, so that nothing that is cached waits with it.
        self._fetching = ThreadPoolExecutor(_FETCHING_THREADS, thread_name_prefix="index-fetch")
        self._memory_bytes = memory_bytes
        self._keep_yanked = keep_yanked
        self._through = through
        self._trimmer = Trimmer()
        self._kept: OrderedDict[tuple[str, bool], ReadyPage] = OrderedDict()
        self._kept_bytes = 0
        self._under_way: dict[tuple[object, ...], asyncio.Task[ReadyPage | None]] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def close(self) -> None:
        """Stop the threads that fetch."""
        self._fetching.shutdown(wait=True, cancel_futures=True)

    async def get(self, name: str, at: Microseconds | None, *, is_json: bool) -> ReadyPage:
        """The page of a project, young enough to tell what was there at ``at`` (None: now)."""
        key = (name, is_json)
        ready = self._kept.get(key)
        if ready is not None and self._client.answers_for(ready.source, at):
            self._kept.move_to_end(key)
            return ready
        ready = await self._shared((*key, at), partial(self._cached, name, at, is_json=is_json))
        if ready is None:
            ready = await self._shared(key, partial(self._fetched, name, at, is_json=is_json))
            if ready is None or not self._client.answers_for(ready.source, at):
                return await self.get(name, at, is_json=is_json)
        self._keep(key, ready)
        return ready

    async def _shared(
        self, key: tuple[object, ...], make: Callable[[], Awaitable[ReadyPage | None]]
    ) -> ReadyPage | None:
        """What ``make`` returns, once for all requests that wait for the same at the same time."""
        task = self._under_way.get(key)
        if task is not None:
            return await asyncio.shield(task)
        task = self._under_way[key] = asyncio.ensure_future(make())
        try:
            return await asyncio.shield(task)
        finally:
            self._under_way.pop(key, None)
            del task  # a failure holds this frame, and would hold itself by it

    async def serialised(self, name: str, at: Microseconds | None) -> SerialisedPage:
        """The page of a project as it is stored, young enough to tell what was there at ``at``."""
        page = await in_thread(self._pool, partial(self._client.cached_page, name, at))
        if page is None:
            page = await in_thread(self._fetching, partial(self._client.serialised_page, name, at))
        return page

    async def _cached(self, name: str, at: Microseconds | None, *, is_json: bool) -> ReadyPage | None:
        def load() -> ReadyPage | None:
            page = self._client.cached_page(name, at)
            return None if page is None else self._make_ready(page, is_json=is_json)

        return await in_thread(self._pool, load)

    async def _fetched(self, name: str, at: Microseconds | None, *, is_json: bool) -> ReadyPage:
        def fetch() -> ReadyPage:
            return self._make_ready(self._client.serialised_page(name, at), is_json=is_json)

        return await in_thread(self._fetching, fetch)

    def _make_ready(self, page: SerialisedPage, *, is_json: bool) -> ReadyPage:
        name = page.name
        locate = our_location(name) if self._through else upstream_location
        if page.size_bytes <= _LARGE_PAGE_BYTES:
            return make_ready(page, is_json=is_json, keep_yanked=self._keep_yanked, locate=locate)
        with self._client.reading:
            try:
                return make_ready(page, is_json=is_json, keep_yanked=self._keep_yanked, locate=locate)
            finally:
                give_back()

    def note_made(self, size_bytes: int) -> None:
        """Give memory back to the system when much of it was used for what is no longer there."""
        if self._trimmer.made(size_bytes):
            self._pool.submit(give_back)

    def _keep(self, key: tuple[str, bool], ready: ReadyPage) -> None:
        if not ready.source.exists:
            return
        self.note_made(3 * ready.size_bytes)  # the page itself, and what it was read from
        previous = self._kept.pop(key, None)
        self._kept_bytes += ready.size_bytes - (previous.size_bytes if previous else 0)
        self._kept[key] = ready
        while self._kept_bytes > self._memory_bytes and len(self._kept) > 1:
            self._kept_bytes -= self._kept.popitem(last=False)[1].size_bytes
