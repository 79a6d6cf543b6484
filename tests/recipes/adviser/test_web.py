"""Pages that a hostile tree names."""

from __future__ import annotations

import contextlib
import gzip
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import httpx
import pytest

from backdate.recipes.adviser.web import PAGE_BYTES, Unread, WebPage, WebReader, plain_text

PUBLIC = "93.184.216.34"
ADDRESSES = {
    "docs.example": [PUBLIC],
    "inside.example": ["10.0.0.1"],
    "both.example": [PUBLIC, "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat.example": ["64:ff9b::7f00:1"],
    "link.example": ["fe80::1%eth0"],
    "cloud.example": ["169.254.169.254"],
    "many.example": ["224.0.0.1"],
    "none.example": [],
}


def resolve(host: str, _port: int) -> list[str]:
    if host in ADDRESSES:
        return ADDRESSES[host]
    if host.replace(".", "").isdigit() or ":" in host:
        return [host]
    raise OSError("no such host")


def body(data: bytes, kind: str, **headers: str) -> httpx.Response:
    """An answer whose body was not read yet, as one from the network."""
    return httpx.Response(200, stream=httpx.ByteStream(data), headers={"content-type": kind, **headers})


def reader(answer: Callable[[httpx.Request], httpx.Response], seen: list[httpx.Request]) -> WebReader:
    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer(request)

    return WebReader(resolve=resolve, transport=httpx.MockTransport(handle))


def test_a_page_is_read_at_the_address_that_was_looked_at() -> None:
    seen: list[httpx.Request] = []
    page = "<html><style>x</style><p>pip&nbsp;install <b>x</b></p><script>evil()</script><pre>pytest</pre>"
    web = reader(lambda _: body(page.encode(), "text/html; charset=utf-8"), seen)
    assert web.read("https://docs.example/a?b=c") == WebPage(
        url="https://docs.example/a?b=c", text="pip install x\npytest"
    )
    (request,) = seen
    assert str(request.url) == f"https://{PUBLIC}/a?b=c"
    assert request.headers["host"] == "docs.example"
    assert request.extensions["sni_hostname"] == "docs.example"


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://docs.example/x",
        "http://user:word@docs.example/",
        "http://127.0.0.1/",
        "http://[::1]:8000/",
        "http://inside.example/",
        "http://both.example/",
        "http://mapped.example/",
        "http://nat.example/",
        "http://link.example/",
        "http://cloud.example/latest/meta-data",
        "http://many.example/",
        "http://none.example/",
        "http://unknown.example/",
        "http://docs.example:99999/",
        "http://[broken/",
        "http://",
        "",
    ],
)
def test_what_is_not_public_is_not_asked(url: str) -> None:
    seen: list[httpx.Request] = []
    assert isinstance(reader(lambda _: httpx.Response(200, text="secret"), seen).read(url), Unread)
    assert seen == []


@pytest.mark.parametrize(
    "location", ["http://inside.example/", "http://127.0.0.1/", "file:///etc/passwd", "//both.example/x"]
)
def test_a_redirect_is_looked_at_again(location: str) -> None:
    seen: list[httpx.Request] = []
    web = reader(lambda _: httpx.Response(302, headers={"location": location}), seen)
    assert isinstance(web.read("http://docs.example/"), Unread)
    assert len(seen) == 1


def test_redirects_end() -> None:
    seen: list[httpx.Request] = []
    web = reader(lambda _: httpx.Response(301, headers={"location": "/next"}), seen)
    unread = web.read("http://docs.example/")
    assert isinstance(unread, Unread)
    assert unread.reason == "too many redirects"
    assert len(seen) == 5


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (httpx.Response(404), "HTTP 404"),
        (body(b"x" * (PAGE_BYTES + 1), "text/plain"), "larger than"),
        (body(b"x", "application/zip"), "not a text"),
        (body(b"x", "text/plain", **{"content-encoding": "zstd"}), "compressed"),
    ],
)
def test_what_is_no_page_is_unread(answer: httpx.Response, reason: str) -> None:
    unread = reader(lambda _: answer, []).read("http://docs.example/")
    assert isinstance(unread, Unread)
    assert reason in unread.reason


def test_a_page_that_does_not_come_is_unread() -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    unread = reader(fail, []).read("http://docs.example/")
    assert isinstance(unread, Unread)
    assert "slow" in unread.reason


