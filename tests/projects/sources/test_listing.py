from __future__ import annotations

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import IndexUnavailable, SourceError
from backdate.projects.sources.listing import fetch_listing, parse_listing
from backdate.timeline.instants import parse_instant

BASE = "https://index/simple/foo-bar/"
HASH = "a" * 64


def entry(filename: str, **fields: object) -> dict[str, object]:
    return {
        "filename": filename,
        "url": f"../../files/{filename}",
        "hashes": {"sha256": HASH},
        "upload-time": "2020-01-02T03:04:05.678Z",
        **fields,
    }


def parse(*files: object):
    return parse_listing(json.dumps({"files": files}).encode(), is_json=True, base_url=BASE, name="foo-bar")


def test_json_and_html_say_the_same() -> None:
    page = f"""<!DOCTYPE html><html><body>
        <a href="../../files/foo-bar-1.0.tar.gz#sha256={HASH}"
           data-upload-time="2020-01-02T03:04:05.678Z">x</a>
        <a href="../../files/foo_bar-1.0-py3-none-any.whl#sha256={HASH}" data-yanked
           data-upload-time="2020-01-02T03:04:05.678Z">x</a></body></html>"""
    html = parse_listing(page.encode(), is_json=False, base_url=BASE, name="foo-bar")
    assert html == parse(entry("foo-bar-1.0.tar.gz"), entry("foo_bar-1.0-py3-none-any.whl", yanked="bad"))
    assert html[0].url == "https://index/files/foo-bar-1.0.tar.gz"
    assert html[0].uploaded == parse_instant("2020-01-02T03:04:05.678Z")
    assert [(file.sdist, file.yanked) for file in html] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("filename", "version"),
    [
        ("foo-bar-1.0.tar.gz", "1.0"),
        ("foo_bar-1.0.post1.zip", "1.0.post1"),
        ("Foo.Bar-1.0-rc1.tar.bz2", "1.0rc1"),
        ("foo-1.0.tar.gz", None),
        ("foo-bar-baz-1.0.tar.gz", None),
        ("foo-bar-dev.tar.gz", None),
        ("foo-bar-1.0.tar.Z", None),
        ("foo-bar-1.0.exe", None),
        ("foo_bar-1.0-py3.6.egg", "1.0"),
        ("../foo-bar-1.0.tar.gz", None),
        ("foo_bar-x-py3-none-any.whl", None),
    ],
)
def test_versions_of_file_names(filename: str, version: str | None) -> None:
    found = [str(file.version) for file in parse(entry(filename))]
    assert found == ([version] if version else [])


def test_a_file_without_an_upload_time_is_hidden_and_a_page_without_any_refused() -> None:
    with_time, without = entry("foo-bar-1.0.tar.gz"), entry("foo-bar-2.0.tar.gz")
    del without["upload-time"]
    assert [str(file.version) for file in parse(with_time, without)] == ["1.0"]
    with pytest.raises(IndexUnavailable, match="no upload times"):
        parse(without)
    assert parse() == ()


@pytest.mark.parametrize(
    "fields",
    [{"upload-time": "yesterday"}, {"url": "file:///etc/passwd"}, {"url": "https://[x/foo-bar-1.0.tar.gz"}],
)
def test_files_that_cannot_be_are_left_out(fields: dict[str, object]) -> None:
    assert parse(entry("foo-bar-1.0.tar.gz", **fields)) == ()


@pytest.mark.parametrize("digest", [None, "x", 3, "g" * 64])
def test_a_hash_that_is_none_is_none(digest: object) -> None:
    assert parse(entry("foo-bar-1.0.tar.gz", hashes={"sha256": digest}))[0].sha256 is None


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"files": 3}', b'{"files": [3]}', b"\xff", b"[" * 9999]
)
def test_what_is_no_page_is_refused(body: bytes) -> None:
    with pytest.raises(IndexUnavailable):
        parse_listing(body, is_json=True, base_url=BASE, name="foo-bar")


@given(st.binary(max_size=300))
def test_html_garbage_never_raises_anything_else(body: bytes) -> None:
    try:
        parse_listing(body, is_json=False, base_url=BASE, name="foo-bar")
    except IndexUnavailable:
        return


def client(handler) -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(handler))


def test_fetching_asks_for_json_and_reads_what_comes() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        assert str(request.url) == BASE
        assert "json" in request.headers["accept"]
        return httpx.Response(200, json={"files": [entry("foo-bar-1.0.tar.gz")]})

    with client(answer) as http:
        assert len(fetch_listing(http, "https://index/simple/", "foo-bar")) == 1


@pytest.mark.parametrize(
    ("status", "error"), [(404, SourceError), (503, IndexUnavailable), (301, IndexUnavailable)]
)
def test_fetching_tells_absent_from_broken(status: int, error: type[Exception]) -> None:
    with client(lambda _: httpx.Response(status)) as http, pytest.raises(error, match="foo-bar"):
        fetch_listing(http, "https://index/simple", "foo-bar")


def test_an_index_that_is_down_is_unavailable() -> None:
    def fail(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with client(fail) as http, pytest.raises(IndexUnavailable, match="cannot be reached: refused"):
        fetch_listing(http, "https://index/simple", "foo-bar")
    with client(fail) as http, pytest.raises(IndexUnavailable):
        fetch_listing(http, "not a url", "foo-bar")
