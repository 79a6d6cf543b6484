"""The only way from a sandbox to the network: an HTTP proxy of ours that lets named hosts through.

The sandbox has a network namespace of its own, with a loopback interface and nothing else. The proxy
listens at a Unix socket that is shown in it; inside, a small program forwards 127.0.0.1 to that socket (see
``inside/``). Names are resolved here. What is refused is kept by name: a build can then say what it wanted.

Tunnels (CONNECT) are for https: what is said in one is between the client and the host. Plain http is
forwarded one request a connection. A proxy that this machine's own environment names (HTTPS_PROXY, …) is
gone through.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import tempfile
import threading
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from backdate.errors import MachineError
from backdate.sandboxes.forwarding import forwarder_line, forwarder_mount
from backdate.sandboxes.gateway_upstream import (
    HEAD_BYTES,
    AddressLookup,
    UpstreamEndpoint,
    UpstreamProxy,
    connect,
    is_on_internet,
    own_proxy,
)
from backdate.sandboxes.interface import Mount

PORT = 3128
"""Where the forwarder listens inside. The network namespace is the sandbox's own, so nobody else does."""
_SOCKET = "/run/backdate/gateway"

_HEAD_S = 30.0
_CONNECT_S = 30.0
_CHUNK = 256 * 1024
_MOST_CONNECTIONS = 256
_MOST_REFUSED = 100
_MOST_WORKERS = 4
"""Threads that look up names."""
_START_S = 20.0

