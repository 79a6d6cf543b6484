from __future__ import annotations

import gc
import json
import logging
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from fake_index import JSON, UPSTREAM, Clock, Upstream, file_entry, html_page, json_page

from backdate.errors import IndexUnavailable, UsageError
from backdate.index.addresses import check_upstream
from backdate.index.cache import DiskCache
from backdate.index.http import IndexFailure
from backdate.index.upstream import IndexClient

OLD = datetime(2021, 3, 1, tzinfo=UTC)
MakeClient = Callable[..., IndexClient]
DEMO = (
    file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z", **{"requires-python": ">=3.6"}),
    file_entry(
        "demo-2.0-py3-none-any.whl", "2022-01-01T00:00:00Z", yanked="broken", **{"core-metadata": True}
    ),
)


def test_a_page_for_readers(client: IndexClient, upstream: Upstream) -> None:
    upstream.put_project("demo", *DEMO)
    page = client.project_page("Demo")
    assert page.exists
    assert [file.version for file in page.files] == ["1.0", "2.0"]
    first, second = page.files
    assert (first.requires_python, first.size_bytes, first.yanked, first.has_metadata) == (
        ">=3.6",
        1000,
        False,
        False,
    )
    assert (second.yanked, second.yanked_reason, second.has_metadata) == (True, "broken", True)
    assert first.hashes[0].startswith("sha256:")
    assert page.before(second.upload_time) == (first,)
    assert not client.project_page("nothing-here").exists
    with pytest.raises(UsageError):
        client.project_page("../x")


def test_adapters_in_order(client: IndexClient, upstream: Upstream) -> None:
    upstream.put("/simple/demo/", html_page("demo", *DEMO), "text/html; charset=utf-8")
    assert len(client.project_page("demo").files) == 2
    assert upstream.count("/pypi/demo/json") == 0
    assert JSON in upstream.requests[0].headers["accept"]

    timeless = [{**file, "upload-time": None} for file in DEMO]
    upstream.put("/simple/other/", html_page("other", *timeless), "text/html")
    released = {
        "filename": "other-1.0.tar.gz",
        "url": "../../p/other-1.0.tar.gz",
        "upload_time_iso_8601": "2020-01-01T00:00:00Z",
    }
    upstream.put(
        "/pypi/other/json", json.dumps({"releases": {"1.0": [released]}}).encode(), "application/json"
    )
    (file,) = client.project_page("other").files
    assert file.url == "https://index.example/p/other-1.0.tar.gz"


@pytest.mark.parametrize(
    "document", [None, b"{}", b'{"releases":{"1.0":[{"filename":"a-1.zip","url":"x"}]}}']
)
def test_no_upload_times_at_all(client: IndexClient, upstream: Upstream, document: bytes | None) -> None:
    upstream.put_project("demo", *({**file, "upload-time": None} for file in DEMO))
    if document is not None:
        upstream.put("/pypi/demo/json", document, "application/json")
    with pytest.raises(IndexFailure, match="no upload times for the project 'demo'") as raised:
        client.project_page("demo")
    assert raised.value.status == 502


def test_some_files_without_upload_time_are_hidden(client: IndexClient, upstream: Upstream) -> None:
    upstream.put_project("demo", DEMO[0], {**DEMO[1], "upload-time": None})
    page = client.project_page("demo")
    assert (len(page.files), page.hidden_files) == (1, 1)


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (httpx.ConnectError("refused"), 502, "cannot be reached"),
        (httpx.ReadTimeout("slow"), 504, "did not answer in time"),
        (httpx.RemoteProtocolError("incomplete body"), 502, "cut short"),
        (httpx.Response(500), 502, "answered 500"),
        (httpx.Response(403), 502, "answered 403"),
        (httpx.Response(200, content=b"x", headers={"content-type": "image/png"}), 502, "image/png"),
        (httpx.Response(200, content=b"x"), 502, "content type"),
        (
            httpx.Response(200, content=json_page("demo", *DEMO)[:-9], headers={"content-type": JSON}),
            502,
            "JSON",
        ),
        (
            httpx.Response(
                200, content=html_page("demo", *DEMO)[:-16], headers={"content-type": "text/html"}
            ),
            502,
            "cut",
        ),
        (
            httpx.Response(200, content=b'{"files":[]}', headers={"content-type": "text/html"}),
            502,
            "not an HTML",
        ),
        (httpx.Response(302, headers={"location": "/simple/demo/"}), 502, "cannot be read"),
    ],
)
def test_bad_answers(
    client: IndexClient, upstream: Upstream, answer: httpx.Response | Exception, status: int, words: str
) -> None:
    upstream.pages["/simple/demo/"] = answer
    with pytest.raises(IndexUnavailable, match=words) as raised:
        client.project_page("demo")
    assert isinstance(raised.value, IndexFailure)
    assert raised.value.status == status
    assert "/simple/demo/" in str(raised.value)


