"""The ASGI application: from a request's path and headers to a complete response.

There is no framework, because a request for a cached page should cost one look-up and two messages.
"""

from __future__ import annotations

import gzip
import logging
import math
import time
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from backdate.errors import BackdateError
from backdate.index.banner import banner_answer, health_answer
from backdate.index.files import Delivery, FileStore, find_file, wanted
from backdate.index.http import IndexFailure
from backdate.index.page import Microseconds, from_microseconds, to_microseconds
from backdate.index.page_store import SerialisedPage
from backdate.index.peers import is_of_this_user
from backdate.index.policy import Policy, ProjectHidden
from backdate.index.ready_pages import ReadyPages, in_thread
from backdate.index.rendering import (
    Form,
    ReadyPage,
    cut,
)
from backdate.index.request_log import RequestLog
from backdate.index.responses import (
    COMPRESS_FROM_BYTES,
    HotKey,
    Message,
    ResponseStore,
    ServedResponse,
    accepts_gzip,
    choose_form,
    matches,
    page_answer,
    page_tag,
    redirect_answer,
    text_answer,
)
from backdate.index.routes import (
    Banner,
    FileRoute,
    Health,
    ProjectRoute,
    Redirect,
    RootRoute,
    UnknownPath,
    parse_path,
)
from backdate.index.upstream import FRESH_FOR_US, SETTLED_AFTER_US, IndexClient
from backdate.timeline.instants import format_instant

logger = logging.getLogger(__name__)

_SENT_WHOLE_BYTES = 4 * 1024 * 1024
_PIECE_BYTES = 256 * 1024

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """Settings of a server."""

    policy: Policy = field(default_factory=Policy)
    files: Literal["direct", "through"] = "direct"
    """Whether clients fetch files from the index itself or through this server."""
    compress: Literal["auto", "always", "never"] = "auto"
    """``auto``: no compression for clients on this machine, where it costs more than copying."""
    memory_bytes: int = 30 * 1024 * 1024
    """Bytes of memory for cached pages and responses together."""
    threads: int = 16
    own_user: bool = False
    """Whether only processes of this user, and root's, are answered on a port of this machine."""


