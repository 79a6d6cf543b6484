"""HTTP requests to an index: limited in size and time, with a named error for every failure."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from backdate.errors import IndexUnavailable
from backdate.version import __version__

MAX_PAGE_BYTES = 64 * 1024 * 1024
"""More than thirty times the largest project's page."""
PAGE_DEADLINE_S = 120.0
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
    body: bytes


class Fetcher:
    """A pooled HTTP client, safe to share between threads."""

    def __init__(self, *, timeout_s: float = 30.0, transport: httpx.BaseTransport | None = None) -> None:
        self._client = httpx.Client(
            headers={"user-agent": f"backdate/{__version__}"},
            timeout=httpx.Timeout(timeout_s, connect=min(timeout_s, 10.0)),
            limits=httpx.Limits(max_connections=32, max_keepalive_connections=16),
            follow_redirects=True,
            max_redirects=5,
            transport=transport,
        )
        self._timeout_s = timeout_s

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def get(
        self, url: str, headers: Mapping[str, str], *, max_bytes: int = MAX_PAGE_BYTES
    ) -> UpstreamResponse:
        """The complete response to a GET; transient errors are retried.

        Raises IndexFailure when there is no response, or one that is too late, too large or cut short.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                answer = self._get_once(url, headers, max_bytes)
            except httpx.RemoteProtocolError as error:
                if attempt == _ATTEMPTS:
                    raise IndexFailure(f"{url} was cut short on the way: {error}") from error
            except httpx.TransportError as error:
                if attempt == _ATTEMPTS or isinstance(error, httpx.TimeoutException):
                    raise _unreachable(url, error) from error
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise IndexFailure(f"{url} cannot be read: {error}") from error
            else:
                if answer.status not in _TRANSIENT or attempt == _ATTEMPTS:
                    return answer
            time.sleep(0.2 * attempt)
        raise AssertionError("unreachable")

    def _get_once(self, url: str, headers: Mapping[str, str], max_bytes: int) -> UpstreamResponse:
        deadline = time.monotonic() + PAGE_DEADLINE_S
        with self._client.stream("GET", url, headers=dict(headers)) as response:
            chunks: list[bytes] = []
            size = 0
            for chunk in response.iter_bytes():
                size += len(chunk)
                if size > max_bytes:
                    raise IndexFailure(f"{url} is larger than {max_bytes} bytes: refused")
                if time.monotonic() > deadline:
                    raise IndexFailure(
                        f"{url} took longer than {PAGE_DEADLINE_S:.0f} s: given up", status=504
                    )
                chunks.append(chunk)
            return UpstreamResponse(
                status=response.status_code,
                url=str(response.url),
                content_type=response.headers.get("content-type", "").split(";")[0].strip().lower(),
                etag=response.headers.get("etag"),
                last_modified=response.headers.get("last-modified"),
                body=b"".join(chunks),
            )

    @contextmanager
    def stream(self, url: str) -> Iterator[httpx.Response]:
        """The response to a GET of a file, read in pieces. Raises IndexFailure unless its status is 200."""
        try:
            with self._client.stream("GET", url, headers={"accept-encoding": "identity"}) as response:
                if response.status_code != 200:
                    status = 404 if response.status_code in (404, 410) else 502
                    raise IndexFailure(f"{url} answered {response.status_code}", status=status)
                yield response
        except httpx.TransportError as error:
            raise _unreachable(url, error) from error


def _unreachable(url: str, error: Exception) -> IndexFailure:
    if isinstance(error, httpx.TimeoutException):
        return IndexFailure(f"{url} did not answer in time ({type(error).__name__})", status=504)
    return IndexFailure(f"{url} cannot be reached: {error or type(error).__name__}")
