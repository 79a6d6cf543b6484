"""External pages that a project's files link to: read only when the user allows the web, and within bounds.

The addresses come from a hostile tree. Only http and https to public addresses are followed: every name is
resolved here, none of its addresses may be private, and the connection goes to the very address that was
looked at, so that a second answer of the name server changes nothing. Each redirect is looked at again.
When the time is up the connection is cut, whatever trickles through it.
"""

from __future__ import annotations

import html
import ipaddress
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import httpx
from httpcore import NetworkStream

PAGE_BYTES = 512 * 1024
PAGE_S = 20.0
_MOST_REDIRECTS = 4
_UNSEEN = re.compile(r"<(script|style|svg|nav)\b", re.IGNORECASE)
_BLOCK_END = re.compile(r"<(?:br|/p|/div|/li|/pre|/h[1-6]|/tr)\b[^>]{0,200}>", re.IGNORECASE)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_TAG = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A page that was read."""

    url: str
    """Its address after redirects."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A page that was not read, and why."""

    url: str
    reason: str


def resolve_name(host: str, port: int) -> Sequence[str]:
    """The addresses of a host. Raises OSError."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def is_public(address: str) -> bool:
    """Whether an address is one of the internet, and not of a private network. Raises ValueError."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address):
        # Addresses that stand for one of IPv4 are as public as that one.
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
        if parsed in _NAT64:
            return ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF).is_global
    return parsed.is_global and not parsed.is_multicast


class WebReader:
    """Reads pages. ``resolve``, ``allowed`` (which addresses) and ``transport`` are replaced in tests."""

    def __init__(
        self,
        *,
        resolve: Callable[[str, int], Sequence[str]] = resolve_name,
        allowed: Callable[[str], bool] = is_public,
        transport: httpx.BaseTransport | None = None,
        page_s: float = PAGE_S,
    ) -> None:
        self._resolve = resolve
        self._is_allowed = allowed
        self._transport = transport
        self._page_s = page_s

    def read(self, url: str) -> WebPage | Unread:
        """The text of the page at ``url``, without marks when it is HTML. Never raises for what it finds."""
        deadline = time.monotonic() + self._page_s
        cutter = _Cutter()
        # No proxies of the environment: they would resolve the name again, past the look at its addresses.
        with httpx.Client(
            transport=self._transport, trust_env=False, follow_redirects=False, timeout=self._page_s
        ) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                with cutter.at(deadline):
                    answer = self._one(client, url, cutter)
                if cutter.has_cut:
                    return Unread(url=url, reason=f"not there within {self._page_s:g} s")
                if not isinstance(answer, str):
                    return answer
                url = answer
        return Unread(url=url, reason="too many redirects")

    def _one(self, client: httpx.Client, url: str, cutter: _Cutter) -> WebPage | Unread | str:
        """The page, the reason why it is not read, or the address of a redirect."""
        target = self._allowed(url)
        if isinstance(target, Unread):
            return target
        address, host, port = target
        shown = f"[{address}]" if ":" in address else address
        try:
            parsed = httpx.URL(url)
            default = port == (443 if parsed.scheme == "https" else 80)
            headers = {
                "host": host if default else f"{host}:{port}",
                "accept": "text/html, text/*;q=0.9",
                "user-agent": "backdate (reads documentation of a project that is set up)",
                "accept-encoding": "identity",  # a compressed page could grow without bound
            }
            extensions = {"sni_hostname": host, "trace": cutter.trace}
            with client.stream(
                "GET", parsed.copy_with(host=shown), headers=headers, extensions=extensions
            ) as response:
                return _read(response, url)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            return Unread(url=url, reason=f"{type(error).__name__}: {error}"[:300])

    def _allowed(self, url: str) -> tuple[str, str, int] | Unread:
        """(a public address, the host's name, the port), or why the page is not read."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        except ValueError:
            return Unread(url=url, reason="not an address")
        if parts.scheme not in ("http", "https") or not host or parts.username or parts.password:
            return Unread(url=url, reason="not a plain http or https address")
        try:
            addresses = self._resolve(host, port)
            public = [self._is_allowed(address) for address in addresses]
        except (OSError, ValueError) as error:  # UnicodeError, of names that are none, is a ValueError
            return Unread(url=url, reason=f"{host} cannot be resolved: {error}"[:300])
        if not public or not all(public):
            return Unread(url=url, reason=f"{host} is not a public address")
        return addresses[0], host, port


class _Cutter:
    """Cuts the connections of a page when its time is up.

    httpx limits each wait, not all of them together: a server that sends a byte now and then would hold us.
    """

    def __init__(self) -> None:
        self.has_cut = False
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def trace(self, _event: str, info: Mapping[str, object]) -> None:
        """httpx's trace hook: remembers each connection."""
        stream = info.get("return_value")
        if not isinstance(stream, NetworkStream):
            return
        connection = stream.get_extra_info("socket")
        with self._lock:
            if isinstance(connection, socket.socket):
                self._sockets.append(connection)
        if self.has_cut:
            self._cut()

    @contextmanager
    def at(self, deadline: float) -> Iterator[None]:
        """While this lasts, connections are cut once it is ``deadline`` (of the monotonic clock)."""
        timer = threading.Timer(max(0.0, deadline - time.monotonic()), self._cut)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _cut(self) -> None:
        self.has_cut = True
        with self._lock:
            for connection in self._sockets:
                with suppress(OSError):  # closed already
                    connection.shutdown(socket.SHUT_RDWR)


def _read(response: httpx.Response, url: str) -> WebPage | Unread | str:
    if response.is_redirect:
        return str(urljoin(url, response.headers.get("location", "")))
    if response.status_code != 200:
        return Unread(url=url, reason=f"HTTP {response.status_code}")
    kind = response.headers.get("content-type", "text/plain").partition(";")[0].strip().lower()
    if not kind.startswith("text/"):
        return Unread(url=url, reason=f"not a text ({kind[:80]})")
    if response.headers.get("content-encoding", "identity") != "identity":
        return Unread(url=url, reason="compressed, though that was not asked for")
    data = bytearray()
    for piece in response.iter_raw():
        data += piece
        if len(data) > PAGE_BYTES:
            return Unread(url=url, reason=f"larger than {PAGE_BYTES:,} bytes")
    text = bytes(data).decode("utf-8", "replace")
    return WebPage(url=url, text=plain_text(text) if kind == "text/html" else text)


def plain_text(text: str) -> str:
    """The words of an HTML page, blocks on lines of their own."""
    seen = _TAG.sub("", _BLOCK_END.sub("\n", " ".join(_seen_parts(text))))
    lines = (" ".join(line.split()) for line in html.unescape(seen).split("\n"))
    return "\n".join(line for line in lines if line)


def _seen_parts(text: str) -> Iterator[str]:
    """What lies between scripts and the like; the rest is left out where one never ends."""
    position = 0
    while opened := _UNSEEN.search(text, position):
        yield text[position : opened.start()]
        closed = re.compile(rf"</{opened[1]}\s*>", re.IGNORECASE).search(text, opened.end())
        if closed is None:
            return
        position = closed.end()
    yield text[position:]
