"""Complete responses: negotiation (PEP 691), validators, and a bounded cache of earlier responses.

A response is cached as the messages that the ASGI server takes, so that sending it again costs one
look-up.
"""

from __future__ import annotations

import hashlib
import html
import math
from collections import OrderedDict
from functools import lru_cache
from typing import Any, TypeAlias

from backdate.index.rendering import Form

Headers: TypeAlias = list[tuple[bytes, bytes]]
Message: TypeAlias = dict[str, Any]
HotKey: TypeAlias = tuple[bytes, bytes, bytes]
"""A request's path, Accept and Accept-Encoding, byte for byte."""

COMPRESS_FROM_BYTES = 2048
_LONGEST_KEY = 4096
_FORMS = {
    "application/vnd.pypi.simple.v1+json": Form.JSON,
    "application/vnd.pypi.simple.latest+json": Form.JSON,
    "application/vnd.pypi.simple.v1+html": Form.HTML_V1,
    "application/vnd.pypi.simple.latest+html": Form.HTML_V1,
    "application/*": Form.JSON,
    "text/html": Form.HTML,
    "text/*": Form.HTML,
    "*/*": Form.HTML,
}


class ServedResponse:
    """A response that is ready to be sent."""

    __slots__ = ("_headers", "body", "etag", "expires", "hot_keys", "size", "start", "status")

    def __init__(self, status: int, headers: Headers, body: bytes, *, expires: float = -math.inf) -> None:
        self.status = status
        self.size = len(body)
        self.etag = next((value for name, value in headers if name == b"etag"), b"")
        self._headers = headers
        self.start: Message = {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, (b"content-length", b"%d" % len(body))],
        }
        self.body: Message = {"type": "http.response.body", "body": body}
        self.expires = expires
        """The ``time.monotonic`` until which it may be sent again without a check."""
        self.hot_keys: list[HotKey] = []

    def not_modified(self) -> Message:
        """The start of the 304 that replaces this response (RFC 9110: the same validators, no body)."""
        kept = [
            pair for pair in self._headers if pair[0] != b"content-type" and pair[0] != b"content-encoding"
        ]
        return {"type": "http.response.start", "status": 304, "headers": kept}


class ResponseStore:
    """Responses by content and by request; at most ``max_bytes`` of bodies."""

    _KEYS_EACH = 8

    def __init__(self, max_bytes: int) -> None:
        self.hot: dict[HotKey, ServedResponse] = {}
        self._kept: OrderedDict[tuple[object, ...], ServedResponse] = OrderedDict()
        self._max_bytes = max_bytes
        self._bytes = 0

    def get(self, key: tuple[object, ...]) -> ServedResponse | None:
        """The response with the content ``key``."""
        answer = self._kept.get(key)
        if answer is not None:
            self._kept.move_to_end(key)
        return answer

    def keep(self, key: tuple[object, ...], answer: ServedResponse) -> None:
        """Store ``answer`` under ``key``; the least recently used ones are removed."""
        self._drop(self._kept.pop(key, None))
        self._kept[key] = answer
        self._bytes += answer.size + 2048
        while self._bytes > self._max_bytes and len(self._kept) > 1:
            self._drop(self._kept.popitem(last=False)[1])

    def link(self, hot_key: HotKey, answer: ServedResponse) -> None:
        """Send ``answer`` to equal requests from now on; those with long headers are not remembered."""
        if sum(map(len, hot_key)) > _LONGEST_KEY:
            return
        if len(answer.hot_keys) >= self._KEYS_EACH:
            self.hot.pop(answer.hot_keys.pop(0), None)
        answer.hot_keys.append(hot_key)
        self.hot[hot_key] = answer

    def __len__(self) -> int:
        return len(self._kept)

    def _drop(self, answer: ServedResponse | None) -> None:
        if answer is None:
            return
        self._bytes -= answer.size + 2048
        for hot_key in answer.hot_keys:
            if self.hot.get(hot_key) is answer:
                del self.hot[hot_key]


def page_tag(digest: bytes, visible: int, form: Form, *, zipped: bool) -> bytes:
    """The entity tag of a page that shows the first files of the content with ``digest``.

    Files become visible in the order of their upload times, so their number identifies them: the tag is not
    computed from the bytes, and is the same for all instants that show the same files.
    """
    state = hashlib.blake2b(digest, digest_size=16, person=b"gzip" if zipped else b"")
    state.update(b"%d %b" % (visible, form.value.encode()))
    return b'"%b"' % state.hexdigest().encode()


def page_answer(body: bytes, form: Form, *, etag: bytes, cutoff: str, zipped: bool) -> ServedResponse:
    """A project's page, cut at the instant in ``cutoff``; ``body`` is compressed already if ``zipped``.

    Clients revalidate every time (``no-cache``: they send the validator and mostly get a 304), because the
    same URL has another content when the server is started with other options.
    """
    headers = [
        (b"content-type", form.value.encode() + (b"; charset=utf-8" if form is Form.HTML else b"")),
        (b"etag", etag),
        (b"cache-control", b"public, no-cache"),
        (b"vary", b"Accept, Accept-Encoding"),
        (b"x-snapshot-cutoff", cutoff.encode()),
    ]
    if zipped:
        headers.append((b"content-encoding", b"gzip"))
    return ServedResponse(200, headers, body)


def text_answer(status: int, message: str, *, cutoff: str | None = None) -> ServedResponse:
    """A refusal, or any other message of one sentence."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    if cutoff is not None:
        headers.append((b"x-snapshot-cutoff", cutoff.encode()))
    return ServedResponse(status, headers, message.encode("utf-8", errors="replace") + b"\n")


def redirect_answer(location: str, *, status: int = 301) -> ServedResponse:
    """The same thing is elsewhere."""
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"location", location.encode("ascii", errors="replace")),
        (b"cache-control", b"public, no-cache"),
    ]
    return ServedResponse(status, headers, f'<a href="{html.escape(location)}">moved</a>\n'.encode())


@lru_cache(maxsize=1024)
def choose_form(accept: bytes) -> Form | None:
    """The form that an Accept header asks for (RFC 9110 12.5.1, PEP 691); None if it is not available.

    Without the header it is ``text/html``, for clients written before PEP 691.
    """
    best: Form | None = None
    best_quality = 0.0
    if not accept.strip():
        return Form.HTML
    for part in accept.decode("latin-1").split(","):
        kind, _, parameters = part.partition(";")
        form = _FORMS.get(kind.strip().lower())
        if form is not None and (quality := _quality(parameters)) > best_quality:
            best, best_quality = form, quality
    return best


@lru_cache(maxsize=1024)
def accepts_gzip(accept_encoding: bytes) -> bool:
    """Whether an Accept-Encoding header takes gzip."""
    for part in accept_encoding.decode("latin-1").split(","):
        coding, _, parameters = part.partition(";")
        if coding.strip().lower() in ("gzip", "*") and _quality(parameters) > 0:
            return True
    return False


def matches(if_none_match: bytes, etag: bytes) -> bool:
    """Whether an If-None-Match header names ``etag`` (weak comparison, RFC 9110 13.1.2)."""
    if if_none_match.strip() == b"*":
        return True
    return any(tag.strip().removeprefix(b"W/") == etag for tag in if_none_match.split(b","))


def _quality(parameters: str) -> float:
    for parameter in parameters.split(";"):
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "q":
            try:
                quality = float(value)
            except ValueError:
                return 0.0
            return quality if 0 <= quality <= 1 else 0.0
    return 1.0
