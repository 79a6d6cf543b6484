"""An index that people point ``backdate index`` at tries to fill its memory, to hang it, or to lie."""

from __future__ import annotations

import gzip
import json
import socket
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random

import pytest
from fake_index import file_entry, html_page, json_page
from hostile_index import JSON, Answer, HostileIndex, Server, answer, served

BOUND_MB = 200
"""Memory beyond that of a server which has done nothing."""
HONEST = [file_entry(f"demo-1.{n}.tar.gz", "2020-01-01T00:00:00Z") for n in range(40)]


@pytest.fixture(scope="module")
def index() -> Iterator[HostileIndex]:
    index = HostileIndex()
    yield index
    index.close()


@pytest.fixture(scope="module")
def server(index: HostileIndex, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    index.answers["honest"] = answer(json_page("honest", *HONEST))
    with served(index.url, tmp_path_factory.mktemp("cache"), "--timeout", "2") as server:
        assert server.status("honest") == 200
        yield server


def bomb(size: int) -> bytes:
    """``size`` spaces, packed about a thousand times smaller."""
    packer = zlib.compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    return b"".join(packer.compress(block) for _ in range(size >> 20)) + packer.flush()


def trickle(text: bytes) -> Answer:
    def send(connection: socket.socket) -> None:
        for start in range(len(text)):
            connection.sendall(text[start : start + 1])
            time.sleep(0.05)

    return send


def endless(head: bytes, piece: bytes) -> Answer:
    def send(connection: socket.socket) -> None:
        connection.sendall(head)
        while True:
            connection.sendall(piece)

    return send


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: " + JSON.encode() + b"\r\n"


@cache
def fillers() -> dict[str, Answer]:
    """Answers that are small on the way, or many, and large in memory."""
    return {
        "one-bomb": answer(bomb(512 << 20), "Content-Encoding: gzip"),
        "bomb-in-a-bomb": answer(gzip.compress(bomb(512 << 20)), "Content-Encoding: gzip, gzip"),
        "not-offered": answer(b"\0" * 9999, "Content-Encoding: zstd"),
        "many-members": answer(gzip.compress(b"") * 300_000, "Content-Encoding: gzip"),
        "endless": endless(HEAD + b"\r\n", b" " * 65536),
        "endless-headers": endless(HEAD, b"X-Header: " + b"x" * 8192 + b"\r\n"),
        "raw-parts": answer(b'{"files":[' + b"1," * 5_000_000 + b"1]}"),
        "objects": answer(b'{"files":[' + b"{}," * 3_500_000 + b"{}]}"),
        "deep": answer(b'{"files":' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}"),
        "quotes": answer(
            json_page(
                "quotes",
                *(
                    file_entry(f"quotes-{n}.zip", "2020-01-01T00:00:00Z", **{"requires-python": '"' * 15_000})
                    for n in range(700)
                ),
            )
        ),
        "wide-text": answer(
            json_page(
                "wide-text",
                file_entry("a-1.zip", "2020-01-01T00:00:00Z", note="\U0001f600" + "a" * 11_000_000),
            )
        ),
        "anchors": answer(b"<html>" + b"<a>" * 3_000_000 + b"</html>", content_type="text/html"),
        "open-tags": answer(b"<!-- x --><a " + b"<" * 9_000_000, content_type="text/html"),
        "versions": answer(
            json.dumps({"versions": [f"1.{n}" for n in range(300_000)], "files": []}).encode()
        ),
        "long-versions": answer(
            json.dumps(
                {
                    "versions": [f"{n}.dev1+" + "1" * 200_000 for n in range(50)],
                    "files": [
                        file_entry(f"long-versions-{n}.zip", "2020-01-01T00:00:00Z") for n in range(50)
                    ],
                }
            ).encode()
        ),
        "digits": answer(
            json.dumps(
                {
                    "versions": ["9" * 5000 + ".dev1", "9" * 5000],
                    "files": [file_entry("digits-1.zip", "2020-01-01T00:00:00Z")],
                }
            ).encode()
        ),
        "hashes": answer(
            json.dumps(
                {"files": [{**HONEST[0], "hashes": {f"k{n}": f"v{n}" for n in range(390_000)}}]}
            ).encode()
        ),
        "small-files": answer(b'{"files":[' + b'{"filename":"a","url":"b"},' * 199_000 + b"{}]}"),
        **html_fillers(),
    }


def html_fillers() -> dict[str, Answer]:
    """As above, in HTML: what is ten megabytes as it comes took up to three gigabytes to read."""
    pages = {
        "attributes": b"<a" + b" b" * 5_000_000 + b">x</a>",
        "quoted-attributes": b"<a" + b' a=""' * 2_000_000 + b">x</a>",
        "attributes-with-tags": b"<a" + b' a="<"' * 390_000 + b">x</a>",
        "unquoted": b"<a href=x>" * 390_000 + b"</a>",
        "small-anchors": b'<a href="x">y</a>' * 190_000,
        "wide-html": "<base><a href='x-1.zip'>\U0001f600".encode() + b"a" * 11_000_000 + b"</a>",
        "text-in-parts": b"<base><a href='x-1.zip'>" + (b"a" * 50_000 + b"<b>") * 220 + b"</a>",
        "references": b"<base><a href=x>" + b"&amp;" * 2_000_000 + b"</a>",
        "long-requirements": b"".join(
            b'<a href="https://x/%d" data-requires-python="%s" data-upload-time="2020-01-01T00:00:00Z">'
            b"long-requirements-%d.zip</a>" % (n, b"%05d&quot;" % n * 5000, n)
            for n in range(190)
        ),
        "unended-comment": b"<base><!-- " + b"<a href=x>y</a>" * 49_000,
        "declarations": b"<base>" + b"<!x>" * 390_000,
    }
    return {
        name: answer(
            gzip.compress(b"<html>" + page + b"</html>", 1),
            "Content-Encoding: gzip",
            content_type="text/html",
        )
        for name, page in pages.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("accept", [JSON, "text/html"])
def test_no_answer_fills_the_memory(index: HostileIndex, server: Server, accept: str) -> None:
    index.answers.update(fillers())
    names = list(fillers())
    with ThreadPoolExecutor(4) as pool:
        statuses = dict(zip(names, pool.map(lambda name: server.status(name, accept), names), strict=True))
    assert server.status("honest") == 200
    assert {statuses[name] for name in names} <= {200, 404, 502, 504}
    assert statuses["one-bomb"] == statuses["bomb-in-a-bomb"] == statuses["raw-parts"] == 502
    assert statuses["attributes"] == statuses["attributes-with-tags"] == statuses["small-files"] == 502
    assert server.most_added_memory_mb() < BOUND_MB


@pytest.mark.parametrize(
    "sent", [HEAD + b"X: " + b"x" * 999, HEAD + b"Content-Length: 999\r\n\r\n" + b" " * 999]
)
def test_one_deadline_holds_for_headers_and_body(index: HostileIndex, server: Server, sent: bytes) -> None:
    index.answers[f"slow{len(sent)}"] = trickle(sent)
    began = time.monotonic()
    assert server.status(f"slow{len(sent)}") == 504
    assert time.monotonic() - began < 4


def test_a_hung_index_blocks_no_cached_page(index: HostileIndex, server: Server) -> None:
    index.answers.update({f"hung{n}": trickle(HEAD + b"x" * 999) for n in range(12)})
    with ThreadPoolExecutor(12) as pool:
        for n in range(12):
            pool.submit(server.status, f"hung{n}")
        time.sleep(0.5)
        began = time.monotonic()
        # No day is asked twice, so that each page is cut anew.
        for day in range(1, 20):
            assert server.client.get(f"/snapshot/2022-01-{day:02}/simple/honest/").status_code == 200
        assert time.monotonic() - began < 1.5


@pytest.mark.parametrize(
    ("kind", "sound"), [("application/json", True), (JSON, True), ("text/html", True), ("text/plain", False)]
)
def test_a_page_cut_short_is_refused(index: HostileIndex, server: Server, kind: str, sound: bool) -> None:
    """Without a length, the end of the connection is the end of the answer."""
    page = html_page("cut", *HONEST) if "html" in kind else json_page("cut", *HONEST)
    head = b"HTTP/1.0 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n"
    packed = gzip.compress(page)
    stem = f"cut-{kind.partition('/')[2].translate({ord('+'): '-', ord('.'): '-'})}"
    for number, length in enumerate((50, 400, len(page) // 2, len(page) - 20)):
        index.answers[f"{stem}-cut{number}"] = lambda sock, n=length: sock.sendall(head + b"\r\n" + page[:n])
        assert server.status(f"{stem}-cut{number}") == 502
    index.answers[f"{stem}-packed"] = lambda sock: sock.sendall(
        head + b"Content-Encoding: gzip\r\n\r\n" + packed[:-9]
    )
    assert server.status(f"{stem}-packed") == 502
    index.answers[f"{stem}-whole"] = lambda sock: sock.sendall(
        head + b"Content-Encoding: gzip\r\n\r\n" + packed
    )
    assert server.status(f"{stem}-whole") == (200 if sound else 502)


def mutated(random: Random) -> Answer:
    """An answer that was sound before a few things in it were changed at random."""
    count = random.choice([1, 40, 3000])
    entries = [
        file_entry(
            f"x-{n}.zip", "2020-01-01T00:00:00Z", **{"requires-python": random.choice(["", '"' * 900])}
        )
        for n in range(count)
    ]
    kind = random.choice([JSON, "text/html"])
    body = bytearray(html_page("x", *entries) if kind == "text/html" else json_page("x", *entries))
    for _ in range(random.choice([0, 1, 5, 50])):
        start = random.randrange(len(body))
        piece = bytes(body[start : start + random.choice([1, 9, 2000])])
        body[start : start + len(piece) * random.choice([0, 1])] = random.choice(
            [
                b"",
                piece * random.choice([2, 500]),
                random.randbytes(4),
                b"\\ud800",
                b"null",
                b"[" * 5000,
                b"<a ",
                b"<!--",
            ]
        )
    headers = random.choice(
        [[], ["Content-Encoding: gzip"], ["Content-Encoding: br"], ["ETag: x", "Last-Modified: y"]]
    )
    packed = gzip.compress(bytes(body)) if "Content-Encoding: gzip" in headers else bytes(body)
    length = len(packed) + random.choice([0, 0, 0, 7, -7])
    status = random.choice([200, 200, 200, 304, 301, 404, 500, 103, 999])
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {max(length, 0)}", *headers]
    if status == 301:
        lines.append(
            f"Location: {random.choice(['/simple/x/', 'file:///etc/passwd', '//', 'http://[', '/' * 9000])}"
        )
    head = "\r\n".join((*lines, "Connection: close", "", "")).encode()
    return lambda connection: connection.sendall(head + packed)


def fuzz(index: HostileIndex, server: Server, seed: int, rounds: int) -> None:
    random = Random(seed)
    names = [f"x{number}" for number in range(rounds)]
    for name in names:
        index.answers[name] = mutated(random)
    accepts = [random.choice([JSON, "text/html"]) for _ in names]
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(server.status, names, accepts))
    index.answers.clear()
    assert set(statuses) <= {200, 404, 502, 504}
    assert 200 in statuses, "some of the answers are sound"


@pytest.mark.slow
def test_a_fuzz_run_stays_within_the_bound(index: HostileIndex, server: Server) -> None:
    fuzz(index, server, 0, 40)
    assert server.status("honest") == 200
    assert server.most_added_memory_mb() < BOUND_MB


@pytest.mark.slow
def test_a_long_fuzz_run_stays_within_the_bound(index: HostileIndex, server: Server) -> None:
    """Names differ from round to round: what is kept of one is not replaced by that of the next."""
    for seed in range(1, 16):
        index.answers.update({f"{name}-{seed}": filler for name, filler in fillers().items()})
        names = [f"{name}-{seed}" for name in fillers()]
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(server.status, names, [JSON, "text/html"] * len(names)))
        fuzz(index, server, seed, 100)
    index.answers["honest"] = answer(json_page("honest", *HONEST))
    assert server.status("honest") == 200
    assert server.most_added_memory_mb() < BOUND_MB