_HOP_HEADERS = ("connection", "proxy-connection", "proxy-authorization", "keep-alive", "host")
_ENDS = {
    400: "Bad Request",
    403: "Forbidden",
    502: "Bad Gateway",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The first request of a connection."""

    endpoint: UpstreamEndpoint
    tunnel: bool
    head: bytes
    """What is sent on to the host; empty for a tunnel."""


class Gateway:
    """The proxy, for as long as the ``with`` block runs.

    ``endpoints``: hosts and ports that may be reached, wherever they are. ``further``: gives more of them,
    asked once, when something else is wanted first; those must be on the internet, or at an address of the
    others. ``anywhere``: whether tunnels lead to every host of the internet, for programs of ours alone.
    ``internet``: the same for foreign programs, and for requests without a tunnel: nothing of this machine or
    its network is reached by any name or address.
    """

    def __init__(
        self,
        endpoints: Iterable[UpstreamEndpoint] = (),
        *,
        further: Callable[[], Collection[UpstreamEndpoint]] = frozenset,
        anywhere: bool = False,
        internet: bool = False,
    ) -> None:
        self._endpoints = frozenset(endpoints)
        self._further = further
        self._anywhere = anywhere
        self._internet = internet
        self._further_endpoints: frozenset[UpstreamEndpoint] | None = None
        self._refused: dict[str, None] = {}
        self._connections: set[asyncio.Task[Any] | None] = set()
        self._started = threading.Event()
        self._lookup = AddressLookup()
        self._loop = asyncio.new_event_loop()
        self._workers = ThreadPoolExecutor(_MOST_WORKERS, thread_name_prefix="gateway-worker")
        self._loop.set_default_executor(self._workers)
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)
        self._folder = tempfile.TemporaryDirectory(prefix="backdate-gateway-")
        self._path = Path(self._folder.name, "socket")
        self._problem: OSError | None = None

    def __enter__(self) -> Gateway:
        self._thread.start()
        if not self._started.wait(_START_S) or self._problem is not None:
            self.close()
            raise MachineError(f"the gateway of sandboxes cannot listen at {self._path}: {self._problem}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End every connection."""
        if not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # it ends at this moment
                self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_START_S)
        self._folder.cleanup()

    @property
    def refused(self) -> tuple[str, ...]:
        """What was wanted and not let through: "HOST:PORT", in the order of the first attempts."""
        return tuple(self._refused)

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What a sandbox has to show."""
        return (Mount(source=self._path, target=_SOCKET), forwarder_mount())

    @staticmethod
    def start_line(interpreter: Path) -> str:
        """The shell line that starts the forwarder inside, by any Python; it has to come first."""
        return forwarder_line(interpreter, _SOCKET, PORT)

    @staticmethod
    def variables(*, but: str = "") -> dict[str, str]:
        """The environment variables that lead clients to the forwarder, for every host ``but`` those.

        For every host means: also for a server of ours at 127.0.0.1 outside, which is reached by the same
        way.
        """
        proxies = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
        directly = dict.fromkeys(("no_proxy", "NO_PROXY"), but)
        return {**dict.fromkeys(proxies, f"http://127.0.0.1:{PORT}"), **directly}

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(
                asyncio.start_unix_server(self._serve, self._path, limit=HEAD_BYTES)
            )
            self._path.chmod(0o666)  # the user of the sandbox; the folder is this user's alone
        except OSError as error:
            self._problem = error
            self._started.set()
            self._loop.close()
            return
        self._started.set()
        try:
            self._loop.run_forever()
        finally:
            server.close()
            while tasks := asyncio.all_tasks(self._loop):
                # A task that is cancelled before it has started would not close its connection.
                self._loop.run_until_complete(asyncio.sleep(0))
                for task in tasks:
                    task.cancel()
                self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            self._loop.run_until_complete(asyncio.sleep(0))  # what was closed is let go of
            # A name that is still looked up is of no use any more, and may take seconds.
            self._workers.shutdown(wait=False, cancel_futures=True)
            self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # The loop knows a task only weakly: one that waits for an answer, of a client that has said all it
        # had to say, would be collected as garbage, its connection with it.
        task = asyncio.current_task()
        self._connections.add(task)
        try:
            if len(self._connections) <= _MOST_CONNECTIONS:
                await self._answer(reader, writer)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return  # the client went away, or sends what is no request
        except asyncio.CancelledError:
            return  # the gateway closes; asyncio would log the cancelled task as a fault
        finally:
            self._connections.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(_HEAD_S):
            head = await reader.readuntil(b"\r\n\r\n")
        request = parse_request(head)
        if request is None:
            await _end(writer, 400, "this is an HTTP proxy, and that is no request to one")
            return
        if not await self._is_allowed(request):
            self._refuse(request.endpoint)
            await _end(writer, 403, f"backdate: {request.endpoint} is not the package index")
            return
        try:
            async with asyncio.timeout(_CONNECT_S):
                proxy = own_proxy(request.endpoint, tunnel=request.tunnel)
                addresses = await self._checked_addresses(request.endpoint, proxy)
                if addresses == ():
                    self._refuse(request.endpoint)
                    await _end(writer, 403, f"backdate: {request.endpoint} is not on the internet")
                    return
                there, back = await connect(request.endpoint, addresses, proxy, tunnel=request.tunnel)
        except OSError as error:
            await _end(writer, 502, f"backdate: {request.endpoint} cannot be reached: {error}")
            return
        try:
            if request.tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                back.write(_through_proxy(request, proxy))
            await _both_ways(reader, writer, there, back)
        finally:
            back.close()

    async def _is_allowed(self, request: Request) -> bool:
        endpoint = request.endpoint
        if self._internet or endpoint in self._endpoints:
            return True
        if self._anywhere:  # a proxy of this machine's might reach what is private
            return request.tunnel and not is_private(endpoint.host)
        if self._further_endpoints is None:
            self._further_endpoints = frozenset(await asyncio.to_thread(self._further))
        return endpoint in self._further_endpoints

    async def _checked_addresses(
        self, endpoint: UpstreamEndpoint, proxy: UpstreamProxy | None
    ) -> tuple[str, ...] | None:
        """Where to connect to; None where a proxy of this machine finds that out. Empty: nowhere."""
        if proxy is None:
            return await self._addresses(endpoint)
        if not self._internet:
            return None  # it was looked at already
        try:
            # The proxy may reach more than this machine's user would let foreign code reach.
            return None if await self._addresses(endpoint) else ()
        except socket.gaierror:
            return None  # only the proxy knows the names of the internet

    async def _addresses(self, endpoint: UpstreamEndpoint) -> tuple[str, ...]:
        """Where ``endpoint`` is; only addresses that may be connected to."""
        found = await self._lookup.addresses(endpoint)
        if endpoint in self._endpoints:
            return found
        beside = {address for one in self._endpoints for address in await self._lookup.addresses(one)}
        return tuple(address for address in found if address in beside or is_on_internet(address))

    def _refuse(self, endpoint: UpstreamEndpoint) -> None:
        if len(self._refused) < _MOST_REFUSED:
            self._refused[str(endpoint)] = None


def is_private(host: str) -> bool:
    """Whether ``host`` is this machine, or written as an address that is not of the internet."""
    if host == "localhost":
        return True
    try:
        return not is_on_internet(host)
    except ValueError:
        return False


def parse_request(head: bytes) -> Request | None:
    """What the first lines of a connection ask for; None for what is no request to a proxy."""
    try:
        first, *headers = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
        method, target, version = first.split(" ")
        url = urlsplit(f"//{target}" if method == "CONNECT" else target)
        host, port = url.hostname, url.port
    except ValueError:
        return None
    if not host or not version.startswith("HTTP/1."):
        return None
    if method == "CONNECT":
        return None if port is None else Request(endpoint=UpstreamEndpoint(host, port), tunnel=True, head=b"")
    if url.scheme != "http":
        return None
    kept = [line for line in headers if line.partition(":")[0].strip().lower() not in _HOP_HEADERS]
    path = f"{url.path or '/'}?{url.query}" if url.query else url.path or "/"
    endpoint = UpstreamEndpoint(host, port or 80)
    lines = (f"{method} {path} HTTP/1.1", f"Host: {endpoint}", *kept, "Connection: close", "", "")
    return Request(endpoint=endpoint, tunnel=False, head="\r\n".join(lines).encode("latin-1"))


def _through_proxy(request: Request, proxy: UpstreamProxy | None) -> bytes:
    """The request as the next server takes it: a proxy wants the whole address, and its own name."""
    if proxy is None:
        return request.head
    method, rest = request.head.split(b" ", 1)
    head = method + b" http://" + str(request.endpoint).encode("latin-1") + rest
    return head.replace(b"\r\n", b"\r\n" + proxy.authorization, 1)


async def _both_ways(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    there: asyncio.StreamReader,
    back: asyncio.StreamWriter,
) -> None:
    """Copy between client and host until both have ended."""
    await asyncio.gather(_copy(reader, back), _copy(there, writer))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(_CHUNK):
            target.write(data)
            await target.drain()
        if target.can_write_eof():
            target.write_eof()
    except OSError:
        target.close()


async def _end(writer: asyncio.StreamWriter, status: int, message: str) -> None:
    body = f"{message}\n".encode(errors="replace")
    head = f"HTTP/1.1 {status} {_ENDS[status]}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode("latin-1") + body)
    await writer.drain()
