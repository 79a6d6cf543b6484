"""From the gateway on: to the host itself, or through the proxy that this machine's environment names."""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

HEAD_BYTES = 64 * 1024
_ADDRESS_S = 10.0
_MOST_HOSTS = 4096
"""Hosts that are remembered: an agent may name any number."""
_NAT64 = IPv6Network("64:ff9b::/96")
"""RFC 6052: the last 32 bits are an IPv4 address."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class UpstreamEndpoint(NamedTuple):
    """A host and a port of it."""

    host: str
    """In small letters, without brackets."""
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def endpoint_of(url: str) -> UpstreamEndpoint | None:
    """The host and port of a web address; None for what is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in ("http", "https"):
        return None
    return UpstreamEndpoint(host, port or (443 if parts.scheme == "https" else 80))


def is_on_internet(address: str) -> bool:
    """Whether an IP address is one of the internet, and neither this machine's nor of its own network.

    An IPv6 address that stands for an IPv4 one (mapped, 6to4, Teredo, NAT64) is looked at as that.
    """
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        teredo = ip.teredo
        inner = ip.ipv4_mapped or ip.sixtofour or (teredo[1] if teredo else None)
        if inner is None and ip in _NAT64:
            inner = IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner is not None:
            return is_on_internet(str(inner))
        if ip.is_site_local:
            return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved) and not _is_own(ip)


def _is_own(ip: IPv4Address | IPv6Address) -> bool:
    """Whether it is an address of this machine: then the kernel would send to it from itself."""
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(ip), 9))  # of a datagram socket: nothing is sent
            return ip_address(probe.getsockname()[0]) == ip
    except OSError:
        return False  # there is no way to it


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxy:
    """A proxy between this machine and the network."""

    endpoint: UpstreamEndpoint
    encrypted: bool
    authorization: bytes
    """The header with its name and password, a whole line; empty without."""


def own_proxy(endpoint: UpstreamEndpoint, *, tunnel: bool) -> UpstreamProxy | None:
    """The proxy that the environment names for ``endpoint``; None where it is to be reached directly.

    Raises OSError for a kind of proxy that is not spoken here.
    """
    proxies = getproxies_environment()
    url = proxies.get("https" if tunnel else "http") or proxies.get("all")
    if not url or proxy_bypass_environment(f"{endpoint.host}:{endpoint.port}", proxies):
        return None
    parts = urlsplit(url if "://" in url else f"http://{url}")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OSError(f"this machine's proxy is of the kind {parts.scheme!r}, which builds cannot go through")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    authorization = b""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        authorization = b"Proxy-Authorization: Basic " + base64.b64encode(pair) + b"\r\n"
    return UpstreamProxy(
        endpoint=UpstreamEndpoint(parts.hostname, port),
        encrypted=parts.scheme == "https",
        authorization=authorization,
    )


async def connect(
    endpoint: UpstreamEndpoint, addresses: Sequence[str] | None, proxy: UpstreamProxy | None, *, tunnel: bool
) -> Streams:
    """A connection to ``endpoint``, at the first of ``addresses`` that answers, or through ``proxy``.

    Raises OSError.
    """
    if proxy is None:
        return await _first(endpoint, addresses or ())
    context = ssl.create_default_context() if proxy.encrypted else None
    streams = await asyncio.open_connection(*proxy.endpoint, ssl=context, limit=HEAD_BYTES)
    if tunnel:
        try:
            await _tunnel(streams, endpoint, proxy)
        except BaseException:
            streams[1].close()
            raise
    return streams


class AddressLookup:
    """Where hosts are. Each is looked up once, however many connections want it.

    A client opens dozens at a time; name servers leave some of so many questions unanswered, and each that is
    asked again costs seconds.
    """

    def __init__(self) -> None:
        self._asked: dict[UpstreamEndpoint, asyncio.Task[tuple[str, ...]]] = {}

    async def addresses(self, endpoint: UpstreamEndpoint) -> tuple[str, ...]:
        """The addresses of ``endpoint``. Raises OSError; what failed is tried again the next time."""
        task = self._asked.get(endpoint)
        if len(self._asked) > _MOST_HOSTS:
            self._asked.clear()
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._asked[endpoint] = asyncio.create_task(_resolved(endpoint))
            task.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody may be waiting
        return await asyncio.shield(task)  # a connection that gives up does not give up for the others


async def _resolved(endpoint: UpstreamEndpoint) -> tuple[str, ...]:
    loop = asyncio.get_running_loop()
    answers = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in answers))


async def _first(endpoint: UpstreamEndpoint, addresses: Sequence[str]) -> Streams:
    problem: OSError = ConnectionError("it has no address")
    for address in addresses:
        try:
            async with asyncio.timeout(_ADDRESS_S):
                return await asyncio.open_connection(address, endpoint.port)
        except OSError as error:  # a TimeoutError is one
            problem = error
    raise problem


async def _tunnel(streams: Streams, endpoint: UpstreamEndpoint, proxy: UpstreamProxy) -> None:
    reader, writer = streams
    name = str(endpoint)
    head = f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n".encode("latin-1")
    writer.write(head + proxy.authorization + b"\r\n")
    try:
        answer = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise ConnectionError("this machine's proxy answers nothing that is known") from error
    status = answer.split(b"\r\n", 1)[0].decode("latin-1")
    if status.split(" ")[1:2] != ["200"]:
        raise ConnectionError(f"this machine's proxy says {status}")