def test_a_page_that_is_too_large(
    client: IndexClient, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.put("/simple/demo/", b" " * 13_000_000)
    with pytest.raises(IndexFailure, match="larger than"):
        client.project_page("demo")


def test_failed_answers_are_freed_at_once(client: IndexClient, upstream: Upstream) -> None:
    upstream.put("/simple/demo/", b'{"files":[' + b" " * 4_000_000 + b"nonsense")
    failures = []
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(5):
            with pytest.raises(IndexFailure) as raised:
                client.project_page("demo")
            failures.append(raised.value)  # who keeps the failure does not keep the answer
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        gc.enable()
    assert len(failures) == 5
    assert held < 3_000_000


def test_transient_refusals_are_tried_again(client: IndexClient, upstream: Upstream) -> None:
    answers = [
        httpx.Response(503),
        httpx.Response(200, content=json_page("demo", *DEMO), headers={"content-type": JSON}),
    ]
    upstream.pages["/simple/demo/"] = lambda _: answers.pop(0)
    assert client.project_page("demo").exists


def test_old_instants_are_answered_for_ever(
    make_client: MakeClient, upstream: Upstream, clock: Clock
) -> None:
    upstream.put_project("demo", *DEMO)
    make_client().project_page("demo", at=OLD)
    clock.pass_time(days=1000)
    assert len(make_client().project_page("demo", at=OLD).files) == 2
    assert upstream.count("/simple/demo/") == 1
    make_client().project_page("demo", at=clock.now)
    assert upstream.count("/simple/demo/") == 2


def test_recent_instants_are_asked_again(client: IndexClient, upstream: Upstream, clock: Clock) -> None:
    upstream.put_project("demo", *DEMO)
    client.project_page("demo")
    client.project_page("demo", at=clock.now - timedelta(minutes=30))
    assert upstream.count("/simple/demo/") == 1
    clock.pass_time(minutes=11)
    client.project_page("demo", at=clock.now - timedelta(minutes=41))
    assert upstream.count("/simple/demo/") == 2, "what was said of the last hour may lack files"


def test_revalidation_is_conditional(client: IndexClient, upstream: Upstream, clock: Clock) -> None:
    upstream.put("/simple/demo/", json_page("demo", *DEMO), etag='"one"')
    before = client.project_page("demo")
    clock.pass_time(hours=2)
    upstream.pages["/simple/demo/"] = httpx.Response(304)
    after = client.project_page("demo")
    assert upstream.requests[-1].headers["if-none-match"] == '"one"'
    assert after.files == before.files
    assert after.fetched_at == clock.now


def test_a_project_that_is_missing_is_remembered(
    client: IndexClient, upstream: Upstream, clock: Clock
) -> None:
    assert not client.project_page("demo").exists
    assert not client.project_page("demo", at=OLD).exists
    assert upstream.count("/simple/demo/") == 1
    clock.pass_time(minutes=11)
    upstream.put_project("demo", *DEMO)
    assert client.project_page("demo").exists


def test_a_missing_project_is_asked_for_again(
    make_client: MakeClient, upstream: Upstream, clock: Clock
) -> None:
    assert not make_client().project_page("demo", at=OLD).exists
    upstream.put_project("demo", *DEMO)
    clock.pass_time(hours=23)
    assert not make_client().project_page("demo", at=OLD).exists
    clock.pass_time(hours=2)
    assert make_client().project_page("demo", at=OLD).exists


def test_an_empty_page_is_not_remembered(client: IndexClient, upstream: Upstream) -> None:
    upstream.put("/simple/demo/", b"<html><body>Please log in</body></html>", "text/html")
    assert client.project_page("demo", at=OLD).files == ()
    upstream.put_project("demo", *DEMO)
    assert len(client.project_page("demo", at=OLD).files) == 2


def test_refresh_asks_once_more(make_client: MakeClient, upstream: Upstream, clock: Clock) -> None:
    upstream.put_project("demo", *DEMO)
    make_client().project_page("demo", at=OLD)
    clock.pass_time(days=1)
    client = make_client(refresh=True)
    for _ in range(3):
        client.project_page("demo", at=OLD)
    assert upstream.count("/simple/demo/") == 2


def test_offline(make_client: MakeClient, upstream: Upstream, clock: Clock) -> None:
    upstream.put_project("demo", *DEMO)
    make_client().project_page("demo")
    fetched = clock.now
    clock.pass_time(days=1)
    offline = make_client(offline=True)
    assert len(offline.project_page("demo", at=OLD).files) == 2
    assert len(offline.project_page("demo", at=fetched).files) == 2
    with pytest.raises(IndexFailure, match="before the wanted instant") as raised:
        offline.project_page("demo", at=fetched + timedelta(microseconds=1))
    assert raised.value.status == 504
    with pytest.raises(IndexFailure, match="not in the cache"):
        offline.project_page("other")
    assert len(upstream.requests) == 1


def test_the_first_index_that_knows_a_project_answers(make_client: MakeClient, upstream: Upstream) -> None:
    client = make_client(upstreams=["https://index.example/private", UPSTREAM])
    upstream.put_project("demo", *DEMO)
    upstream.put("/private/mine/", json_page("mine", file_entry("mine-1.0.tar.gz", "2020-01-01T00:00:00Z")))
    upstream.put_project("mine", file_entry("mine-9.0.tar.gz", "2020-01-01T00:00:00Z"))
    assert client.project_page("demo").upstream == UPSTREAM
    assert [file.version for file in client.project_page("mine").files] == ["1.0"]
    upstream.pages["/private/demo/"] = httpx.ConnectError("down")
    with pytest.raises(IndexFailure):
        make_client(upstreams=["https://index.example/private", UPSTREAM], cache=None).project_page("demo")


def test_one_question_for_many_askers(client: IndexClient, upstream: Upstream) -> None:
    started = threading.Event()
    go_on = threading.Event()

    def slow(_: httpx.Request) -> httpx.Response:
        started.set()
        assert go_on.wait(20)
        return httpx.Response(200, content=json_page("demo", *DEMO), headers={"content-type": JSON})

    upstream.pages["/simple/demo/"] = slow
    with ThreadPoolExecutor(8) as pool:
        pages = [pool.submit(client.project_page, "demo") for _ in range(8)]
        assert started.wait(20)
        go_on.set()
        assert all(len(page.result().files) == 2 for page in pages)
    assert upstream.count("/simple/demo/") == 1


def test_a_failure_reaches_every_asker_and_is_not_kept(client: IndexClient, upstream: Upstream) -> None:
    upstream.pages["/simple/demo/"] = httpx.Response(404 - 1)
    with pytest.raises(IndexFailure):
        client.project_page("demo")
    upstream.put_project("demo", *DEMO)
    assert client.project_page("demo").exists


def test_two_clients_on_one_cache(make_client: MakeClient, upstream: Upstream) -> None:
    upstream.put_project("demo", *DEMO)
    first, second = make_client(), make_client()
    assert first.project_page("demo", at=OLD) == second.project_page("demo", at=OLD)
    assert upstream.count("/simple/demo/") == 1


@pytest.mark.parametrize(
    "damage", [b"", b"backdate page 1\n", b"backdate page 1\n\0\0\0\0\xff\xff\xff\xff", b"nonsense"]
)
def test_a_damaged_cache_entry_is_fetched_again(
    client: IndexClient, upstream: Upstream, cache: DiskCache, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    upstream.put_project("demo", *DEMO)
    client.project_page("demo", at=OLD)
    path = cache.page_path(UPSTREAM, "demo")
    path.write_bytes(damage)
    assert len(client.project_page("demo", at=OLD).files) == 2
    assert str(path) in caplog.text
    assert upstream.count("/simple/demo/") == 2


def test_every_flipped_bit_of_an_entry_is_noticed(
    client: IndexClient, upstream: Upstream, cache: DiskCache
) -> None:
    upstream.put_project("demo", *DEMO)
    client.project_page("demo", at=OLD)
    path = cache.page_path(UPSTREAM, "demo")
    whole = path.read_bytes()
    for position in range(0, len(whole), 7):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 1]) + whole[position + 1 :])
        assert cache.load_page(UPSTREAM, "demo") is None