class Pages(BaseHTTPRequestHandler):
    """A server of pages, some of which are traps."""

    protocol_version = "HTTP/1.1"
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.close_connection = True
        with contextlib.suppress(OSError):  # whoever reads has cut the connection
            getattr(self, f"send_{self.path.strip('/').replace('-', '_')}")()

    def send_page(self) -> None:
        self.begin("text/html", b"<p>pip install <b>x</b></p>")

    def send_large(self) -> None:
        self.begin("text/plain", b"")
        for _ in range(2 * PAGE_BYTES // 65_536):
            self.wfile.write(b"x" * 65_536)

    def send_slow_body(self) -> None:
        self.begin("text/plain", b"")
        self.drip(b"x")

    def send_slow_head(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nx-a: ")
        self.drip(b"x")

    def send_slow_hints(self) -> None:
        self.drip(b"HTTP/1.1 103 Early Hints\r\n\r\n")

    def send_silent(self) -> None:
        self.drip(b"")

    def send_archive(self) -> None:
        self.begin("application/zip", b"PK")

    def send_bomb(self) -> None:
        self.begin("text/plain", gzip.compress(bytes(50_000_000)), ("content-encoding", "gzip"))

    def send_bomb_that_hides(self) -> None:
        self.begin("text/plain", gzip.compress(bytes(50_000_000)))

    def send_to_private(self) -> None:
        self.begin("text/plain", b"", ("location", f"http://inside.example:{self.port}/page"), status=302)

    def send_to_itself(self) -> None:
        self.begin("text/plain", b"", ("location", "/to-itself"), status=301)

    def send_to_page(self) -> None:
        self.begin("text/plain", b"", ("location", "page"), status=303)

    def send_broken(self) -> None:
        self.wfile.write(b"SSH-2.0-no\r\n")

    def send_heads(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"x-a: b\r\n" * 200_000)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def begin(self, kind: str, data: bytes, *headers: tuple[str, str], status: int = 200) -> None:
        self.send_response(status)
        for name, value in (("content-type", kind), ("connection", "close"), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def drip(self, piece: bytes) -> None:
        while not self.server.over.wait(0.05):  # type: ignore[attr-defined]
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def served() -> Iterator[Callable[..., WebPage | Unread]]:
    """Reads a path of a real server: 127.0.0.1 stands for a public address here, 127.0.0.2 does not."""
    Pages.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        server.over = threading.Event()  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        names = {"docs.example": ["127.0.0.1"], "inside.example": ["127.0.0.2"]}

        def read(path: str, page_s: float = 30.0) -> WebPage | Unread:
            web = WebReader(
                resolve=lambda host, _: names[host], allowed=lambda one: one == "127.0.0.1", page_s=page_s
            )
            return web.read(f"http://docs.example:{server.server_port}/{path}")

        yield read
        server.over.set()  # type: ignore[attr-defined]
        server.shutdown()


@pytest.mark.parametrize("path", ["page", "to-page"])
def test_a_page_of_a_real_server(served: Callable[..., WebPage | Unread], path: str) -> None:
    page = served(path)
    assert isinstance(page, WebPage), page
    assert page.text == "pip install x"
    assert page.url.endswith("/page")


@pytest.mark.parametrize("path", ["slow-body", "slow-head", "slow-hints", "silent"])
def test_what_trickles_is_cut(served: Callable[..., WebPage | Unread], path: str) -> None:
    unread = served(path, 0.5)
    assert isinstance(unread, Unread)
    assert "not there within 0.5 s" in unread.reason or "timed out" in unread.reason


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("large", "larger than"),
        ("archive", "not a text (application/zip)"),
        ("bomb", "compressed"),
        ("to-private", "inside.example is not a public address"),
        ("to-itself", "too many redirects"),
        ("broken", "RemoteProtocolError"),
        ("heads", "RemoteProtocolError"),
    ],
)
def test_traps_of_a_real_server(served: Callable[..., WebPage | Unread], path: str, reason: str) -> None:
    unread = served(path)
    assert isinstance(unread, Unread)
    assert reason in unread.reason
    assert "/page" not in Pages.asked


def test_a_bomb_that_does_not_say_so_is_not_unpacked(served: Callable[..., WebPage | Unread]) -> None:
    page = served("bomb-that-hides")
    assert isinstance(page, WebPage)
    assert len(page.text) < PAGE_BYTES


def test_marks_that_never_end_are_words() -> None:
    assert plain_text("<" * 20_000 + "a</p>b").endswith("a\nb")
    assert plain_text("a" + "<script>" * 60_000) == "a"
    assert plain_text("a" + "<script>x</SCRIPT >" * 20_000 + "b") == "a b"
