"""HTTP requests to an index: limited in size and time, with a named error for every failure.

httpx is imported where it is used: what is cached already needs none of it, and importing it takes long.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from backdate.errors import IndexUnavailable
from backdate.index.deadline import deadline, seconds_left
from backdate.index.unpacking import UnusableEncoding, unpacked
from backdate.version import __version__

if TYPE_CHECKING:
    import httpx

    from backdate.index.credentials import Sign

MAX_PAGE_BYTES = 12 * 1024 * 1024
"""Four times the largest page seen on the public index. What is read of a page takes a few times its size."""
_IN_MEMORY_BYTES = 512 * 1024
"""A longer body waits in a temporary file until it is read: many may be under way at a time."""
_NEEDLESS_BYTES = 64 * 1024
"""Bytes that are read of the body of an error; nobody looks at it, but a whole one keeps the connection."""
_PIECE_BYTES = 256 * 1024
_ATTEMPTS = 3
_TRANSIENT = frozenset({429, 500, 502, 503})


class IndexFailure(IndexUnavailable):
    """An index gave no usable response; ``status`` is the HTTP status that our own clients get."""

    def __init__(self, message: str, *, status: int = 502) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamResponse:
    """The response of an index."""

    status: int
    url: str
    """The final URL after redirects, which relative links in the body refer to."""
    content_type: str
    """The media type, in lower case and without parameters."""
    etag: str | None
    last_modified: str | None
    size: int
    """Bytes of the body."""
    stored_body: IO[bytes]

    def body(self) -> bytes:
        """The body, once; read it where it is used, for it may wait on the disk."""
        with self.stored_body:
            self.stored_body.seek(0)
            return self.stored_body.read()

    def close(self) -> None:
        """Free a body that nobody reads."""
        self.stored_body.close()


class Fetcher:
    """A pooled HTTP client, safe to share between threads.

    ``sign`` adds credentials to its requests; without it the user's netrc alone is looked at.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        sign: Sign | None = None,
    ) -> None:
        self.timeout_s = timeout_s
        self._sign = sign
        self._transport = transport
        self._lock = threading.Lock()
        self._made: httpx.Client | None = None

    @property
    def _client(self) -> httpx.Client:
        """Made when something is requested first: reading this machine's certificates takes long."""
        import httpx

        from backdate.index.connections import keep_deadlines
        from backdate.index.credentials import sign_with_netrc

        with self._lock:
            if self._made is None:
                client = httpx.Client(
                    headers={"user-agent": f"backdate/{__version__}", "accept-encoding": "gzip"},
                    timeout=httpx.Timeout(self.timeout_s, connect=min(self.timeout_s, 10.0)),
                    limits=httpx.Limits(max_connections=64, max_keepalive_connections=16),
                    follow_redirects=True,
                    max_redirects=5,
                    transport=self._transport,
                    auth=self._sign or sign_with_netrc(),
                )
                self._made = keep_deadlines(client)
            return self._made

    def close(self) -> None:
        """Close the connections."""
        if self._made is not None:
            self._made.close()

    def get(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        max_bytes: int = MAX_PAGE_BYTES,
        deadline_s: float | None = None,
    ) -> UpstreamResponse:
        """The complete response to a GET; transient errors are retried.

        All of it, from the first attempt to the last byte, has ``deadline_s`` (default: the timeout). Raises
        IndexFailure when there is no response, or one that is too late, too large or cut short.
        """
        with deadline(deadline_s or self.timeout_s):
            return self._get(url, headers, max_bytes)

    def _get(self, url: str, headers: Mapping[str, str], max_bytes: int) -> UpstreamResponse:
        import httpx

        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = self._get_once(url, headers, max_bytes)
            except httpx.RemoteProtocolError as error:
                if attempt == _ATTEMPTS:
                    raise IndexFailure(f"{url} was cut short on the way: {error}") from error
            except httpx.TransportError as error:
                if attempt == _ATTEMPTS or isinstance(error, httpx.TimeoutException):
                    raise _unreachable(url, error) from error
            except (httpx.HTTPError, httpx.InvalidURL, UnusableEncoding) as error:
                raise IndexFailure(f"{url} cannot be read: {error}") from error
            else:
                if answer.status not in _TRANSIENT or attempt == _ATTEMPTS:
                    return answer
            time.sleep(min(0.2 * attempt, seconds_left() or 0.0))
        raise AssertionError("unreachable")

    def _get_once(self, url: str, headers: Mapping[str, str], max_bytes: int) -> UpstreamResponse:
        body = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY_BYTES)  # noqa: SIM115 - closed by who reads
        try:
            return self._read_into(body, url, headers, max_bytes)
        except BaseException:
            body.close()
            raise

    def _read_into(
        self, body: IO[bytes], url: str, headers: Mapping[str, str], max_bytes: int
    ) -> UpstreamResponse:
        size = 0
        with self._client.stream("GET", url, headers=dict(headers)) as response:
            needless = response.status_code not in (200, 206)
            for piece in unpacked(response.iter_raw(), response.headers.get("content-encoding", "")):
                size += len(piece)
                if needless and size > _NEEDLESS_BYTES:
                    break
                if size > max_bytes:
                    raise IndexFailure(f"{url} is larger than {max_bytes} bytes: refused")
                if seconds_left() == 0.0:
                    raise IndexFailure(f"{url} took too long: given up", status=504)
                body.write(piece)
            if needless:
                body.close()
            return UpstreamResponse(
                status=response.status_code,
                url=str(response.url),
                content_type=response.headers.get("content-type", "").split(";")[0].strip().lower(),
                etag=response.headers.get("etag"),
                last_modified=response.headers.get("last-modified"),
                size=size,
                stored_body=body,
            )

    @contextmanager
    def stream(self, url: str) -> Iterator[tuple[int | None, Iterator[bytes]]]:
        """A file's length, where it is told, and its content in pieces, byte for byte as it was sent.

        The headers and each piece have the timeout. Raises IndexFailure unless the status is 200.
        """
        import httpx

        request = self._client.build_request("GET", url, headers={"accept-encoding": "identity"})
        try:
            with deadline(self.timeout_s):
                response = self._client.send(request, stream=True)
            try:
                if response.status_code != 200:
                    status = 404 if response.status_code in (404, 410) else 502
                    raise IndexFailure(f"{url} answered {response.status_code}", status=status)
                length = response.headers.get("content-length", "")
                yield (
                    int(length) if length.isdecimal() and len(length) < 16 else None,
                    self._pieces(response),
                )
            finally:
                response.close()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _unreachable(url, error) from error

    def _pieces(self, response: httpx.Response) -> Iterator[bytes]:
        pieces = response.iter_raw(_PIECE_BYTES)
        while True:
            with deadline(self.timeout_s):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece


def _unreachable(url: str, error: Exception) -> IndexFailure:
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return IndexFailure(f"{url} did not answer in time ({type(error).__name__})", status=504)
    return IndexFailure(f"{url} cannot be reached: {error or type(error).__name__}")