def test_a_cache_that_cannot_be_written(
    make_client: MakeClient, upstream: Upstream, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("a file where a folder should be")
    client = make_client(cache=DiskCache(blocked / "cache"))
    upstream.put_project("demo", *DEMO)
    upstream.put_project("other", *DEMO)
    with caplog.at_level(logging.WARNING):
        for name in ("demo", "demo", "other"):
            assert client.project_page(name, at=OLD).exists
    assert upstream.count("/simple/demo/") == 1, "it is kept in memory"
    assert caplog.text.count("cannot be written") == 1


def test_the_cache_is_bounded(upstream: Upstream, make_client: MakeClient, tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "small", max_bytes=20_000)
    client = make_client(cache=cache)
    for number in range(40):
        upstream.put_project(
            f"demo{number}", *(file_entry(f"demo-{n}.zip", "2020-01-01T00:00:00Z") for n in range(10))
        )
        client.project_page(f"demo{number}", at=OLD)
    cache.sweep()
    left = [path for path in cache.folder.rglob("*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in left) <= 20_000


@pytest.mark.parametrize(
    "url", ["", "pypi.org/simple", "ftp://x/simple", "https://", "https://x/?q=1", "http://[x"]
)
def test_what_is_no_index(url: str) -> None:
    with pytest.raises(UsageError):
        check_upstream(url)