class Application:
    """The package index as it was at an instant, as an ASGI application."""

    def __init__(self, client: IndexClient, options: ServerOptions, *, log: RequestLog | None = None) -> None:
        self._client = client
        self._options = options
        self._log = log
        self._files = FileStore(client.fetcher, client.cache, offline=client.offline)
        self._answers = ResponseStore(options.memory_bytes // 2)
        self._hot = self._answers.hot
        self._spares_local = options.compress == "auto"
        self._pool = ThreadPoolExecutor(options.threads, thread_name_prefix="index")
        self._pages = ReadyPages(
            client,
            self._pool,
            memory_bytes=options.memory_bytes // 2,
            keep_yanked=options.policy.yanked == "today",
            through=options.files == "through",
        )
        self._streaming = ThreadPoolExecutor(options.threads, thread_name_prefix="index-file")

    def close(self) -> None:
        """Stop the worker threads."""
        self._pages.close()
        for pool in (self._streaming, self._pool):
            pool.shutdown(wait=True, cancel_futures=True)
        if self._log is not None:
            self._log.flush()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request (ASGI 3)."""
        if scope["type"] != "http":
            await _lifespan(scope, receive, send)
            return
        accept = encoding = if_none_match = b""
        for name, value in scope["headers"]:
            if name == b"accept":
                accept = accept + b"," + value if accept else value
            elif name == b"accept-encoding":
                encoding = value
            elif name == b"if-none-match":
                if_none_match = value
        if encoding and self._spares_local and _is_local(scope):
            encoding = b""
        path = scope["raw_path"]
        if self._options.own_user and not _is_own(scope):
            refused = text_answer(403, "this index is its user's alone")
            await send(refused.start)
            await send(refused.body)
            return
        key = (path, accept, encoding)
        answer = self._hot.get(key)
        method = scope["method"]
        if answer is None or answer.expires < time.monotonic() or method not in ("GET", "HEAD"):
            made = await self._answer(scope, method, key)
            if isinstance(made, Delivery):
                await self._send_file(scope, send, made)
                return
            answer = made
        status = answer.status
        if if_none_match and answer.etag and matches(if_none_match, answer.etag):
            status = 304
            await send(answer.not_modified())
            await send({"type": "http.response.body"})
        else:
            await send(answer.start)
            if method != "HEAD" and answer.size > _SENT_WHOLE_BYTES:
                await _send_in_pieces(send, answer.body["body"])
            else:
                await send({"type": "http.response.body"} if method == "HEAD" else answer.body)
        if self._log is not None:
            client = scope.get("client")
            self._log.record(
                client[0] if client else "-", method, path, status, answer.size if status != 304 else 0
            )

    async def _answer(self, scope: Scope, method: str, key: HotKey) -> ServedResponse | Delivery:
        if method not in ("GET", "HEAD"):
            return text_answer(405, f"{method} is not for a package index that is only read")
        route = parse_path(key[0])
        try:
            match route:
                case ProjectRoute():
                    return await self._project(route, key)
                case FileRoute():
                    return await self._file(route)
                case Redirect():
                    return redirect_answer(scope.get("root_path", "") + route.location)
                case RootRoute():
                    return self._root(route)
                case Banner():
                    return banner_answer(self._client.upstreams, self._client.offline)
                case Health():
                    return health_answer(self._client.upstreams, self._client.offline, len(self._pages))
                case UnknownPath():
                    return text_answer(route.status, route.message)
        except IndexFailure as error:
            return text_answer(error.status, str(error))
        except ProjectHidden as error:
            return text_answer(404, str(error))
        except BackdateError as error:
            return text_answer(400, str(error))

    def _root(self, route: RootRoute) -> ServedResponse:
        if route.when.instant is None and not self._client.offline and len(self._client.upstreams) == 1:
            return redirect_answer(self._client.upstreams[0], status=302)
        return text_answer(
            501,
            "no index tells which projects existed at an instant, so there is no list of them: "
            "ask for /simple/NAME/",
        )

    async def _project(self, route: ProjectRoute, key: HotKey) -> ServedResponse:
        form = choose_form(key[1])
        if form is None:
            shown = ", ".join(form.value for form in Form)
            return text_answer(406, f"none of the wanted types is served; these are: {shown}")
        name = route.name
        cutoff = self._options.policy.cutoff(name, route.when.instant, route.when.overrides)
        at = None if cutoff is None else to_microseconds(cutoff)
        ready = await self._pages.get(name, at, is_json=form is Form.JSON)
        effective = ready.source.fetched if at is None else at
        shown = format_instant(from_microseconds(effective))
        if not ready.source.exists:
            return text_answer(404, f"no index here knows a project {name!r}", cutoff=shown)
        visible = ready.visible_count(effective)
        if visible == 0:
            return text_answer(404, f"no file of {name!r} was uploaded before {shown}", cutoff=shown)
        zipped = self._options.compress != "never" and accepts_gzip(key[2])
        kept_as = (name, effective, form, zipped, ready.source.fetched)
        answer = self._answers.get(kept_as)
        if answer is None:
            answer = await self._make_page(ready, visible, effective, form, zipped=zipped)
            self._answers.keep(kept_as, answer)
        answer.expires = self._expiry(ready, at)
        self._answers.link(key, answer)
        return answer

    async def _make_page(
        self, ready: ReadyPage, visible: int, cutoff: Microseconds, form: Form, *, zipped: bool
    ) -> ServedResponse:
        body = cut(ready, cutoff)
        self._pages.note_made(len(body))
        zipped = zipped and len(body) >= COMPRESS_FROM_BYTES
        if zipped:
            body = await in_thread(self._pool, partial(gzip.compress, body, compresslevel=4, mtime=0))
        etag = page_tag(ready.digest, visible, form, zipped=zipped)
        shown = format_instant(from_microseconds(cutoff))
        return page_answer(body, form, etag=etag, cutoff=shown, zipped=zipped)

    def _expiry(self, ready: ReadyPage, at: Microseconds | None) -> float:
        fetched = ready.source.fetched
        if self._client.offline or (at is not None and at <= fetched - SETTLED_AFTER_US):
            return math.inf
        age_s = time.time() - fetched / 1e6
        return time.monotonic() + max(0.0, FRESH_FOR_US / 1e6 - age_s)

    async def _file(self, route: FileRoute) -> ServedResponse | Delivery:
        if self._options.files != "through":
            return text_answer(404, "files do not go through this server (start it with --files through)")
        cutoff = self._options.policy.cutoff(route.name, route.when.instant, route.when.overrides)
        at = None if cutoff is None else to_microseconds(cutoff)

        def deliver(page: SerialisedPage) -> ServedResponse | Delivery:
            entry = find_file(page, route.filename, at)
            want = None if entry is None else wanted(entry, metadata=route.metadata)
            if want is None:
                return text_answer(404, f"{route.name!r} has no such file at this instant: {route.filename}")
            return self._files.deliver(want)

        page = await self._pages.serialised(route.name, at)
        return await in_thread(self._streaming, partial(deliver, page))

    async def _send_file(self, scope: Scope, send: Send, delivery: Delivery) -> None:
        headers = [
            (b"content-type", b"application/octet-stream"),
            (b"cache-control", b"public, max-age=31536000, immutable"),
        ]
        if delivery.size_bytes is not None:
            headers.append((b"content-length", b"%d" % delivery.size_bytes))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        sent = 0
        failed = False
        pool = self._pool if delivery.local else self._streaming
        try:
            while scope["method"] != "HEAD":
                chunk = await in_thread(pool, lambda: next(delivery.chunks, None))
                if chunk is None:
                    break
                sent += len(chunk)
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except (IndexFailure, OSError) as error:
            # The answer is left unfinished, which closes the connection: the client sees that.
            logger.warning("%s", error)
            failed = True
        finally:
            await in_thread(self._pool, delivery.close)
        if not failed:
            await send({"type": "http.response.body"})
        if self._log is not None:
            client = scope.get("client")
            self._log.record(
                client[0] if client else "-", scope["method"], scope["raw_path"], 502 if failed else 200, sent
            )


def _is_local(scope: Scope) -> bool:
    """Whether the client is on this machine (a Unix socket's client has no address)."""
    client = scope.get("client")
    return client is None or client[0].startswith("127.") or client[0] == "::1"


def _is_own(scope: Scope) -> bool:
    """Whether the client is a process of this user (who connects to a Unix socket may)."""
    client, server = scope.get("client"), scope.get("server")
    return client is None or server is None or is_of_this_user(tuple(client), tuple(server))


async def _send_in_pieces(send: Send, body: bytes) -> None:
    """Send a large body as fast as the client reads: whole, it would be copied for every client."""
    view = memoryview(body)
    for start in range(0, len(body), _PIECE_BYTES):
        piece = bytes(view[start : start + _PIECE_BYTES])
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body"})


async def _lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "lifespan":
        return
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
