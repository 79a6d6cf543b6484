"""Fixtures: a fake index, a client of it, and servers before that client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_index import UPSTREAM, Browser, Clock, Upstream

from backdate.index.application import ServerOptions
from backdate.index.cache import DiskCache
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient


@pytest.fixture
def upstream() -> Upstream:
    return Upstream()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "cache")


@pytest.fixture
def make_client(upstream: Upstream, clock: Clock, cache: DiskCache) -> Iterator[Callable[..., IndexClient]]:
    made: list[IndexClient] = []

    def make(**options: Any) -> IndexClient:
        given = {
            "upstreams": [UPSTREAM],
            "cache": cache,
            "transport": httpx.MockTransport(upstream),
            "clock": clock,
        }
        client = IndexClient(**{**given, **options})
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(make_client: Callable[..., IndexClient]) -> IndexClient:
    return make_client()


@pytest.fixture
def serve() -> Iterator[Callable[..., Browser]]:
    started: list[tuple[SnapshotServer, Browser]] = []

    def start(client: IndexClient, **options: Any) -> Browser:
        server = SnapshotServer(client, ServerOptions(**options))
        server.start()
        browser = Browser(server)
        started.append((server, browser))
        return browser

    yield start
    for server, browser in started:
        browser.close()
        server.close()


@pytest.fixture
def browser(client: IndexClient, serve: Callable[..., Browser]) -> Browser:
    return serve(client)
